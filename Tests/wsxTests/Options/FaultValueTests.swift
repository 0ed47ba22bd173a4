import CommandLine
import Testing

@testable import UserInterface

@Suite struct FaultValueTests {
    @Test(
        "A delay is a duration or a range of durations",
        arguments: [
            ("250ms", .milliseconds(250) ... .milliseconds(250)), ("2", .seconds(2) ... .seconds(2)),
            ("100ms-2s", .milliseconds(100) ... .seconds(2)), ("0-1s", .zero ... .seconds(1)),
            ("1s-1s", .seconds(1) ... .seconds(1)), ("0.1s..1.5s", .milliseconds(100) ... .milliseconds(1500)),
        ] as [(String, ClosedRange<Duration>)])
    func delay(text: String, expected: ClosedRange<Duration>) throws {
        #expect(try DelayValue.parse(text) == expected)
    }

    @Test(
        "Other texts are not delays",
        arguments: [
            "", "-", "x", "1s-", "-1s", "2s-1s", "100-500ms", "1s-2s-3s", "1s–2s", "1 s", "1s..", "1..2..3", "1...2",
            "1-2..3",
        ])
    func noDelay(text: String) {
        #expect(throws: ValueProblem.notADelay) { try DelayValue.parse(text) }
    }

    @Test(
        "A zero delay, or one that is too long, is out of range", arguments: ["0", "0-0", "1000000001s", "0s"])
    func delayOutOfRange(text: String) {
        #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: false)) { try DelayValue.parse(text) }
    }

    @Test(
        "A rate is a fraction or a percentage",
        arguments: [
            ("0", 0), ("1", 1), ("0.1", 0.1), (".5", 0.5), ("10%", 0.1), ("100%", 1), ("0%", 0), ("0.5%", 0.005),
        ])
    func fraction(text: String, expected: Double) throws {
        #expect(try FractionValue.parse(text) == expected)
    }

    @Test(
        "Other texts are not rates",
        arguments: ["", "%", "x", "2", "1.01", "101%", "-1", "+1", "1e-1", "nan", "inf", "0x1", "10%%", ".", "10 %"])
    func noFraction(text: String) {
        #expect(throws: ValueProblem.notAFraction) { try FractionValue.parse(text) }
    }

    @Test(
        "A limit is a number of messages, or a duration if it has a unit",
        arguments: [
            ("1", .messages(1)), ("2k", .messages(2000)), ("5M", .messages(5_000_000)), ("5m", .time(.seconds(300))),
            ("500ms", .time(.milliseconds(500))), ("5s", .time(.seconds(5))), ("1h", .time(.seconds(3600))),
        ] as [(String, CloseLimit)])
    func closeLimit(text: String, expected: CloseLimit) throws {
        #expect(try CloseLimitValue.parse(text) == expected)
    }

    @Test("Other texts are not limits", arguments: ["", "x", "s", "ms", "1.5", "-1", "5x", "5 s", "1d"])
    func noCloseLimit(text: String) {
        #expect(throws: ValueProblem.notACloseLimit) { try CloseLimitValue.parse(text) }
    }

    @Test("Zero messages and zero time are out of range")
    func closeLimitOutOfRange() {
        #expect(throws: ValueProblem.outOfRange(1...CountValue.largest)) { try CloseLimitValue.parse("0") }
        #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: false)) { try CloseLimitValue.parse("0s") }
    }

    @Test(
        "A rejection is a status with an optional count",
        arguments: [
            ("300", Rejection(status: 300)), ("599", Rejection(status: 599)),
            ("503x1", Rejection(status: 503, count: 1)),
            ("429x1k", Rejection(status: 429, count: 1000)),
        ])
    func rejection(text: String, expected: Rejection) throws {
        #expect(try RejectionValue.parse(text) == expected)
    }

    @Test(
        "Other texts are not rejections",
        arguments: [
            "", "x", "x3", "101", "200", "299", "600", "503x", "503x0", "503x-1", "503X3", "503 x3", "+503", "503x3x3",
        ])
    func noRejection(text: String) {
        #expect(throws: ValueProblem.notARejection) { try RejectionValue.parse(text) }
    }

    @Test("A rate in bytes is a size of at least 64")
    func throttle() throws {
        #expect(try ThrottleValue.parse("64") == 64)
        #expect(try ThrottleValue.parse("256k") == 262_144)
        #expect(throws: ValueProblem.outOfRange(64...SizeValue.largestBytes)) { try ThrottleValue.parse("63") }
        #expect(throws: ValueProblem.notASize) { try ThrottleValue.parse("64kB") }
    }
}
