import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct MessageReceiverTests {
    @Test("RFC 6455 §5.7: a single-frame unmasked text message")
    func exampleUnmasked() {
        expect(.client, [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .text("Hello"))
    }

    @Test("RFC 6455 §5.7: a single-frame masked text message")
    func exampleMasked() {
        expect(.server, [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .text("Hello"))
    }

    @Test("RFC 6455 §5.7: a fragmented unmasked text message")
    func exampleFragmented() {
        expect(.client, [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], .text("Hello"))
        expectReceived([[0x01, 0x03, 0x48, 0x65, 0x6C], [0x80, 0x02, 0x6C, 0x6F]], events: [.text("Hello")])
    }

    @Test("RFC 6455 §5.7: an unmasked ping request and its masked answer")
    func examplePing() {
        let ping: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        let key = countedKey(1)
        let payload = zip(Array("Hello".utf8), key + key).map { $0 ^ $1 }
        expect(.client, ping, .ping(Array("Hello".utf8)), answer: [0x8A, 0x85] + key + payload)
        let maskedPing: [UInt8] = [0x89, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        let pong: [UInt8] = [0x8A, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        expect(.server, maskedPing, .ping(Array("Hello".utf8)), answer: pong)
        expect(.server, [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .pong(Array("Hello".utf8)))
    }

    @Test("RFC 6455 §5.7: 256 bytes of binary in one unmasked frame")
    func example256() {
        let payload = (0..<256).map { UInt8($0) }
        expect(.client, [0x82, 0x7E, 0x01, 0x00] + payload, .binary(payload))
        expectReceived([[0x82, 0x7E, 0x01, 0x00] + payload], events: [.binary(payload)])
    }

    @Test("RFC 6455 §5.7: 64 KiB of binary in one unmasked frame")
    func example64KiB() {
        let payload = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = [0x82, 0x7F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00] + payload
        expect(.client, bytes, .binary(payload))
        expectReceived([bytes], events: [.binary(payload)])
    }

    static let lengthsCases: [Int] = [0, 1, 125, 126, 127, 128, 65535, 65536]

    @Test("RFC 6455 §5.2: messages around each length boundary arrive complete", arguments: Self.lengthsCases)
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(0x20 + $0 % 90) }
        expectReceived([frame(0x81, payload)], events: [.message(.text, payload)])
        expectReceived([frame(0x82, payload)], events: [.binary(payload)])
    }

    @Test("RFC 6455 §5.6: 64 KiB that arrive in chunks of 997 bytes form one message")
    func chunks() {
        let payload = [UInt8](repeating: 0x2A, count: 65536)
        for role in Role.allCases {
            let bytes = wire([frame(0x81, payload), frame(0x82, payload)], receivedBy: role)
            let chunks = stride(from: 0, to: bytes.count, by: 997).map { bytes[$0..<min($0 + 997, bytes.count)] }
            let actual = outcome(of: chunks, receivedBy: role, limits: .client)
            expectEqual(actual, Outcome(events: [.message(.text, payload), .binary(payload)]))
        }
    }

    @Test("RFC 6455 §5.2: messages that arrive together are delivered in order")
    func several() {
        expectReceived(
            [frame(0x81, "one"), frame(0x82, [1]), frame(0x89), frame(0x81), frame(0x8A, "x"), frame(0x81, "two")],
            events: [.text("one"), .binary([1]), .ping([]), .text(""), .pong(Array("x".utf8)), .text("two")],
            answers: [frame(0x8A)])
    }

    @Test("RFC 6455 §5.3: each frame is unmasked with its own key")
    func keys() {
        let bytes = masked(frame(0x01, "ab"), key: [1, 2, 3, 4]) + masked(frame(0x80, "cdefg"), key: [9, 8, 7, 6])
        expect(.server, bytes, .text("abcdefg"))
    }

    @Test("RFC 6455 §5.2: a handler receives each header before its payload")
    func headers() throws {
        var session = Session(role: .client, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        try session.receive(frame(0x01, "ab") + frame(0x89) + [0x80, 0x03, 0x63], handler: &handler)
        expectEqual(
            handler.headers,
            [
                FrameHeader(isFinal: false, opcode: .text, payloadBytes: 2),
                FrameHeader(opcode: .ping, payloadBytes: 0),
                FrameHeader(opcode: .continuation, payloadBytes: 3),
            ])
        expectEqual(handler.events, [.ping([])])
    }

    @Test("RFC 6455 §5.3: a handler receives the unmasked payload of each frame, in pieces as it arrives")
    func pieces() throws {
        var session = Session(role: .server, limits: .server, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        let bytes = masked(frame(0x01, "abcde"), key: [1, 2, 3, 4]) + masked(frame(0x89, "p"), key: [5, 6, 7, 8])
        try session.receive(bytes.prefix(8), handler: &handler)
        try session.receive(bytes.dropFirst(8), handler: &handler)
        expectEqual(handler.pieces, [Array("ab".utf8), Array("cde".utf8), Array("p".utf8)])
    }

    /// A violation of each kind. `FrameHeader+DecodingTests` and `CloseFrameTests` have all of their inputs.
    static let violations: [(bytes: [UInt8], error: ProtocolError, code: UInt16, reason: String)] = [
        (
            frame(0xF9, "no"), .reservedBits(7), 1002,
            "reserved bits are set (RSV1, RSV2, RSV3) without an extension that uses them"
        ),
        (frame(0x83, "no"), .reservedOpcode(3), 1002, "opcode 3 is reserved"),
        ([0x82, 126, 0, 125], .lengthNotMinimal, 1002, "a frame length is not in its shortest form"),
        ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthTooLarge, 1002, "a frame length is 2^63 or more"),
        (
            frame(0x89, [UInt8](repeating: 0xFE, count: 126)), .controlFrameTooLong(.ping), 1002,
            "a ping frame is longer than 125 bytes"
        ),
        (frame(0x0A, "frag"), .fragmentedControlFrame(.pong), 1002, "a pong frame is fragmented"),
        // Rejected from its header, before the payload arrives.
        ([0x88, 0x01], .closePayloadTooShort, 1002, "a close frame has a payload of one byte"),
        (closeFrame(1005, "no"), .invalidCloseCode(1005), 1002, "close code 1005 must not be sent"),
        (frame(0x88, [0x03, 0xE8, 0xFF]), .invalidCloseReason, 1007, "a close reason is not valid UTF-8"),
    ]

    @Test("RFC 6455 §7.1.7: each violation fails the connection with its close code, after earlier frames")
    func violation() {
        for (bytes, error, code, reason) in Self.violations {
            expectViolation([frame(0x81, "ok"), bytes], error, code: code, reason: reason, events: [.text("ok")])
        }
    }

    @Test("RFC 6455 §5.1: a masked frame fails a client's connection with 1002")
    func maskedServerFrame() {
        let expected = Outcome(
            error: .maskedServerFrame,
            sent: wire([closeFrame(1002, "a frame from the server is masked")], sentBy: .client))
        for chunks in feedings(of: masked(frame(0x81, "Hello"))) {
            expectEqual(outcome(of: chunks, receivedBy: .client, limits: .client), expected)
        }
    }

    @Test("RFC 6455 §5.1: an unmasked frame fails a server's connection with 1002")
    func unmaskedClientFrame() {
        let expected = Outcome(
            error: .unmaskedClientFrame, sent: closeFrame(1002, "a frame from the client is not masked"))
        for chunks in feedings(of: frame(0x81, "Hello")) {
            expectEqual(outcome(of: chunks, receivedBy: .server, limits: .server), expected)
        }
    }

    private func expect(
        _ role: Role, _ bytes: [UInt8], _ event: Event, answer: [UInt8] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = Outcome(events: [event], sent: answer)
        for chunks in feedings(of: bytes) where outcome(of: chunks, receivedBy: role, limits: .client) != expected {
            Issue.record("\(chunks.count) chunks, the first of \(chunks[0].count)", sourceLocation: sourceLocation)
        }
    }
}
