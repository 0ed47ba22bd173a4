import TestSupport
import Testing

@testable import Formats

@Suite struct PhraseTests {
    @Test(
        "Durations read as users type them",
        arguments: [
            (.zero, "0 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"), (.milliseconds(1500), "1.500 s"),
            (.seconds(600), "600 s"), (.microseconds(1499), "1 ms"),
        ] as [(Duration, String)])
    func durations(duration: Duration, words: String) {
        expectEqual(Phrase.duration(duration), words)
    }

    @Test(
        "Seconds have one decimal",
        arguments: [(.zero, "0.0 s"), (.milliseconds(349), "0.3 s"), (.milliseconds(9960), "10.0 s")]
            as [(Duration, String)])
    func seconds(duration: Duration, words: String) {
        expectEqual(Phrase.seconds(duration), words)
    }

    @Test(
        "Latencies have three significant digits",
        arguments: [
            (.zero, "0.00 us"), (.microseconds(412), "412 us"), (.nanoseconds(999_600), "1.00 ms"),
            (.microseconds(41_160), "41.2 ms"), (.microseconds(99_960), "100 ms"), (.microseconds(999_400), "999 ms"),
            (.microseconds(999_600), "1.00 s"), (.nanoseconds(2_007_964_000), "2.01 s"), (.seconds(125), "125 s"),
        ] as [(Duration, String)])
    func latencies(duration: Duration, words: String) {
        expectEqual(Phrase.latency(duration), words)
    }

    @Test("One is singular, and other numbers are plural", arguments: [(0, "0 pings"), (1, "1 ping"), (2, "2 pings")])
    func counts(count: Int, words: String) {
        expectEqual(Phrase.count(count, "ping"), words)
    }

    @Test(
        "Numbers have commas",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (-1_234_567, "-1,234,567")])
    func groups(number: Int, text: String) {
        expectEqual(Phrase.grouped(number), text)
    }
}
