import Testing
import WSCore

@Suite struct PingConformanceTests {
    @Test("RFC 6455 §5.5, Autobahn 2: pings are answered and pongs are not", arguments: cases, Role.allCases)
    func pings(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    private static let bytes: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]
    private static let longest = [UInt8](repeating: 0xFE, count: 125)
    private static let tenPings = (0..<10).map { frame(0x89, "payload-\($0)") }
    private static let tenPongs = (0..<10).map { frame(0x8A, "payload-\($0)") }
    private static let unsolicited = frame(0x8A, "unsolicited pong payload")

    static let cases: [ConformanceCase] = [
        ConformanceCase("2.1", [frame(0x89)], answers: [frame(0x8A)]),
        ConformanceCase("2.2", [frame(0x89, "Hello, world!")], answers: [frame(0x8A, "Hello, world!")]),
        ConformanceCase("2.3", [frame(0x89, bytes)], answers: [frame(0x8A, bytes)]),
        ConformanceCase("2.4", [frame(0x89, longest)], answers: [frame(0x8A, longest)]),
        ConformanceCase("2.5", [frame(0x89, longest + [0xFE])], .violation(.controlFrameTooLong(.ping), 1002)),
        ConformanceCase("2.6", [frame(0x89, longest)], answers: [frame(0x8A, longest)], chopBytes: 1),
        ConformanceCase("2.7", [frame(0x8A), closeFrame(1000)], .closed(1000)),
        ConformanceCase("2.8", [unsolicited, closeFrame(1000)], .closed(1000)),
        ConformanceCase("2.9", [unsolicited, frame(0x89, "ping payload")], answers: [frame(0x8A, "ping payload")]),
        ConformanceCase("2.10", tenPings, answers: tenPongs),
        ConformanceCase("2.11", tenPings, answers: tenPongs, chopBytes: 1),
    ]
}
