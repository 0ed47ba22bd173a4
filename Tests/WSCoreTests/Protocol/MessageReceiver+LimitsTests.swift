import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct MessageReceiverLimitsTests {
    @Test("RFC 6455 §10.4: a message of exactly the maximum size is accepted, in one frame and in several")
    func exactSize() {
        let limits = Limits(maximumMessageBytes: 10)
        expectReceived([frame(0x81, "0123456789")], limits: limits, events: [.text("0123456789")])
        expectReceived([frame(0x01, "01234"), frame(0x80, "56789")], limits: limits, events: [.text("0123456789")])
        expectReceived([frame(0x01, "0123456789"), frame(0x80)], limits: limits, events: [.text("0123456789")])
        expectReceived(
            [frame(0x82, "0123456789"), frame(0x81, "0123456789")], limits: limits,
            events: [.binary(Array("0123456789".utf8)), .text("0123456789")])
        expectReceived(
            [frame(0x81), frame(0x89, "ping")], limits: Limits(maximumMessageBytes: 0),
            events: [.text(""), .ping(Array("ping".utf8))], answers: [frame(0x8A, "ping")])
    }

    @Test("RFC 6455 §10.4: a message one byte over the limit fails the connection with 1009 at the frame's header")
    func oneFrameTooBig() {
        let limits = Limits(maximumMessageBytes: 10)
        let reason = "a message is larger than 10 bytes"
        // Only the header, without any payload.
        expectViolation([[0x82, 0x0B]], limits: limits, .messageTooBig(limit: 10), code: 1009, reason: reason)
        expectViolation(
            [frame(0x01, "0123456789a")], limits: limits, .messageTooBig(limit: 10), code: 1009, reason: reason)
        expectEqual(ProtocolError.messageTooBig(limit: 1).description, "a message is larger than 1 byte")
    }

    @Test("RFC 6455 §10.4: fragments that exceed the limit by one byte in total fail the connection with 1009")
    func sumTooBig() {
        let limits = Limits(maximumMessageBytes: 10)
        let reason = "a message is larger than 10 bytes"
        expectViolation(
            [frame(0x01, "01234"), [0x80, 0x06]], limits: limits, .messageTooBig(limit: 10), code: 1009, reason: reason)
        expectViolation(
            [frame(0x01, "0123456789"), frame(0x89), frame(0x00), frame(0x00, "a")], limits: limits,
            .messageTooBig(limit: 10), code: 1009, reason: reason, events: [.ping([])], answers: [frame(0x8A)])
    }

    @Test("RFC 6455 §5.2: the maximum encodable length fails the connection with 1009")
    func largestLength() {
        let header: [UInt8] = [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let reason = "a message is larger than 67108864 bytes"
        expectViolation([header], .messageTooBig(limit: 64 << 20), code: 1009, reason: reason)
        let continuation: [UInt8] = [0x80, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        expectViolation(
            [frame(0x02, [1, 2, 3]), continuation], .messageTooBig(limit: 64 << 20), code: 1009, reason: reason)
    }

    @Test("RFC 6455 §10.4: a message with exactly the maximum number of fragments is accepted")
    func exactFragments() {
        let limits = Limits(maximumFragments: 3)
        let frames = [frame(0x01, "a"), frame(0x89), frame(0x00, "b"), frame(0x80, "c")]
        expectReceived(
            frames + frames, limits: limits, events: [.ping([]), .text("abc"), .ping([]), .text("abc")],
            answers: [frame(0x8A), frame(0x8A)])
        expectReceived([frame(0x81, "a")], limits: Limits(maximumFragments: 1), events: [.text("a")])
    }

    @Test("RFC 6455 §10.4: one fragment too many fails the connection with 1008")
    func tooManyFragments() {
        expectViolation(
            [frame(0x01, "a"), frame(0x00, "b"), frame(0x00, "c"), frame(0x80, "d")],
            limits: Limits(maximumFragments: 3), .tooManyFragments(limit: 3), code: 1008,
            reason: "a message has more than 3 fragments")
        expectViolation(
            [frame(0x01), frame(0x80)], limits: Limits(maximumFragments: 1), .tooManyFragments(limit: 1), code: 1008,
            reason: "a message has more than 1 fragment")
    }

    @Test("RFC 6455 §10.4: ten million empty fragments stop at the limit")
    func emptyFragments() {
        for role in Role.allCases {
            var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
            var handler = CountingHandler()
            let chunk = wire(Array(repeating: frame(0x00), count: 10_000), receivedBy: role)
            var errors: [ProtocolError] = []
            for round in 0..<1000 {
                do throws(ProtocolError) {
                    if round == 0 { try session.receive(wire([frame(0x01)], receivedBy: role), handler: &handler) }
                    try session.receive(chunk, handler: &handler)
                } catch {
                    errors.append(error)
                }
            }
            expectEqual(errors, [.tooManyFragments(limit: 131_072)])
            expectEqual(handler.headerCount, 131_072)
            expectEqual(handler.messageCount, 0)
            let close = closeFrame(1008, "a message has more than 131072 fragments")
            expectEqual(contents(of: session.outbox.bytes), wire([close], sentBy: role))
        }
    }
}

/// Counts events.
struct CountingHandler: SessionHandler {
    var messageCount = 0
    var headerCount = 0

    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) { messageCount += 1 }
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {}
    mutating func receivedHeader(_ header: FrameHeader) { headerCount += 1 }
}
