import TestSupport
import Testing

@testable import CommandLine

@Suite struct DurationValueTests {
    static let validCases: [(String, Duration)] = [
        ("250ms", Duration.milliseconds(250)), ("500us", .microseconds(500)), ("5s", .seconds(5)),
        ("2m", .seconds(120)), ("1h", .seconds(3600)),
        ("1.5s", .milliseconds(1500)), ("0.5ms", .microseconds(500)), ("7", .seconds(7)),
        ("0.25", .milliseconds(250)),
        ("0", .zero), ("0ms", .zero), ("0.000000001s", .nanoseconds(1)),
        ("1.000000001h", .nanoseconds(3_600_000_003_600)),
        ("007s", .seconds(7)),
    ]

    @Test("Each unit, a fraction, and a bare number of seconds are accepted", arguments: Self.validCases)
    func valid(text: String, duration: Duration) throws {
        try expectEqual(DurationValue.parse(text), duration)
    }

    static let malformedCases: [String] = [
        "", "s", "ms", "5x", "5 s", " 5", "-1s", "+1s", "1.s", ".5s", "1.5.5s", "1e3", "5S", "5sec", "1,5s", "٣s",
        "0.0000000001s", "inf", "forever", "5\u{1B}s",
    ]

    @Test("Other texts are not durations", arguments: Self.malformedCases)
    func malformed(text: String) {
        #expect(throws: ValueProblem.notADuration(orForever: false)) { try DurationValue.parse(text) }
    }

    @Test("The maximum duration is a billion seconds, in any unit") func longest() throws {
        try expectEqual(DurationValue.parse("1000000000s"), DurationValue.longest)
        try expectEqual(DurationValue.parse("1000000000000ms"), DurationValue.longest)
        for text in [
            "1000000000.000000001s", "1000000001", "1000000000001ms", "300000h", "99999999999999999999999999h",
        ] {
            #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: true)) { try DurationValue.parse(text) }
        }
    }

    @Test("Zero is rejected where a positive duration is required") func zero() throws {
        for text in ["0", "0s", "0.000ms"] {
            #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: false)) {
                try DurationValue.parse(text, zeroAllowed: false)
            }
        }
        #expect(try DurationValue.parse("0.000000001ms", zeroAllowed: false) > .zero)
    }
}
