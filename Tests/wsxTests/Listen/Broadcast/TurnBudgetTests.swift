import Testing
import WSCore

@testable import Listen

@Suite struct TurnBudgetTests {
    /// This number of empty messages for a thousand clients is within the budget; one more exceeds it.
    private static let messages =
        (TurnBudget.turnBytes - 1) / (TurnBudget.bytesPerMessage + 1000 * TurnBudget.bytesPerClient)

    @Test("A sender that has used up its share waits for the next turn, then continues")
    func share() throws {
        try withBudget { loop, host, budget in
            spend(Self.messages, of: budget, from: 1)
            #expect(host.paused == [])
            spend(1, of: budget, from: 1)
            #expect(host.paused == [1])
            #expect(!budget.holdsInput)
            loop.turn { !host.resumed.isEmpty }
            #expect(host.resumed == [1])
        }
    }

    @Test("The input waits like a client until it is resumed")
    func input() throws {
        try withBudget { loop, host, budget in
            host.didResume = { _ in #expect(!budget.holdsInput, "the input was resumed without a budget") }
            spend(Self.messages + 1, of: budget, from: nil)
            #expect(host.paused == [nil])
            #expect(budget.holdsInput)
            loop.turn { !host.resumed.isEmpty }
            #expect(host.resumed == [nil])
        }
    }

    @Test("Each turn and each sender has its own budget")
    func renewal() throws {
        try withBudget { loop, host, budget in
            for _ in 0..<3 {
                spend(Self.messages, of: budget, from: 1)
                loop.runOnce()
            }
            #expect(host.paused == [])
            spend(Self.messages, of: budget, from: 1)
            spend(Self.messages, of: budget, from: 2)
            #expect(host.paused == [])
            spend(1, of: budget, from: 2)
            spend(Self.messages + 1, of: budget, from: 1)
            spend(Self.messages + 1, of: budget, from: nil)
            #expect(host.paused == [2, 1, nil])
            loop.turn { host.resumed.count == 3 }
            #expect(host.resumed == [2, 1, nil])
        }
    }

    @Test("The bytes of a message count once per client")
    func bytes() throws {
        try withBudget { _, host, budget in
            budget.spend(TurnBudget.turnBytes / 4, for: 3, from: 1)
            #expect(host.paused == [])
            budget.spend(TurnBudget.turnBytes / 4, for: 1, from: 1)
            #expect(host.paused == [1])
        }
    }

    @Test("A few dozen shown frames use up a turn")
    func shownFrames() throws {
        try withBudget { _, host, budget in
            for _ in 0..<63 { budget.spend(TurnBudget.bytesPerShownFrame, from: 1) }
            #expect(host.paused == [])
            budget.spend(TurnBudget.bytesPerShownFrame, from: 1)
            #expect(host.paused == [1])
        }
    }

    private func spend(_ messages: Int, of budget: TurnBudget, from sender: Int?) {
        for _ in 0..<messages { budget.spend(0, for: 1000, from: sender) }
    }

    private func withBudget(_ body: (EventLoop, RecordingBroadcastHost, TurnBudget) throws -> Void) throws {
        let loop = try EventLoop()
        let host = RecordingBroadcastHost(on: loop)
        try body(loop, host, TurnBudget(of: host))
        withExtendedLifetime(host) { loop.settle() }
    }
}
