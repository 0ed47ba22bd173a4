import Testing
import WSCore

@testable import wsx

@Suite struct OutputTurnsTests {
    @Test("a client that fills the output goes on when it has room, and a turn in which nobody else fills it is over")
    func one() throws {
        try withTurns { loop, host, turns in
            turns.didFill(with: 1)
            turns.didFill(with: 1)
            #expect(host.paused == [1])
            #expect(turns.isOutputWaitedFor)
            loop.runOnce()
            loop.runOnce()
            #expect(host.resumed == [], "there is no room yet")
            turns.didDrain()
            #expect(!turns.isOutputWaitedFor)
            loop.turn { !host.resumed.isEmpty }
            #expect(host.resumed == [1])
        }
    }

    @Test("clients that fill the output one after the other wait until all others have had a turn")
    func several() throws {
        try withTurns { loop, host, turns in
            for client in 1...3 {
                turns.didFill(with: client)
                turns.didDrain()
                loop.runOnce()
                #expect(host.resumed == [])
            }
            #expect(host.paused == [1, 2, 3])
            loop.turn { !host.resumed.isEmpty }
            #expect(Set(host.resumed) == [1, 2, 3])
        }
    }

    @Test("whoever goes on may fill the output again, and then waits again")
    func again() throws {
        try withTurns { loop, host, turns in
            for round in 1...3 {
                turns.didFill(with: 1)
                turns.didDrain()
                loop.turn { host.resumed.count == round }
            }
            #expect(host.paused == [1, 1, 1])
            #expect(host.resumed == [1, 1, 1])
        }
    }

    private func withTurns(_ body: (EventLoop, RecordingBroadcastHost, OutputTurns) throws -> Void) throws {
        let loop = try EventLoop()
        let host = RecordingBroadcastHost(on: loop)
        try body(loop, host, OutputTurns(of: host))
    }
}
