import Testing

@testable import Peer

@Suite struct ErrorLinesTests {
    @Test("Lines have the prefix, however they are split, and the last one needs no newline")
    func lines() {
        #expect(Self.shown(["one\ntwo\n\nth", "ree"]) == "> one\n> two\n> \n> three\n")
        #expect(Self.shown(Array("one\ntwo\n").map { String($0) }) == "> one\n> two\n")
        #expect(Self.shown([]) == "")
    }

    @Test("Control characters are escaped")
    func controls() {
        #expect(Self.shown(["a\u{1B}[2J\r\u{9B}b\u{202E}\tc\n"]) == "> a\\u{1B}[2J\\u{D}\\u{9B}b\\u{202E}\\u{9}c\n")
    }

    @Test("A line that is too long is split, and none of its bytes is kept for long")
    func longLines() {
        let limit = ErrorLines.maximumLineBytes
        let text = String(repeating: "x", count: limit * 2 + 1)
        let pieces = ["> " + text.prefix(limit), "> " + text.prefix(limit), "> x"].joined(separator: "\n") + "\n"
        #expect(Self.shown([text + "\n"]) == pieces)
        #expect(Self.shown([text]) == pieces)
        var lines = ErrorLines(prefix: "")
        let endless = [UInt8](repeating: 0x78, count: limit)
        #expect(lines.take(endless.span.bytes).lines.utf8.count == limit + 1)
    }

    @Test("UTF-8 characters are not split", arguments: ["ä", "水", "🎈"])
    func characters(character: String) {
        for offset in 0..<4 {
            let line = String(repeating: "x", count: offset) + String(repeating: character, count: 3000)
            let shown = Self.shown([line + "\n"])
            #expect(!shown.contains("\u{FFFD}"))
            #expect(shown.replacing("> ", with: "").replacing("\n", with: "") == line)
        }
    }

    @Test("Only the requested number of lines is taken at once, and the rest later")
    func budget() {
        let text = Array("one\ntwo\nthree\n".utf8)
        var lines = ErrorLines(prefix: "")
        let (first, takenBytes) = lines.take(text.span.bytes, atMost: 2)
        #expect(first == "one\ntwo\n")
        #expect(takenBytes == 8)
        let (rest, restBytes) = lines.take(text.span.bytes.extracting(droppingFirst: takenBytes), atMost: 2)
        #expect(rest == "three\n")
        #expect(restBytes == 6)
    }

    private static func shown(_ pieces: [String]) -> String {
        var lines = ErrorLines(prefix: "> ")
        var shown = ""
        for piece in pieces { shown += lines.take(Array(piece.utf8).span.bytes).lines }
        return shown + lines.finish()
    }
}
