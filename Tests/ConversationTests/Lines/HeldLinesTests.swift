import TestSupport
import Testing

@testable import Conversation

@Suite struct HeldLinesTests {
    private func line(_ text: String, _ origin: Line.Origin = .input, number: Int = 0, past: Line.Past = .new) -> Line {
        Line(Array(text.utf8), as: .text, number: number, from: origin, past: past)
    }

    @Test("A message of the command line counts until it has been sent on some connection")
    func operands() {
        var lines = LineQueue.Held()
        lines.hold(1, line("a", .operand, number: 1), confirmedBy: .pong)
        let dropped = lines.drop([1])
        expectEqual(dropped, 1)
        lines.connectionOpened()
        expectEqual(lines.summary(waitingFor: .login, others: 0), .unsentLines(1, .refusal))
        lines.hold(5, line("a", .operand, number: 1), confirmedBy: .pong)
        expectEqual(lines.summary(waitingFor: .login, others: 0), .unsentLines(1, .refusal))
        expectNil(lines.sent(5)?.line)
        expectNil(lines.summary(waitingFor: .login, others: 0))
    }

    @Test("Dropped requests do not count, because their error reply says so, and waiting ones count")
    func requests() {
        var lines = LineQueue.Held()
        lines.hold(1, line("a", number: 1), confirmedBy: .pong, isRequest: true)
        lines.hold(2, line("b", number: 2), confirmedBy: .pong, isRequest: true)
        let dropped = lines.drop([1])
        expectEqual(dropped, 0)
        expectEqual(lines.summary(waitingFor: .subscription, others: 0), .unsentLines(1, .subscription))
        let kept = lines.connectionEnded(waitingFor: .subscription)
        expectEmpty(kept)
        expectEqual(lines.summary(waitingFor: .subscription, others: 0), .unsentLines(1, .subscription))
        lines.connectionOpened()
        expectNil(lines.summary(waitingFor: .subscription, others: 0))
    }

    @Test("Lines that were sent on an earlier connection may have arrived, while they wait and after they are dropped")
    func earlierConnection() {
        var lines = LineQueue.Held()
        lines.hold(1, line("a"), confirmedBy: .pong)
        let first = lines.summary(waitingFor: .subscription, others: 0)
        lines.hold(2, line("b", past: .sent), confirmedBy: .pong)
        let second = lines.summary(waitingFor: .subscription, others: 1)
        _ = lines.drop([2])
        let third = lines.summary(waitingFor: .subscription, others: 0)
        expectEqual(first, .unsentLines(1, .subscription))
        expectEqual(second, .unsentLines(3, .subscription, mayHaveArrived: true))
        expectEqual(third, .unsentLines(2, .refusal, mayHaveArrived: true))
    }

    @Test("The first cause counts")
    func causes() {
        var lines = LineQueue.Held()
        lines.drop([line("a"), line("b")], because: .login)
        lines.hold(1, line("a"), confirmedBy: .pong)
        _ = lines.drop([1])
        expectEqual(lines.summary(waitingFor: .subscription, others: 0), .unsentLines(3, .login))
    }
}
