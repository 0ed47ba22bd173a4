import TestSupport
import Testing

@testable import Conversation

@Suite struct UnsentLinesTests {
    private func line(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("Input lines come back in order when the connection ends: those that the session has held, then the queue")
    func order() {
        var lines = UnsentLines()
        lines.enqueue(line("c"), wasSent: false)
        lines.hold(2, line("b"), .input(wasSent: true))
        lines.hold(1, line("a"), .input(wasSent: false))
        lines.hold(3, line("x"), .request)
        expectEqual(lines.waitingCount, 4)
        let input = lines.connectionEnded(waitingFor: .subscription)
        expectEqual(input.map(\.payload), ["a", "b", "c"].map(line))
        expectEqual(input.map(\.wasSent), [false, true, false])
        #expect(lines.waitingCount == 0 && !lines.hasQueued)
    }

    @Test("A message of the command line counts until it has been sent on some connection")
    func operands() {
        var lines = UnsentLines()
        lines.hold(1, line("a"), .operand(1))
        let dropped = lines.drop([1])
        expectEqual(dropped, 1)
        lines.connectionStarted()
        let summary = lines.summary(waitingFor: .login)
        #expect(summary?.count == 1 && summary?.cause == .refusal)
        lines.operandSent(1)
        expectNil(lines.summary(waitingFor: .login))
    }

    @Test("Dropped requests do not count, because their error reply says so, and waiting ones count")
    func requests() {
        var lines = UnsentLines()
        lines.hold(1, line("a"), .request)
        lines.hold(2, line("b"), .request)
        let dropped = lines.drop([1])
        expectEqual(dropped, 0)
        expectEqual(lines.summary(waitingFor: .subscription)?.count, 1)
        _ = lines.connectionEnded(waitingFor: .subscription)
        expectEqual(lines.summary(waitingFor: .subscription)?.count, 1)
        lines.connectionStarted()
        expectNil(lines.summary(waitingFor: .subscription))
    }

    @Test("Lines that were sent on an earlier connection may have arrived, while they wait and after they are dropped")
    func earlierConnection() {
        var lines = UnsentLines()
        lines.hold(1, line("a"), .input(wasSent: false))
        let first = lines.summary(waitingFor: .subscription)
        lines.hold(2, line("b"), .input(wasSent: true))
        let second = lines.summary(waitingFor: .subscription)
        _ = lines.drop([2])
        let third = lines.summary(waitingFor: .subscription)
        expectEqual(first, UnsentLines.Summary(count: 1, cause: .subscription, mayHaveArrived: false))
        expectEqual(second, UnsentLines.Summary(count: 2, cause: .subscription, mayHaveArrived: true))
        expectEqual(third, UnsentLines.Summary(count: 2, cause: .refusal, mayHaveArrived: true))
    }

    @Test("The first cause counts")
    func causes() {
        var lines = UnsentLines()
        lines.drop(2, because: .login)
        lines.hold(1, line("a"), .input(wasSent: false))
        _ = lines.drop([1])
        let summary = lines.summary(waitingFor: .subscription)
        #expect(summary?.count == 3 && summary?.cause == .login)
    }
}
