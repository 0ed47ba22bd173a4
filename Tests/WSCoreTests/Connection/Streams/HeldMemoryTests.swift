import TestSupport
import Testing

@testable import WSCore

@Suite struct HeldMemoryTests {
    // MARK: Decisions

    @Test("the connection nearest the end of its message continues")
    func nearestEnd() {
        let holdings = [
            1: holding(900, missing: 500), 2: holding(100, missing: 300), 3: holding(5000),
            4: holding(100, missing: 400),
        ]
        expectEqual(HeldMemory.nearestEnd(of: holdings), 2)
        expectNil(HeldMemory.nearestEnd(of: [3: holding(5000)]))
        expectNil(HeldMemory.nearestEnd(of: [Int: HeldMemory.Holding]()))
    }

    @Test("a connection that makes no progress continues only if all others make none either")
    func nearestMovingEnd() {
        var holdings = [1: holding(900, missing: 1, stall: .milliseconds(1)), 2: holding(900, missing: 500)]
        expectEqual(HeldMemory.nearestEnd(of: holdings), 2)
        holdings[2] = holding(900, missing: 500, stall: .seconds(1))
        expectEqual(HeldMemory.nearestEnd(of: holdings), 1)
    }

    @Test("of the connections without progress for 5 s, the largest are abandoned until the excess is gone")
    func stalled() {
        let holdings = [
            1: holding(100, stall: .seconds(5)), 2: holding(300, stall: .seconds(9)),
            3: holding(900, stall: .seconds(4)),
            4: holding(300, stall: .seconds(5)), 5: holding(200, missing: 7, stall: .seconds(5)),
        ]
        for (excess, expected) in [
            (-1, []), (0, []), (1, [2]), (300, [2]), (301, [2, 4]), (601, [2, 4, 5]), (9999, [2, 4, 5, 1]),
        ] {
            expectEqual(HeldMemory.stalled(of: holdings, excessBytes: excess), expected)
        }
    }

    // MARK: Accounting

    @Test("beyond the limit, all incomplete messages but one wait, and small ones do not")
    func pausing() throws {
        try withMemory { _, memory in
            let (first, second) = (FakeHolder(missing: 1 << 20), FakeHolder(missing: 500))
            let third = FakeHolder(missing: 100)
            #expect(memory.update(first, holding: 400_000) && memory.update(second, holding: 500_000))
            #expect(!memory.isExceeded && !first.isPaused && !second.isPaused)
            expectTrue(memory.update(second, holding: 700_000))
            #expect(memory.isExceeded && first.isPaused && !second.isPaused)
            #expect(!memory.update(third, holding: 60_000) && !third.isPaused)
            // Connections with large broadcasts, which do not count, would otherwise write again and again.
            expectEqual(third.freeCount, 0)
            #expect(memory.update(third, holding: 70_000) && third.isPaused)
            // The message of the second connection is complete.
            second.missingBytes = nil
            expectFalse(memory.update(second, holding: 0))
            #expect(!memory.isExceeded && !first.isPaused && !third.isPaused)
        }
    }

    @Test(
        "when a message is complete, the next one continues, unless the echo is unread and leaves no room",
        arguments: [(540_000, false), (600_000, true)])
    func next(heldBytes: Int, isPaused: Bool) throws {
        try withMemory { loop, memory in
            let (first, second) = (FakeHolder(missing: 500), FakeHolder(missing: 600))
            for holder in [first, second] { _ = memory.update(holder, holding: heldBytes) }
            #expect(!first.isPaused && second.isPaused)
            first.missingBytes = nil
            _ = memory.update(first, holding: heldBytes)
            expectEqual(second.isPaused, isPaused)
            second.isKeptWaiting = true
            first.didFree = { [unowned first] in memory.remove(first) }
            loop.advance(by: .seconds(6))
            #expect(first.isFreed && !second.isPaused)
            memory.remove(second)
        }
    }

    @Test("broadcasts count once, and unread ones keep messages waiting until their readers are abandoned")
    func broadcasts() throws {
        try withMemory { loop, memory in
            let (sender, readers) = (FakeHolder(missing: 500), [FakeHolder(missing: nil), FakeHolder(missing: nil)])
            memory.broadcasts.byteCount = 900_000
            for reader in readers {
                reader.sharedBytes = 900_000
                reader.didFree = {
                    memory.remove(reader)
                    if readers.allSatisfy(\.isFreed) { memory.broadcasts.byteCount = 0 }
                }
                #expect(memory.update(reader, holding: 0) && !memory.isExceeded)
            }
            #expect(memory.update(sender, holding: 300_000) && memory.isExceeded && sender.isPaused)
            sender.isKeptWaiting = true
            loop.advance(by: .seconds(8))
            #expect(readers.allSatisfy(\.isFreed) && !sender.isFreed && !sender.isPaused)
            memory.remove(sender)
            for reader in readers { reader.didFree = nil }
        }
    }

