import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectionEndTests {
    @Test("RFC 6455 §7.1.5: without a close frame, the code is 1006 and the end is not clean")
    func lost() {
        let end = ConnectionEnd(closing: closing(sent: CloseFrame(code: .normalClosure), received: nil))
        expectEqual(end.code, .abnormalClosure)
        expectEqual(end.reason, "")
        expectFalse(end.isClean)
    }

    @Test("RFC 6455 §7.1.4: with both close frames, the end is clean unless a violation caused it")
    func complete() {
        let frame = CloseFrame(code: .goingAway, reason: "bye")
        let both = closing(sent: CloseFrame(code: .goingAway), received: frame)
        expectTrue(ConnectionEnd(closing: both).isClean)
        expectEqual(ConnectionEnd(closing: both).code, .goingAway)
        expectEqual(ConnectionEnd(closing: both).reason, "bye")
        expectFalse(ConnectionEnd(closing: both, violation: .invalidText).isClean)
    }

    @Test("RFC 6455 §7.1.5: the code is 1005 if the close frame has none")
    func noCode() {
        let end = ConnectionEnd(closing: closing(sent: nil, received: CloseFrame(code: nil)))
        expectEqual(end.code, .noStatus)
        expectFalse(end.isClean)
    }

    private func closing(sent: CloseFrame?, received: CloseFrame?) -> ClosingHandshake {
        var closing = ClosingHandshake()
        closing.sent = sent
        closing.received = received
        return closing
    }
}
