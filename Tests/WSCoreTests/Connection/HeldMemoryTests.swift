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
        #expect(HeldMemory.nearestEnd(of: holdings) == 2)
        #expect(HeldMemory.nearestEnd(of: [3: holding(5000)]) == nil)
        #expect(HeldMemory.nearestEnd(of: [Int: HeldMemory.Holding]()) == nil)
    }

    @Test("a connection that makes no progress continues only if all others make none either")
    func nearestMovingEnd() {
        var holdings = [1: holding(900, missing: 1, stall: .milliseconds(1)), 2: holding(900, missing: 500)]
        #expect(HeldMemory.nearestEnd(of: holdings) == 2)
        holdings[2] = holding(900, missing: 500, stall: .seconds(1))
        #expect(HeldMemory.nearestEnd(of: holdings) == 1)
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
            #expect(HeldMemory.stalled(of: holdings, excessBytes: excess) == expected)
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
            #expect(memory.update(second, holding: 700_000))
            #expect(memory.isExceeded && first.isPaused && !second.isPaused)
            #expect(!memory.update(third, holding: 60_000) && !third.isPaused)
            // Connections with large broadcasts, which do not count, would otherwise write again and again.
            #expect(third.freeCount == 0)
            #expect(memory.update(third, holding: 70_000) && third.isPaused)
            // The message of the second connection is complete.
            second.missingBytes = nil
            #expect(!memory.update(second, holding: 0))
            #expect(!memory.isExceeded && !first.isPaused && !third.isPaused)
        }
    }

    @Test("the next message continues when one is complete, although its echo is not read")
    func next() throws {
        try withMemory { _, memory in
            let (first, second) = (FakeHolder(missing: 500), FakeHolder(missing: 600))
            for holder in [first, second] { _ = memory.update(holder, holding: 600_000) }
            #expect(!first.isPaused && second.isPaused)
            first.missingBytes = nil
            _ = memory.update(first, holding: 600_000)
            #expect(!second.isPaused)
        }
    }

    @Test("connections that hold memory without progress are abandoned, and the others continue")
    func stalling() throws {
        try withMemory { loop, memory in
            let holders = (1...4).map { FakeHolder(missing: 100 * $0) }
            for holder in holders { holder.didFree = { memory.remove(holder) } }
            for (holder, size) in zip(holders, [300_000, 300_000, 200_000, 250_000]) {
                _ = memory.update(holder, holding: size)
            }
            #expect(memory.isExceeded)
            // Input of the second waits in the kernel, and the first sends a few bytes now and then.
            holders[1].isKeptWaiting = true
            loop.advance(by: .seconds(4))
            holders[0].movedBytes += 10_000
            #expect(!holders[1].isPaused && holders.allSatisfy { !$0.isFreed })
            loop.advance(by: .seconds(2))
            // 750 KB are below 7/8 of the limit.
            #expect(holders.map(\.isFreed) == [true, false, false, false])
            #expect(!memory.isExceeded && !holders[1].isPaused && !holders[2].isPaused)
            for holder in holders { memory.remove(holder) }
        }
    }

    @Test("a connection that makes progress is kept, however slow it is compared with others")
    func slow() throws {
        try withMemory { loop, memory in
            let (slow, other) = (FakeHolder(missing: 100), FakeHolder(missing: nil))
            for holder in [slow, other] { _ = memory.update(holder, holding: 600_000) }
            other.didFree = { memory.remove(other) }
            for _ in 0..<4 {
                loop.advance(by: .seconds(3))
                slow.movedBytes += HeldMemory.uncountedBytes
            }
            #expect(!slow.isFreed && other.isFreed)
            memory.remove(slow)
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
            loop.advance { heldBytes() < limitBytes }
            #expect(legal.1.handler.end == nil)
            #expect(attackers.allSatisfy { $0.1.handler.messageCount == 0 })
            for (near, server) in attackers + [legal] {
                server.terminate()
                near.close()
            }
        }
    }

    private func withMemory(_ body: (EventLoop, HeldMemory) throws -> Void) throws {
        try withLoop { loop in try body(loop, HeldMemory(limitBytes: 1_000_000, on: loop)) }
    }

    private func holding(_ bytes: Int, missing: Int? = nil, stall: Duration = .zero) -> HeldMemory.Holding {
        HeldMemory.Holding(heldBytes: bytes, missingBytes: missing, stallTime: stall)
    }
}

extension HeldMemory {
    fileprivate func update(_ holder: FakeHolder, holding byteCount: Int) -> Bool {
        holder.heldBytes = byteCount
        return update(holder)
    }
}

private final class FakeHolder: MemoryHolder {
    var heldBytes = 0
    var missingBytes: Int?
    var movedBytes = 0
    var isKeptWaiting = false
    private(set) var isPaused = false
    private(set) var isFreed = false
    private(set) var freeCount = 0
    var didFree: (() -> Void)?

    init(missing: Int?) {
        missingBytes = missing
    }

    func pauseReading(for reasons: PauseReasons) { isPaused = true }
    func resumeReading(after reasons: PauseReasons) { isPaused = false }
    func memoryIsFree() {
        isPaused = false
        freeCount += 1
    }
    func freeMemory() {
        isFreed = true
        didFree?()
    }
}
