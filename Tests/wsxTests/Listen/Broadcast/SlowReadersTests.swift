import Testing
import WSCore

@testable import wsx

@Suite struct SlowReadersTests {
    @Test("while no queue is full, nobody waits")
    func nobody() throws {
        try withReaders { _, host, readers in
            readers.hold(1)
            #expect(readers.isEmpty && host.paused == [] && host.resumed == [])
        }
    }

    @Test("the input and the senders wait while the queue of one is full, and go on when the last has room")
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

    @Test("a sender does not wait for itself")
    func itself() throws {
        try withReaders { _, host, readers in
            host.unsentBytes = [1: 100]
            readers.hold(1)
            #expect(readers.isEmpty && host.paused == [])
        }
    }

    @Test("a client that takes nothing is closed, and the others go on")
    func takesNothing() throws {
        try withReaders { loop, host, readers in
            host.unsentBytes = [3: 100]
            readers.hold(1)
            loop.turn { !host.closed.isEmpty }
            #expect(host.closed == ["3 takes nothing"])
            #expect(readers.isEmpty && Set(host.resumed) == [1, nil])
        }
    }

    @Test("a client that takes something has longer, but not for ever")
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
            // One look as it begins, and one at the end of each of five times.
            #expect(lookCount > 3)
            host.willLook = { _ in }
        }
    }

    @Test("a client that has the server to itself is not closed, however slow it is")
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

    @Test("nobody waits for a client that is being closed for another reason")
    func left() throws {
        try withReaders { loop, host, readers in
            host.unsentBytes = [3: 100]
            readers.hold(1)
            host.unsentBytes = [:]
            loop.turn { readers.isEmpty }
            #expect(host.closed == [] && Set(host.resumed) == [1, nil])
        }
    }

    /// Their patience is the least there is.
    private func withReaders(_ body: (EventLoop, RecordingBroadcastHost, SlowReaders) throws -> Void) throws {
        let loop = try EventLoop()
        let host = RecordingBroadcastHost(on: loop)
        var patience = Patience()
        while patience.duration > Patience.least { patience.lose(at: loop.turnTime) }
        try body(loop, host, SlowReaders(of: host, patience: patience))
    }
}
