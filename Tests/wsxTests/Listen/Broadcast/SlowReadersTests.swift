import Testing
import WSCore

@testable import Listen

@Suite struct SlowReadersTests {
    /// A client that has taken nothing of a full queue.
    private static let full = ReadingState(takenBytes: 0, unsentBytes: 100, isFull: true)
    /// A client that has taken everything.
    private static let idle = ReadingState(takenBytes: 100, unsentBytes: 0, isFull: false)
    /// A client that has room, and data to take.
    private static let busy = ReadingState(takenBytes: 0, unsentBytes: 50, isFull: false)
    /// The number of checks after which a client is surely kept: ten times the limit.
    private static let manyChecks = 50

    @Test("No sender waits while no queue is full")
    func nobody() throws {
        try withReaders([1: Self.idle]) { _, host, readers in
            readers.hold(1)
            #expect(readers.isEmpty && host.paused == [] && host.resumed == [])
        }
    }

    @Test("The input and the senders wait while a queue is full, and resume when all have room")
    func waiting() throws {
        try withReaders([3: Self.full, 4: Self.full]) { _, host, readers in
            readers.hold(1)
            readers.hold(2)
            #expect(!readers.isEmpty)
            #expect(host.paused == [nil, 1, nil, 2])
            readers.clientDidDrain(3)
            #expect(!readers.isEmpty && host.resumed == [])
            readers.clientDidDrain(4)
            #expect(readers.isEmpty)
            #expect(host.resumed.count == 3 && Set(host.resumed) == [1, 2, nil])
        }
    }

    @Test("A sender does not wait for itself")
    func itself() throws {
        try withReaders([1: Self.full, 3: Self.full]) { _, host, readers in
            readers.hold(1)
            #expect(host.paused == [nil, 1])
            host.readingStates[1]?.isFull = true
            readers.hold(3)
            #expect(host.paused == [nil, 1, nil, 3])
            readers.clientDidDrain(3)
            #expect(host.resumed == [1])
            readers.clientDidDrain(1)
            #expect(host.resumed == [1, 3, nil])
        }
    }

    @Test("With --broadcast=path, a sender waits only for readers of its path, and none is closed for others")
    func paths() throws {
        try withReaders([1: Self.idle, 2: Self.idle, 3: Self.full, 4: Self.full]) { loop, host, readers in
            host.paths = [1: "/a", 2: "/b", 3: "/a", 4: "/b"]
            readers.hold(1)
            readers.hold(2)
            #expect(host.paused == [nil, 1, nil, 2])
            readers.clientDidDrain(3)
            #expect(host.resumed == [1] && !readers.isEmpty)
            // Only the resumed sender has more to send, and not to the full reader.
            host.heldUp = [1]
            var lookCount = 0
            host.willLook = { lookCount += 1 }
            loop.turn { lookCount == Self.manyChecks }
            #expect(host.closed == [])
            host.willLook = {}
            readers.clientDidDrain(4)
            #expect(host.resumed == [1, 2, nil])
        }
    }

    @Test("A client that reads nothing is closed if another has taken everything and the input has more")
    func takesNothing() throws {
        try withReaders([1: Self.idle, 3: Self.full]) { loop, host, readers in
            host.heldUp = [nil]
            readers.hold()
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 reads nothing"])
            #expect(readers.isEmpty && host.resumed == [nil])
        }
    }

    @Test("A client that reads nothing is closed if a sender waits for it")
    func blocksSender() throws {
        try withReaders([1: Self.busy, 3: Self.full]) { loop, host, readers in
            host.heldUp = [1]
            readers.hold(1)
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 reads nothing"])
            #expect(readers.isEmpty && Set(host.resumed) == [1, nil])
        }
    }

    @Test("Clients that pause together are kept while only the input waits")
    func pausedTogether() throws {
        try expectNoneClosed([1: Self.full, 2: Self.full], heldUp: [nil])
    }

    @Test("A client that pauses is kept while the others have data to take")
    func othersAreBusy() throws {
        try expectNoneClosed([1: Self.full, 2: Self.busy], heldUp: [nil])
        var delayed = Self.idle
        delayed.waitsForGate = true
        try expectNoneClosed([1: Self.full, 2: delayed], heldUp: [nil])
    }

    @Test("A client that pauses is kept while nothing more is to be sent")
    func nothingToSend() throws {
        try expectNoneClosed([1: Self.full, 2: Self.idle], heldUp: [], sender: 2)
    }

    @Test("A single client is kept, however slow it is")
    func alone() throws {
        try expectNoneClosed([1: Self.full], heldUp: [nil])
    }

    @Test("Senders that do not read either have no claim on each other")
    func mutual() throws {
        try expectNoneClosed([1: Self.full, 2: Self.full], heldUp: [1, 2], sender: 1)
    }

    @Test("A client that pauses does not change the limits of the others")
    func ownHistory() throws {
        try withReaders([1: Self.idle]) { loop, host, readers in
            host.heldUp = [nil]
            for number in 10..<20 {
                host.readingStates[number] = Self.full
                readers.hold()
                loop.turn { host.closed.last == "\(number) reads nothing" }
            }
            host.closed = []
            // This client takes something between any two checks.
            host.readingStates[2] = Self.full
            var lookCount = 0
            host.willLook = {
                lookCount += 1
                host.readingStates[2]?.takenBytes += 1 << 20
            }
            readers.hold()
            loop.turn { lookCount == Self.manyChecks }
            #expect(host.closed == [])
            host.willLook = {}
        }
    }

    @Test("A client that reads slowly has more time, but not forever")
    func staysBehind() throws {
        try withReaders([1: Self.idle, 3: Self.full]) { loop, host, readers in
            host.heldUp = [nil]
            host.willLook = { host.readingStates[3]?.takenBytes += 1 }
            readers.hold()
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 reads too slowly"])
            host.willLook = {}
        }
    }

    @Test("Senders do not wait for a client that is closing for another reason")
    func left() throws {
        try withReaders([1: Self.idle, 3: Self.full]) { loop, host, readers in
            host.heldUp = [1]
            readers.hold(1)
            host.readingStates[3] = nil
            loop.turn { readers.isEmpty }
            #expect(host.closed == [] && Set(host.resumed) == [1, nil])
        }
    }

    private func expectNoneClosed(
        _ states: [Int: ReadingState], heldUp: Set<Int?>, sender: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withReaders(states) { loop, host, readers in
            var lookCount = 0
            host.heldUp = heldUp
            host.willLook = { lookCount += 1 }
            readers.hold(sender)
            loop.turn { lookCount == Self.manyChecks }
            #expect(host.closed == [] && !readers.isEmpty, sourceLocation: sourceLocation)
            host.willLook = {}
        }
    }

    /// The limits are a few milliseconds.
    private func withReaders(
        _ states: [Int: ReadingState], _ body: (EventLoop, RecordingBroadcastHost, SlowReaders) throws -> Void
    ) throws {
        let loop = try EventLoop()
        let host = RecordingBroadcastHost(on: loop)
        host.readingStates = states
        let limits = ReadingProgress.Limits(stall: .milliseconds(5), slow: .milliseconds(25), slowBytes: 8 << 20)
        try body(loop, host, SlowReaders(of: host, limits: limits, checkInterval: .milliseconds(1)))
    }
}
