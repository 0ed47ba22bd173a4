import Testing
import WSCore

@testable import Listen

@Suite struct OutputTurnsTests {
    @Test("A client that fills the output resumes at the end of a round without other fillers")
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

    @Test("Clients that fill the output in turn wait until all others have had a turn")
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

    @Test("A client may fill the output again after resuming, and then waits again")
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