    @Test("a shared message counts as long as a queue refers to it")
    func sharedMessage() throws {
        try withMemory { _, memory in
            let holder = FakeHolder(missing: nil)
            var queues = [WriteQueue(), WriteQueue()]
            for _ in 0..<2 {
                let bytes = SharedBytes(
                    buffer(of: [UInt8](repeating: 1, count: 600_000)), countedBy: memory.broadcasts)
                for queue in queues {
                    var none = ByteBuffer()
                    queue.append(bytes, after: &none)
                }
            }
            holder.sharedBytes = queues[0].broadcastBytes
            #expect(memory.update(holder, holding: 0) && memory.isExceeded)
            queues = []
            holder.sharedBytes = 0
            #expect(!memory.update(holder, holding: 0) && !memory.isExceeded)
        }
    }

    @Test("connections that hold memory without progress are abandoned, and the others continue")
    func stalling() throws {
        try withMemory { loop, memory in
            let holders = (1...4).map { FakeHolder(missing: 100 * $0) }
            for holder in holders { holder.didFree = { [unowned holder] in memory.remove(holder) } }
            for (holder, size) in zip(holders, [300_000, 300_000, 200_000, 250_000]) {
                _ = memory.update(holder, holding: size)
            }
            expectTrue(memory.isExceeded)
            // Input of the second waits in the kernel, and the first sends a few bytes now and then.
            holders[1].isKeptWaiting = true
            loop.advance(by: .seconds(4))
            holders[0].movedBytes += 10_000
            #expect(!holders[1].isPaused && holders.allSatisfy { !$0.isFreed })
            loop.advance(by: .seconds(2))
            // 750 KB are below 7/8 of the limit.
            expectEqual(holders.map(\.isFreed), [true, false, false, false])
            #expect(!memory.isExceeded && !holders[1].isPaused && !holders[2].isPaused)
            for holder in holders { memory.remove(holder) }
        }
    }

    @Test("a connection that makes progress is kept, however slow it is compared with others")
    func slow() throws {
        try withMemory { loop, memory in
            let (slow, other) = (FakeHolder(missing: 100), FakeHolder(missing: nil))
            for holder in [slow, other] { _ = memory.update(holder, holding: 600_000) }
            other.didFree = { [unowned other] in memory.remove(other) }
            for _ in 0..<4 {
                loop.advance(by: .seconds(3))
                slow.movedBytes += HeldMemory.uncountedBytes
            }
            #expect(!slow.isFreed && other.isFreed)
            memory.remove(slow)
        }
    }

    @Test("the part of a client that is not counted is not free for each stream of an HTTP/2 connection")
    func streams() throws {
        try withMemory { _, memory in
            let holder = FakeHolder(missing: nil)
            holder.uncountedBytes = HeldMemory.uncountedBytes(amongStreams: 8)
            #expect(!memory.update(holder, holding: 8 << 10) && memory.update(holder, holding: 9 << 10))
            memory.remove(holder)
            let freeBytes = (1...1000).reduce(0) { $0 + HeldMemory.uncountedBytes(amongStreams: $1) }
            #expect(HeldMemory.uncountedBytes(amongStreams: 1) == HeldMemory.uncountedBytes && freeBytes < 5 << 20)
        }
    }

    // MARK: Connections

    @Test("unfinished messages that inflate hold little more than the limit, and a legal message arrives among them")
    func inflation() throws {
        try withLoop { loop in
            let limitBytes = 4 << 20
            let resources = ConnectionResources(on: loop, memory: HeldMemory(limitBytes: limitBytes, on: loop))
            let deflater = ReferenceDeflater(windowBits: 15, keepsContext: false)
            let data = deflater.deflate([UInt8](repeating: 0x61, count: 1 << 20))
            // The first frame of a message, or all of it.
            let open = { (first: UInt8) throws in
                let (near, far) = try makeStreamPair(.tcp, on: loop)
                let server = Connection(
                    far, settings: .init(role: .server, limits: .server), deflate: DeflateParameters(),
                    resources: resources, handler: RecordingPeer())
                var bytes = ByteBuffer()
                bytes.append(masked(frame(first, data)).span.bytes)
                try near.write(&bytes)
                server.start()
                return (near, server)
            }
            let attackers = try (0..<12).map { _ in try open(0x41) }
            loop.settle()
            let heldBytes = { attackers.map { $0.1.handler.end == nil ? $0.1.heldBytes : 0 }.reduce(0, +) }
            #expect(limitBytes..<limitBytes + (5 << 20) ~= heldBytes())
            let legal = try open(0xC1)
            loop.advance { legal.1.handler.messageCount == 1 }
            loop.advance { heldBytes() <= limitBytes }
            expectNil(legal.1.handler.end)
            #expect(attackers.allSatisfy { $0.1.handler.messageCount == 0 })
            for (near, server) in attackers + [legal] {
                server.terminate()
                near.close()
            }
            loop.runOnce()
        }
    }

