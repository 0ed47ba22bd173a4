import Testing
import WSCore

@testable import wsx

/// What the ends of connections count as, and which of them another connection follows.
@Suite struct FailureConnectionTests {
    private static func closing(sent: UInt16? = nil, received: UInt16? = nil, startedHere: Bool = false)
        -> ClosingHandshake
    {
        var session = Session(
            role: .client, limits: Limits(maximumMessageBytes: 100), maskingKeys: MaskingKeySource { _ in })
        var handler = Ignorance()
        func send() {
            guard let sent else { return }
            session.outbox.sendClose(CloseFrame(code: CloseCode(rawValue: sent)))
        }
        if startedHere { send() }
        if let received {
            var frame: [UInt8] = [0x88, 2, UInt8(received >> 8), UInt8(received & 0xFF)]
            frame.withUnsafeMutableBytes { pointer in
                var bytes = pointer.mutableBytes
                _ = try? session.receive(&bytes, handler: &handler)
            }
        }
        return session.closing
    }

    private struct Ignorance: SessionHandler {
        mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {}
        mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {}
        mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {}
        mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {}
    }

    private func kind(_ end: ConnectionEnd) -> String? {
        Failure.failure(of: end, closeTimeout: .seconds(5))?.kind
    }

    @Test("a peer that closes with 1000 is done, one that goes away is come back to", arguments: [1000, 1001])
    func normalClose(code: UInt16) {
        let end = ConnectionEnd(closing: Self.closing(received: code))
        #expect(kind(end) == nil)
        #expect((Failure.interruption(by: end) != nil) == (code == 1001))
    }

    @Test(
        "of the codes that tell of trouble, those of a server that stops or restarts are come back to",
        arguments: [
            (1011, true), (1012, true), (1013, true), (1014, true), (1002, false), (1008, false), (4000, false),
        ])
    func abnormalClose(code: UInt16, isComeBackTo: Bool) {
        let end = ConnectionEnd(closing: Self.closing(received: code))
        #expect(kind(end) == "closed")
        #expect((Failure.interruption(by: end) != nil) == isComeBackTo)
    }

    @Test("a connection without a close frame is lost, and come back to")
    func lost() {
        for failure in [nil, StreamError.system(.connectionReset)] {
            let end = ConnectionEnd(closing: ClosingHandshake(), failure: failure)
            #expect(kind(end) == "lost")
            #expect(Failure.interruption(by: end)?.kind == "lost")
        }
    }

    @Test("no connection follows after our own close frame, whatever became of it", arguments: [nil, 1000, 1001, 1012])
    func closedHere(received: UInt16?) {
        let closing = Self.closing(sent: 1000, received: received, startedHere: true)
        #expect(closing.wasStartedHere)
        #expect(Failure.interruption(by: ConnectionEnd(closing: closing)) == nil)
        #expect(Failure.interruption(by: ConnectionEnd(closing: closing, failure: .system(.connectionReset))) == nil)
    }

    @Test("our close frame that is dropped is a normal end, one that is ignored is not")
    func unanswered() {
        let closing = Self.closing(sent: 1000, startedHere: true)
        #expect(kind(ConnectionEnd(closing: closing)) == nil)
        #expect(kind(ConnectionEnd(closing: closing, closingTimedOut: true)) == "timeout")
        #expect(kind(ConnectionEnd(closing: closing, failure: .system(.connectionReset))) == "lost")
    }

    @Test("a violation is final")
    func violation() {
        let end = ConnectionEnd(closing: ClosingHandshake(), violation: .invalidText)
        #expect(kind(end) == "protocol")
        #expect(Failure.interruption(by: end) == nil)
    }
}
