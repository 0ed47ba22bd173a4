import Testing
import WSCore

@testable import wsx

@Suite struct SlowReadersTests {
    @Test("No sender waits while no queue is full")
    func nobody() throws {
        try withReaders { _, host, readers in
            readers.hold(1)
            #expect(readers.isEmpty && host.paused == [] && host.resumed == [])
        }
    }

    @Test("The input and the senders wait while a queue is full, and resume when all have room")
    func waiting() throws {
        try withReaders { _, host, readers in
            host.unsentBytes = [3: 100, 4: 100]
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
        try withReaders { _, host, readers in
            host.unsentBytes = [1: 100]
            readers.hold(1)
            #expect(readers.isEmpty && host.paused == [])
        }
    }

    @Test("A client that reads nothing is closed, and the others continue")
    func takesNothing() throws {
        try withReaders { loop, host, readers in
            host.unsentBytes = [3: 100]
            readers.hold(1)
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 takes nothing"])
            #expect(readers.isEmpty && Set(host.resumed) == [1, nil])
        }
    }

    @Test("A client that reads slowly has more time, but not forever")
    func staysBehind() throws {
        try withReaders { loop, host, readers in
            var lookCount = 0
            host.unsentBytes = [3: 1000]
            host.willLook = { number in
                lookCount += 1
                host.unsentBytes[number]? -= 1
            }
            readers.hold(1)
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 stays behind"])
            // One check at the beginning, and one at the end of each of five intervals.
            #expect(lookCount > 3)
            host.willLook = { _ in }
        }
    }

    @Test("A single client is not closed, however slow it is")
    func alone() throws {
        try withReaders { loop, host, readers in
            var lookCount = 0
            host.clientCount = 1
            host.unsentBytes = [1: 100]
            host.willLook = { _ in lookCount += 1 }
            readers.hold()
            loop.turn { lookCount == 8 }
            #expect(host.closed == [] && !readers.isEmpty)
            host.willLook = { _ in }
        }
    }

    @Test("Senders do not wait for a client that is closing for another reason")
    func left() throws {
        try withReaders { loop, host, readers in
            host.unsentBytes = [3: 100]
            readers.hold(1)
            host.unsentBytes = [:]
            loop.turn { readers.isEmpty }
            #expect(host.closed == [] && Set(host.resumed) == [1, nil])
        }
    }

    /// The time limit has reached its minimum.
    private func withReaders(_ body: (EventLoop, RecordingBroadcastHost, SlowReaders) throws -> Void) throws {
        let loop = try EventLoop()
        let host = RecordingBroadcastHost(on: loop)
        var patience = Patience()
        while patience.duration > Patience.least { patience.lose(at: loop.turnTime) }
        try body(loop, host, SlowReaders(of: host, patience: patience))
    }
}
