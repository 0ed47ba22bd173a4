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
        #expect(Phrase.duration(duration) == words)
    }

    @Test(
        "Seconds have one decimal",
        arguments: [(.zero, "0.0 s"), (.milliseconds(349), "0.3 s"), (.milliseconds(9960), "10.0 s")]
            as [(Duration, String)])
    func seconds(duration: Duration, words: String) {
        #expect(Phrase.seconds(duration) == words)
    }

    @Test("One is singular, and other numbers are plural", arguments: [(0, "0 pings"), (1, "1 ping"), (2, "2 pings")])
    func counts(count: Int, words: String) {
        #expect(Phrase.count(count, "ping") == words)
    }

    @Test(
        "Numbers have commas",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (-1_234_567, "-1,234,567")])
    func groups(number: Int, text: String) {
        #expect(Phrase.grouped(number) == text)
    }
}