    @Test(
        "unread echoes hold little more than the limit, also when their clients close",
        arguments: [false, true])
    func unreadEchoes(closes: Bool) throws {
        try withLoop { loop in
            let limitBytes = 4 << 20
            let message = masked(frame(0x82, [UInt8](repeating: 0x61, count: 1 << 20)))
            let close = closes ? masked(frame(0x88, [])) : []
            let resources = ConnectionResources(on: loop, memory: HeldMemory(limitBytes: limitBytes, on: loop))
            let pairs = try (0..<12).map { _ in
                let (near, far) = try makeStreamPair(on: loop)
                let handler = RecordingPeer()
                handler.remembersMessages = false
                handler.onMessage = echo
                let server = Connection(
                    far, settings: .init(role: .server, limits: .server), resources: resources, handler: handler)
                var bytes = ByteBuffer()
                bytes.append((message + close).span.bytes)
                try near.write(&bytes)
                server.start()
                return (near, server)
            }
            let heldBytes = { pairs.map { $0.1.handler.end == nil ? $0.1.heldBytes : 0 }.reduce(0, +) }
            var peakBytes = 0
            // Those that close are dropped after a second, the others after five. Then other messages are read.
            loop.advance {
                peakBytes = max(peakBytes, heldBytes())
                return pairs.allSatisfy { $0.1.handler.messageCount == 1 }
            }
            #expect(limitBytes..<limitBytes + (2 << 20) ~= peakBytes)
            for (near, server) in pairs {
                server.terminate()
                near.close()
            }
            loop.runOnce()
        }
    }

    @Test("an echo that is nearly all taken counts with its whole storage", arguments: [false, true])
    func nearlyTaken(isBehindAnother: Bool) throws {
        try withLoop { loop in
            let resources = ConnectionResources(on: loop, memory: HeldMemory(limitBytes: 4 << 20, on: loop))
            let (near, far) = try makeStreamPair(on: loop)
            let peer = StreamRecorder()
            near.delegate = peer
            let handler = RecordingPeer()
            handler.remembersMessages = false
            handler.onMessage = echo
            let server = Connection(
                far, settings: .init(role: .server, limits: .server), resources: resources, handler: handler)
            let messageBytes = 1 << 20
            let count = isBehindAnother ? 2 : 1
            let message = masked(frame(0x82, [UInt8](repeating: 0x61, count: messageBytes)))
            var bytes = ByteBuffer()
            for _ in 0..<count { bytes.append(message.span.bytes) }
            try near.write(&bytes)
            server.start()
            loop.run { handler.messageCount == count }
            peer.didChange = { [unowned peer] in
                if peer.received.count > (count - 1) * messageBytes + 600_000 { $0.stopReading() }
            }
            near.startReading()
            loop.run { peer.received.count > (count - 1) * messageBytes + 600_000 }
            loop.settle()
            #expect(1...messageBytes ~= server.queuedBytes)
            #expect(server.heldBytes >= messageBytes)
            peer.didChange = { _ in }
            near.startReading()
            loop.run { peer.received.count > count * messageBytes }
            loop.settle()
            expectEqual(server.heldBytes, 0)
            server.terminate()
            near.close()
            loop.runOnce()
        }
    }

    private func withMemory(_ body: (EventLoop, HeldMemory) throws -> Void) throws {
        try withLoop { loop in try body(loop, HeldMemory(limitBytes: 1_000_000, on: loop)) }
    }

    private func holding(_ bytes: Int, missing: Int? = nil, stall: Duration = .zero) -> HeldMemory.Holding {
        HeldMemory.Holding(outputBytes: bytes, missingBytes: missing, stallTime: stall)
    }
}

extension HeldMemory {
    fileprivate func update(_ holder: FakeHolder, holding byteCount: Int) -> Bool {
        holder.byteCount = byteCount
        return update(holder)
    }
}

private final class FakeHolder: MemoryHolder {
    var uncountedBytes = HeldMemory.uncountedBytes
    /// The size of the incomplete message; otherwise, the size of the output.
    var byteCount = 0
    var sharedBytes = 0
    var missingBytes: Int?
    var movedBytes = 0
    var isKeptWaiting = false
    var incompleteBytes: Int { missingBytes == nil ? 0 : byteCount }
    var outputBytes: Int { byteCount - incompleteBytes }
    private(set) var isPaused = false
    private(set) var isFreed = false
    private(set) var freeCount = 0
    var didFree: (() -> Void)?

    init(missing: Int?) {
        missingBytes = missing
    }

    func pauseForMemory() { isPaused = true }
    func resumeAfterMemory() { isPaused = false }
    func memoryIsFree() {
        isPaused = false
        freeCount += 1
    }
    func freeMemory() {
        isFreed = true
        didFree?()
    }
}
