import Testing
import WSCore

@Suite struct UTF8ConformanceTests {
    @Test(
        "RFC 6455 §8.1, Autobahn 6.1–6.3: a text is judged as a whole, however it is cut into frames",
        arguments: fragmented, Role.allCases)
    func cut(_ testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    @Test(
        "RFC 6455 §8.1, Autobahn 6.4: the byte that makes a text invalid fails the connection, whatever is to follow",
        arguments: failFast, Role.allCases)
    func failsFast(_ testCase: FailFast, role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = EchoHandler()
        let writes = testCase.writes(to: role)
        try session.receive(writes.valid, handler: &handler)
        let isSilent = session.outbox.bytes.isEmpty
        #expect(isSilent, "what is valid so far is not judged yet")
        #expect(throws: ProtocolError.invalidText) { try session.receive(writes.fatal, handler: &handler) }
        let close = closeFrame(1007, "\(ProtocolError.invalidText)")
        #expect(contents(of: session.outbox.bytes) == wire([close], sentBy: role))
        try session.receive(writes.rest, handler: &handler)
        #expect(contents(of: session.outbox.bytes) == wire([close], sentBy: role))
    }

    @Test(
        "RFC 3629, Autobahn 6.5–6.23: a text in one frame is echoed when it is UTF-8", arguments: NumberedText.all,
        Role.allCases)
    func text(_ testCase: NumberedText, role: Role) {
        let sent = frame(0x81, testCase.bytes)
        let conformance =
            testCase.failsAt == nil
            ? ConformanceCase(testCase.number, echoing: [sent])
            : ConformanceCase(testCase.number, [sent], .violation(.invalidText, 1007))
        conformance.expectConformance(of: role)
    }

    @Test("RFC 3629, Autobahn 6.5–6.23: an invalid text fails with its first invalid byte", arguments: NumberedText.all)
    func firstInvalidByte(of testCase: NumberedText) {
        var validator = UTF8Validator()
        let failsAt = testCase.bytes.indices.first {
            !validator.validate(testCase.bytes.span.bytes.extracting($0...$0))
        }
        // A text that is cut short fails at its end, where there is no byte.
        #expect(failsAt ?? (validator.isAtBoundary ? nil : testCase.bytes.count) == testCase.failsAt)
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

    /// An invalid text in three parts: the first is valid so far, and the second makes it invalid.
    struct FailFast: Sendable, CustomTestStringConvertible {
        let number: String
        let validBytes: Int
        let fatalBytes: Int
        let isInOneFrame: Bool

        var testDescription: String { number }

        private static let text = UTF8Vectors.kosme + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)

        /// The parts as they travel, each in a frame of its own or all in one.
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
