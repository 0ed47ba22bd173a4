import Testing

@testable import UserInterface

@Suite struct HistoryFormatTests {
    @Test("Entries survive a round trip, whatever their lines look like")
    func roundTrip() {
        let lines = [
            "one", "two\nlines", "#1700000000", "a\n#5\n\\#6\n\\\\#7\n#x", "\n", "ends\n", "\\", "# comment", " ",
            "zwölf\t水",
        ]
        let entries = lines.enumerated().map {
            HistoryEntry(time: 1_700_000_000 + $0.offset, line: Array($0.element.utf8))
        }
        #expect(HistoryFormat.entries(in: HistoryFormat.bytes(of: entries)) == entries)
    }

    @Test("The format is that of bash")
    func form() {
        let entry = HistoryEntry(time: 5, line: Array("a\n#1\nb".utf8))
        #expect(HistoryFormat.bytes(of: entry) == Array("#5\na\n\\#1\nb\n".utf8))
    }

    @Test("A file without timestamps has one entry per line")
    func plain() {
        let lines = HistoryFormat.entries(in: Array("one\n\ntwo\n# three\nfour".utf8)).map {
            String(decoding: $0.line, as: UTF8.self)
        }
        #expect(lines == ["one", "two", "# three", "four"])
    }

    @Test("An entry with the maximum number of lines is parsed quickly, and a longer one is skipped")
    func manyLines() {
        let lines = [UInt8](repeating: 0x0A, count: HistoryFormat.maximumEntryBytes)
        let entry = HistoryEntry(time: 1, line: lines)
        #expect(HistoryFormat.entries(in: HistoryFormat.bytes(of: entry)) == [entry])
        let longer = HistoryFormat.bytes(of: [HistoryEntry(time: 1, line: lines + [0x0A]), entry])
        #expect(HistoryFormat.entries(in: longer) == [entry])
    }

    @Test("Invalid entries are skipped, and the others are kept")
    func corrupted() {
        let bytes = Array("#1\n".utf8) + [0xFF, 0x0A] + Array("#2\nnull \0\n#3\n#99999999999999999999\nkept\n#4".utf8)
        #expect(HistoryFormat.entries(in: bytes) == [HistoryEntry(time: 0, line: Array("kept".utf8))])
        let long = Array("#1\n".utf8) + [UInt8](repeating: 0x78, count: HistoryFormat.maximumEntryBytes + 1)
        #expect(HistoryFormat.entries(in: long).isEmpty)
        #expect(HistoryFormat.entries(in: []).isEmpty)
    }
}
