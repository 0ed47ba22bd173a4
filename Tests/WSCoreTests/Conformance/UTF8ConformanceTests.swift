import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct UTF8ConformanceTests {
    @Test(
        "RFC 6455 §8.1, Autobahn 6.1–6.3: text is validated as a whole, however it is fragmented",
        arguments: fragmented, Role.allCases)
    func cut(_ testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    @Test(
        "RFC 6455 §8.1, Autobahn 6.4: text fails the connection at its first invalid byte, before the message ends",
        arguments: failFast, Role.allCases)
    func failsFast(_ testCase: FailFast, role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = EchoHandler()
        let writes = testCase.writes(to: role)
        try session.receive(writes.valid, handler: &handler)
        let isSilent = session.outbox.bytes.isEmpty
        expectTrue(isSilent, "valid bytes must not fail the connection")
        #expect(throws: ProtocolError.invalidText) { try session.receive(writes.fatal, handler: &handler) }
        let close = closeFrame(1007, "\(ProtocolError.invalidText)")
        expectEqual(contents(of: session.outbox.bytes), wire([close], sentBy: role))
        try session.receive(writes.rest, handler: &handler)
        expectEqual(contents(of: session.outbox.bytes), wire([close], sentBy: role))
    }

    @Test(
        "RFC 3629, Autobahn 6.5–6.23: text in one frame is echoed if it is valid UTF-8", arguments: NumberedText.all,
        Role.allCases)
    func text(_ testCase: NumberedText, role: Role) {
        let sent = frame(0x81, testCase.bytes)
        let conformance =
            testCase.failsAt == nil
            ? ConformanceCase(testCase.number, echoing: [sent])
            : ConformanceCase(testCase.number, [sent], .violation(.invalidText, 1007))
        conformance.expectConformance(of: role)
    }

    @Test("RFC 3629, Autobahn 6.5–6.23: invalid text fails at its first invalid byte", arguments: NumberedText.all)
    func firstInvalidByte(of testCase: NumberedText) {
        var validator = UTF8Validator()
        let failsAt = testCase.bytes.indices.first {
            !validator.validate(testCase.bytes.span.bytes.extracting($0...$0))
        }
        // Truncated text fails at its end, one past its last byte.
        expectEqual(failsAt ?? (validator.isAtBoundary ? nil : testCase.bytes.count), testCase.failsAt)
    }

    static var numbers: [String] { fragmented.map(\.number) + failFast.map(\.number) + NumberedText.all.map(\.number) }

    // MARK: 6.1–6.3

    private static let hello = Array("Hello-µ@ßöäüàá-UTF-8!!".utf8)
    private static let helloHalves = [frame(0x01, "Hello-µ@ßöä"), frame(0x80, "üàá-UTF-8!!")]
    private static let surrogate = UTF8Vectors.kosme + [0xED, 0xA0, 0x80] + Array("edited".utf8)
    private static let invalid = ConformanceCase.Ending.violation(.invalidText, 1007)

    private static let fragmented: [ConformanceCase] = [
        ConformanceCase("6.1.1", echoing: [frame(0x81)]),
        ConformanceCase("6.1.2", [frame(0x01), frame(0x00), frame(0x80)], answers: [frame(0x81)]),
        ConformanceCase(
            "6.1.3", [frame(0x01), frame(0x00, "middle frame payload"), frame(0x80)],
            answers: [frame(0x81, "middle frame payload")]),
        ConformanceCase("6.2.1", echoing: [frame(0x81, hello)]),
        ConformanceCase("6.2.2", helloHalves, answers: [frame(0x81, hello)]),
        ConformanceCase("6.2.3", fragments(.text, hello, of: 1), answers: [frame(0x81, hello)]),
        ConformanceCase(
            "6.2.4", fragments(.text, UTF8Vectors.kosme, of: 1), answers: [frame(0x81, UTF8Vectors.kosme)]),
        ConformanceCase("6.3.1", [frame(0x81, surrogate)], invalid),
        ConformanceCase("6.3.2", fragments(.text, surrogate, of: 1), invalid),
    ]

    // MARK: 6.4

    /// Invalid text in three parts: a valid prefix, the part that makes it invalid, and the rest.
    struct FailFast: Sendable, CustomTestStringConvertible {
        let number: String
        let validBytes: Int
        let fatalBytes: Int
        let isInOneFrame: Bool

        var testDescription: String { number }

        private static let text = UTF8Vectors.kosme + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)

        /// The parts on the wire, in separate frames or in one.
        func writes(to role: Role) -> (valid: [UInt8], fatal: [UInt8], rest: [UInt8]) {
            let text = Self.text
            let fatalEnd = validBytes + fatalBytes
            if isInOneFrame {
                let whole = wire([frame(0x81, text)], receivedBy: role)
                let start = whole.count - text.count
                return (
                    Array(whole[..<(start + validBytes)]), Array(whole[(start + validBytes)..<(start + fatalEnd)]),
                    Array(whole[(start + fatalEnd)...])
                )
            }
            return (
                wire([frame(0x01, Array(text[..<validBytes]))], receivedBy: role),
                wire([frame(0x00, Array(text[validBytes..<fatalEnd]))], receivedBy: role),
                wire([frame(0x80, Array(text[fatalEnd...]))], receivedBy: role)
            )
        }
    }

    private static let failFast = [
        FailFast(number: "6.4.1", validBytes: 11, fatalBytes: 4, isInOneFrame: false),
        FailFast(number: "6.4.2", validBytes: 12, fatalBytes: 1, isInOneFrame: false),
        FailFast(number: "6.4.3", validBytes: 11, fatalBytes: 4, isInOneFrame: true),
        FailFast(number: "6.4.4", validBytes: 12, fatalBytes: 1, isInOneFrame: true),
    ]
}
