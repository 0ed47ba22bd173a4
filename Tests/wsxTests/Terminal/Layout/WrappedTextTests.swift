import Testing

@testable import UserInterface

@Suite struct WrappedTextTests {
    @Test(
        "Lines break at spaces, and within words that are longer than a line",
        arguments: [
            ("one two three", 8, ["one two", "three"]), ("one two", 7, ["one two"]), ("", 5, [""]),
            ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a bcdefghijkl", 8, ["a", "bcdefghi", "jkl"]),
            ("a\nb\n\nc", 9, ["a", "b", "", "c"]), ("水水水", 4, ["水水", "水"]), ("水", 1, ["水"]),
            ("one  two", 4, ["one ", "two"]), ("   abcdef", 5, ["   ab", "cdef"]),
            (
                "Connected to wss://h/ in 5 ms (TLS 1.3, permessage-deflate).", 29,
                ["Connected to wss://h/ in 5 ms", "(TLS 1.3,", "permessage-deflate)."]
            ),
        ])
    func breaks(text: String, columns: Int, expected: [String]) {
        let (lines, isComplete) = WrappedText.lines(of: text, columns: columns)
        #expect(lines == expected)
        #expect(isComplete)
    }

    @Test("The first line can be shorter, and lines beyond the limit are missing")
    func limits() {
        #expect(WrappedText.lines(of: "abcdefgh", columns: 4, firstColumns: 2).lines == ["ab", "cdef", "gh"])
        #expect(WrappedText.lines(of: "abcd ef", columns: 4, firstColumns: 2).lines == ["", "abcd", "ef"])
        let (lines, isComplete) = WrappedText.lines(of: "a\nb\nc", columns: 4, rows: 2)
        #expect(lines == ["a", "b"])
        #expect(!isComplete)
    }

    @Test(
        "An escaped control character does not break across lines",
        arguments: [
            ("abc\\u{1B}[2J", 6, ["abc", "\\u{1B}", "[2J"]), ("\\u{202E}\\u{9B}", 9, ["\\u{202E}", "\\u{9B}"]),
            ("ab\\u{10FFFF}", 10, ["ab", "\\u{10FFFF}"]), ("\\u{1B}", 3, ["\\", "u{1", "B}"]),
            ("ab\\u{xyz}", 5, ["ab\\u{", "xyz}"]),
        ])
    func escapes(text: String, columns: Int, expected: [String]) {
        #expect(WrappedText.lines(of: text, columns: columns).lines == expected)
    }

    @Test("Text is not cut within an escaped control character")
    func cutEscapes() {
        #expect(DisplayWidth.prefix(of: "ab\\u{1B}c", columns: 7) == "ab")
        #expect(DisplayWidth.prefix(of: "ab\\u{1B}c", columns: 8) == "ab\\u{1B}")
    }
}
