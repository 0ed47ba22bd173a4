import Testing

@testable import wsx

@Suite struct WrappedTextTests {
    @Test(
        "Lines break at spaces near the end, else anywhere",
        arguments: [
            ("one two three", 8, ["one two", "three"]), ("one two", 7, ["one two"]), ("", 5, [""]),
            ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a bcdefghijkl", 8, ["a bcdefg", "hijkl"]),
            ("a\nb\n\nc", 9, ["a", "b", "", "c"]), ("水水水", 4, ["水水", "水"]), ("水", 1, ["水"]),
            ("one  two", 4, ["one ", "two"]),
        ])
    func breaks(text: String, columns: Int, expected: [String]) {
        let (lines, isComplete) = WrappedText.lines(of: text, columns: columns)
        #expect(lines == expected)
        #expect(isComplete)
    }

    @Test("The first line can be shorter, and lines beyond the limit are missing")
    func limits() {
        #expect(WrappedText.lines(of: "abcdefgh", columns: 4, firstColumns: 2).lines == ["ab", "cdef", "gh"])
        let (lines, isComplete) = WrappedText.lines(of: "a\nb\nc", columns: 4, rows: 2)
        #expect(lines == ["a", "b"])
        #expect(!isComplete)
    }
}
