import Testing

@testable import Formats

@Suite struct PhraseTests {
    @Test(
        "durations read as they would be typed",
        arguments: [
            (.zero, "0 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"), (.milliseconds(1500), "1.500 s"),
            (.seconds(600), "600 s"), (.microseconds(1499), "1 ms"),
        ] as [(Duration, String)])
    func durations(duration: Duration, words: String) {
        #expect(Phrase.duration(duration) == words)
    }

    @Test("one thing is singular, any other number plural", arguments: [(0, "0 pings"), (1, "1 ping"), (2, "2 pings")])
    func counts(count: Int, words: String) {
        #expect(Phrase.count(count, "ping") == words)
    }
}
