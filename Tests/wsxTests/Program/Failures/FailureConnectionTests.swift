import SessionSupport
import Testing
import WSCore

@testable import UserInterface

/// The failures that ends of connections count as, and whether another connection follows.
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
        /// ThreadSanitizer reads at the address of an `inout` argument, and that of an empty value is arbitrary.
        private var padding = 0

        mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {}
        mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {}
        mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {}
        mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {}
    }

    private func kind(_ end: ConnectionEnd) -> String? {
        Failure.failure(of: end, closeTimeout: .seconds(5))?.kind.rawValue
    }

    @Test("Codes 1000 and 1001 are normal ends, and only 1001 causes a reconnect", arguments: [1000, 1001])
    func normalClose(code: UInt16) {
        let end = ConnectionEnd(closing: Self.closing(received: code))
        #expect(kind(end) == nil)
        #expect((Failure.interruption(by: end) != nil) == (code == 1001))
    }

    @Test(
        "Only codes of a server that fails, restarts, or is overloaded cause a reconnect",
        arguments: [
            (1011, true), (1012, true), (1013, true), (1014, true), (1002, false), (1008, false), (4000, false),
        ])
    func abnormalClose(code: UInt16, isComeBackTo: Bool) {
        let end = ConnectionEnd(closing: Self.closing(received: code))
        #expect(kind(end) == "closed")
        #expect((Failure.interruption(by: end) != nil) == isComeBackTo)
    }

    @Test(
        "Further codes cause a reconnect, but failures without a code do not",
        arguments: [
            (1000, .only([1000]), true), (4000, .only([1000]), false), (1012, .only([]), true), (4000, .all, true),
        ] as [(UInt16, RetriedCodes, Bool)])
    func retriedCodes(code: UInt16, codes: RetriedCodes, isComeBackTo: Bool) {
        let end = ConnectionEnd(closing: Self.closing(received: code))
        #expect((Failure.interruption(by: end, codes) != nil) == isComeBackTo)
        #expect(!codes.retries(.closingTimedOut(after: .zero)))
    }

    @Test("A connection without a close frame is lost and causes a reconnect")
    func lost() {
        for failure in [nil, StreamError.system(.connectionReset)] {
            let end = ConnectionEnd(closing: ClosingHandshake(), failure: failure)
            #expect(kind(end) == "lost")
            #expect(Failure.interruption(by: end)?.kind == .lost)
        }
    }

    @Test("Our own close frame rules out a reconnect, whatever the answer", arguments: [nil, 1000, 1001, 1012])
    func closedHere(received: UInt16?) {
        let closing = Self.closing(sent: 1000, received: received, startedHere: true)
        #expect(closing.wasStartedHere)
        #expect(Failure.interruption(by: ConnectionEnd(closing: closing)) == nil)
        #expect(Failure.interruption(by: ConnectionEnd(closing: closing, failure: .system(.connectionReset))) == nil)
    }

    @Test("Dropping the connection after our close frame is normal, but ignoring the frame is not")
    func unanswered() {
        let closing = Self.closing(sent: 1000, startedHere: true)
        #expect(kind(ConnectionEnd(closing: closing)) == nil)
        #expect(kind(ConnectionEnd(closing: closing, closingTimedOut: true)) == "timeout")
        #expect(kind(ConnectionEnd(closing: closing, failure: .system(.connectionReset))) == "lost")
    }

    @Test("A protocol violation is final")
    func violation() {
        let end = ConnectionEnd(closing: ClosingHandshake(), violation: .invalidText)
        #expect(kind(end) == "protocol")
        #expect(Failure.interruption(by: end) == nil)
    }

    @Test("A violation of HTTP/2 is final, and an end of the stream or its connection is a loss")
    func http2Violation() {
        func end(_ error: HTTP2Error) -> ConnectionEnd {
            ConnectionEnd(closing: ClosingHandshake(), failure: .protection(error))
        }
        for error in [HTTP2Error.violation(reason: "x"), .head(.tooManyFields(maximum: 1))] {
            #expect(kind(end(error)) == "protocol")
            #expect(Failure.interruption(by: end(error)) == nil)
        }
        for error in [HTTP2Error.reset(code: 8), .goAway(code: 11, debugData: "")] {
            #expect(kind(end(error)) == "lost")
            #expect(Failure.interruption(by: end(error))?.kind == .lost)
        }
    }
}
