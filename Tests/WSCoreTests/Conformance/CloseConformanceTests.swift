import Testing
import WSCore

@Suite struct CloseConformanceTests {
    @Test(
        "RFC 6455 §5.5.1, Autobahn 7: a close frame is answered once, and later frames are not",
        arguments: cases, Role.allCases)
    func closing(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    static let cases = behaviour + payloads + validCodes + invalidCodes

    private static let hello = frame(0x81, "Hello World!")
    private static let close = closeFrame(1000)
    private static let large = frame(0x81, String(repeating: "BAsd7&jh23", count: 26_215).prefix(256 << 10).description)

    private static let behaviour: [ConformanceCase] = [
        ConformanceCase("7.1.1", echoing: [hello]),
        ConformanceCase("7.1.2", [close, frame(0x88)], .closed(1000)),
        ConformanceCase("7.1.3", [close, frame(0x89)], .closed(1000)),
        ConformanceCase("7.1.4", [close, hello], .closed(1000)),
        ConformanceCase("7.1.5", [frame(0x01, "fragment1"), close, frame(0x80, "fragment2")], .closed(1000)),
        // The suite does not specify whether the messages are echoed. Those before the close frame are.
        ConformanceCase("7.1.6", [large, hello, close, frame(0x89)], answers: [large, hello], .closed(1000)),
    ]

    private static let payloads: [ConformanceCase] = [
        ConformanceCase("7.3.1", [frame(0x88)], .closed(nil)),
        ConformanceCase("7.3.2", [frame(0x88, "a")], .violation(.closePayloadTooShort, 1002)),
        ConformanceCase("7.3.3", [close], .closed(1000)),
        ConformanceCase("7.3.4", [closeFrame(1000, "Hello World!")], .closed(1000)),
        ConformanceCase("7.3.5", [closeFrame(1000, String(repeating: "*", count: 123))], .closed(1000)),
        ConformanceCase(
            "7.3.6", [closeFrame(1000, String(repeating: "*", count: 124))],
            .violation(.controlFrameTooLong(.close), 1002)),
        // The suite also accepts 1002.
        ConformanceCase(
            "7.5.1", [frame(0x88, [0x03, 0xE8] + UTF8Vectors.kosme + [0xED, 0xA0, 0x80] + Array("edited".utf8))],
            .violation(.invalidCloseReason, 1007)),
    ]

    // The suite also accepts 1000 as the answer.
    private static let validCodes = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999,
    ].enumerated().map { index, code in
        ConformanceCase("7.7.\(index + 1)", [closeFrame(code)], .closed(code))
    }

    private static let invalidCodes: [ConformanceCase] =
        ([
            "7.9.1": 0, "7.9.2": 999, "7.9.3": 1004, "7.9.4": 1005, "7.9.5": 1006, "7.9.6": 1016, "7.9.7": 1100,
            "7.9.8": 2000, "7.9.9": 2999,
            // The suite does not specify the outcome for these.
            "7.13.1": 5000, "7.13.2": 65_535,
        ] as KeyValuePairs).map { number, code in
            ConformanceCase(number, [closeFrame(code)], .violation(.invalidCloseCode(code), 1002))
        }
}
