import Formats
import Testing

@testable import UserInterface

@Suite struct TextMatchesTests {
    private func matches(of pattern: String, in text: String) throws -> TextMatches {
        TextMatches(of: try Pattern(pattern), in: Array(text.utf8).span.bytes)
    }

    @Test("All matches are found; empty ones are left out")
    func ranges() throws {
        #expect(try matches(of: "a+", in: "aa b a").ranges == [0..<2, 5..<6])
        #expect(try matches(of: "x*", in: "éx").ranges == [2..<3])
        #expect(try matches(of: "^", in: "text").isEmpty)
        #expect(try matches(of: "$", in: "").isEmpty)
        #expect(try matches(of: "a", in: String(repeating: "a", count: 1000)).ranges.count == 100)
    }

    @Test("A character is highlighted with its marks, so parts can be escaped one by one")
    func marks() throws {
        let text = "ab\u{FE0F}\u{FE01}\u{301}c"
        // The selectors take three bytes each.
        #expect(try matches(of: "b", in: text).ranges == [1..<10])
        #expect(try matches(of: "\u{FE01}", in: text).ranges == [1..<10])
        #expect(try matches(of: ".", in: text).ranges == [0..<1, 1..<10, 10..<11])
        #expect(try matches(of: "a", in: "\u{301}a").ranges == [2..<3])
        #expect(try matches(of: "\u{301}", in: "\u{301}a").ranges == [0..<2])
    }

    @Test("A part of the text is split at the ends of matches")
    func pieces() throws {
        let matches = try matches(of: "bc|f", in: "abcdefg")
        #expect(matches.pieces(of: 0..<7).map(\.range) == [0..<1, 1..<3, 3..<5, 5..<6, 6..<7])
        #expect(matches.pieces(of: 0..<7).map(\.isMatch) == [false, true, false, true, false])
        #expect(matches.pieces(of: 2..<5).map(\.range) == [2..<3, 3..<5])
        #expect(matches.pieces(of: 3..<5).map(\.isMatch) == [false])
        #expect(TextMatches.none.pieces(of: 3..<3).map(\.range) == [3..<3])
    }
}

@Suite struct StyledTextTests {
    @Test("A token that fits on a line is not broken, and a longer one fills the lines")
    func wrapping() {
        let palette = Palette(isEnabled: false)
        var text = StyledText("[", palette)
        for number in [111, 222, 333] {
            text.append("\(number)", as: .number)
            text.append(",")
        }
        #expect(text.wrapped(columns: 7, rows: 3)?.map(\.text) == ["[111,", "222,", "333,"])
        #expect(text.wrapped(columns: 7, rows: 2) == nil)
        #expect(text.wrapped(columns: 3, rows: 9)?.map(\.text) == ["[11", "1,2", "22,", "333", ","])
        #expect(StyledText("水水", palette).wrapped(columns: 1, rows: 9) == nil)
    }

    @Test("A character of several scalars that is wider than the rest of a line is not lost")
    func wrappedClusters() {
        let text = String(repeating: "👍\u{1F3FD}", count: 3)
        let lines = StyledText(text, Palette(isEnabled: false)).wrapped(columns: 3, rows: 9) ?? []
        #expect(lines.map(\.text).joined() == text)
    }

    @Test("Text is cut in the middle of its parts")
    func cutting() {
        let palette = Palette(isEnabled: true)
        var token = StyledText("abc", as: .string, palette)
        token.append("def", as: .string, isMatch: true)
        var text = StyledText(palette)
        text.append(token, cutTo: 5)
        #expect(text.text == "\u{1B}[38;5;28mabc\u{1B}[0m\u{1B}[7md…\u{1B}[0m")
        text = StyledText(palette)
        text.append(token, cutTo: 3)
        #expect(text.columns == 3 && text.text == "\u{1B}[38;5;28mab…\u{1B}[0m")
        #expect(token.hasMatch && !text.hasMatch)
        #expect(token.recolored(.quiet).text == "\u{1B}[2mabc\u{1B}[0m\u{1B}[7mdef\u{1B}[0m")
    }
}
