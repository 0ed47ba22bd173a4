import Testing
import WSCore

@Suite struct FragmentationConformanceTests {
    @Test(
        "RFC 6455 §5.4, Autobahn 5: fragments are joined, and frames that do not belong fail the connection",
        arguments: cases, Role.allCases)
    func fragmentation(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    // The suite sends some sequences three times: in one write, one frame per write, and one byte per write.
    private static let two = [frame(0x01, "fragment1"), frame(0x80, "fragment2")]
    private static let twoAroundPing = [two[0], frame(0x89, "ping payload"), two[1]]
    private static let joined = [frame(0x81, "fragment1fragment2")]
    private static let pongAndJoined = [frame(0x8A, "ping payload")] + joined
    private static let strayEnd = [frame(0x80, "non-continuation payload"), frame(0x81, "Hello, world!")]
    private static let strayMiddle = [frame(0x00, "non-continuation payload"), frame(0x81, "Hello, world!")]
    private static let stray = ConformanceCase.Ending.violation(.unexpectedContinuation, 1002)
    private static let strayAndMessage = [frame(0x01, "fragment2"), frame(0x80, "fragment3")]

    private static let five = [
        frame(0x01, "fragment1"), frame(0x00, "fragment2"), frame(0x89, "pongme 1!"), frame(0x00, "fragment3"),
        frame(0x00, "fragment4"), frame(0x89, "pongme 2!"), frame(0x80, "fragment5"),
    ]
    private static let fiveAnswers = [
        frame(0x8A, "pongme 1!"), frame(0x8A, "pongme 2!"),
        frame(0x81, "fragment1fragment2fragment3fragment4fragment5"),
    ]

    static let cases: [ConformanceCase] = [
        ConformanceCase(
            "5.1", [frame(0x09, "fragment1"), two[1]], .violation(.fragmentedControlFrame(.ping), 1002)),
        ConformanceCase(
            "5.2", [frame(0x0A, "fragment1"), two[1]], .violation(.fragmentedControlFrame(.pong), 1002)),
        ConformanceCase("5.3", two, answers: joined),
        ConformanceCase("5.4", two, answers: joined),
        ConformanceCase("5.5", two, answers: joined, chopBytes: 1),
        ConformanceCase("5.6", twoAroundPing, answers: pongAndJoined),
        ConformanceCase("5.7", twoAroundPing, answers: pongAndJoined),
        ConformanceCase("5.8", twoAroundPing, answers: pongAndJoined, chopBytes: 1),
        ConformanceCase("5.9", strayEnd, stray),
        ConformanceCase("5.10", strayEnd, stray),
        ConformanceCase("5.11", strayEnd, stray, chopBytes: 1),
        ConformanceCase("5.12", strayMiddle, stray),
        ConformanceCase("5.13", strayMiddle, stray),
        ConformanceCase("5.14", strayMiddle, stray, chopBytes: 1),
        ConformanceCase(
            "5.15", two + [frame(0x00, "fragment3"), frame(0x81, "fragment4")], answers: joined, stray),
        ConformanceCase(
            "5.16", Array(repeating: [frame(0x00, "fragment1")] + strayAndMessage, count: 2).flatMap(\.self), stray),
        ConformanceCase(
            "5.17", Array(repeating: [frame(0x80, "fragment1")] + strayAndMessage, count: 2).flatMap(\.self), stray),
        ConformanceCase(
            "5.18", [frame(0x01, "fragment1"), frame(0x81, "fragment2")],
            .violation(.expectedContinuation(.text), 1002)),
        ConformanceCase("5.19", five, answers: fiveAnswers),
        ConformanceCase("5.20", five, answers: fiveAnswers),
    ]
}
