import Testing
import WSCore

@Suite struct MessageReceiverFragmentsTests {
    @Test("RFC 6455 §5.4: fragments are joined, including empty ones")
    func joined() {
        expectReceived([frame(0x01, "frag"), frame(0x80, "ment")], events: [.text("fragment")])
        expectReceived([frame(0x02, [1]), frame(0x00, [2]), frame(0x80, [3])], events: [.binary([1, 2, 3])])
        expectReceived([frame(0x01), frame(0x00), frame(0x80)], events: [.text("")])
        expectReceived([frame(0x01), frame(0x00, "middle"), frame(0x80)], events: [.text("middle")])
        expectReceived([frame(0x01, "first"), frame(0x80)], events: [.text("first")])
        expectReceived([frame(0x02), frame(0x80, [9])], events: [.binary([9])])
    }

    @Test("RFC 6455 §5.4: control frames between fragments are handled immediately")
    func controlBetween() {
        expectReceived(
            [frame(0x01, "a"), frame(0x89, "ping"), frame(0x80, "b")],
            events: [.ping(Array("ping".utf8)), .text("ab")],
            answers: [frame(0x8A, "ping")])
        expectReceived(
            [
                frame(0x01, "a"), frame(0x89, "1"), frame(0x00, "b"), frame(0x8A, "2"), frame(0x89, "3"),
                frame(0x80, "c"),
            ],
            events: [.ping([0x31]), .pong([0x32]), .ping([0x33]), .text("abc")],
            answers: [frame(0x8A, "1"), frame(0x8A, "3")])
    }

    @Test("RFC 6455 §5.4: a fragmented message does not affect the next message")
    func messageAfter() {
        expectReceived(
            [frame(0x01, "a"), frame(0x80, "b"), frame(0x81, "c"), frame(0x02, [1]), frame(0x80), frame(0x82)],
            events: [.text("ab"), .text("c"), .binary([1]), .binary([])])
    }

    @Test("RFC 6455 §5.4: a large message in many fragments arrives complete")
    func many() {
        let payload = (0..<65536).map { UInt8(0x21 + $0 % 90) }
        var frames: [[UInt8]] = []
        for start in stride(from: 0, to: payload.count, by: 1300) {
            let end = min(start + 1300, payload.count)
            let first: UInt8 = (start == 0 ? 0x01 : 0x00) | (end == payload.count ? 0x80 : 0x00)
            frames.append(frame(first, Array(payload[start..<end])))
        }
        expectReceived(frames, events: [.message(.text, payload)])
    }

    @Test("RFC 6455 §5.4: a continuation frame without a message fails the connection with 1002")
    func unexpectedContinuation() {
        let reason = "a continuation frame came without a message to continue"
        for first: UInt8 in [0x80, 0x00] {
            for payload in ["", "stray"] {
                expectViolation(
                    [frame(first, payload), frame(0x81, "x")], .unexpectedContinuation, code: 1002, reason: reason)
            }
        }
        expectViolation(
            [frame(0x81, "whole"), frame(0x80, "stray")], .unexpectedContinuation, code: 1002, reason: reason,
            events: [.text("whole")])
        expectViolation(
            [frame(0x01, "a"), frame(0x80, "b"), frame(0x80, "stray")], .unexpectedContinuation, code: 1002,
            reason: reason, events: [.text("ab")])
    }

    @Test("RFC 6455 §5.4: a new message within a fragmented one fails the connection with 1002")
    func expectedContinuation() {
        for (first, opcode, name): (UInt8, Opcode, String) in [
            (0x81, .text, "text"), (0x82, .binary, "binary"), (0x01, .text, "text"), (0x02, .binary, "binary"),
        ] {
            expectViolation(
                [frame(0x01, "a"), frame(0x89, "p"), frame(first, "b"), frame(0x80, "c")],
                .expectedContinuation(opcode), code: 1002, reason: "a \(name) frame came inside a fragmented message",
                events: [.ping([0x70])], answers: [frame(0x8A, "p")])
        }
    }
}
