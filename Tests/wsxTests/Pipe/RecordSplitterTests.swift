import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct RecordSplitterTests {
    struct Example: Sendable {
        let format: InputFormat
        let strips: Bool
        let input: String
        let records: [String]

        init(_ format: InputFormat, strips: Bool = false, _ input: String, _ records: [String]) {
            self.format = format
            self.strips = strips
            self.input = input
            self.records = records
        }
    }

    @Test(
        "Input has the same records whole, byte by byte, and split at each offset",
        arguments: [
            Example(.lines, "", []),
            Example(.lines, "\n", [""]),
            Example(.lines, "one\ntwo\n", ["one", "two"]),
            Example(.lines, "one\ntwo", ["one", "two"]),
            Example(.lines, "\n\none\n\n", ["", "", "one", ""]),
            Example(.lines, "one\r\ntwo\r\n", ["one\r", "two\r"]),
            Example(.lines, strips: true, "one\r\ntwo\r\n\r\n\n\r", ["one", "two", "", "", ""]),
            Example(.lines, strips: true, "a\rb\r\r\nc", ["a\rb\r", "c"]),
            Example(.lines, "nul\0is a byte\n", ["nul\0is a byte"]),
            Example(.lines, "grüße\n日本\n", ["grüße", "日本"]),
            Example(.nul, "one\0two\n\0\0", ["one", "two\n", ""]),
            Example(.nul, strips: true, "one\r\0two", ["one\r", "two"]),
            Example(.hex, "00\n\n01", ["00", "", "01"]),
            Example(.json, strips: true, "{}\r\n{}", ["{}\r", "{}"]),
            Example(.message, "", [""]),
            Example(.message, strips: true, "all\nof\0it\r\n", ["all\nof\0it\r\n"]),
        ])
    func split(example: Example) {
        for pieces in Self.feedings(of: Array(example.input.utf8)) {
            let records = Self.records(of: pieces, example.format, strips: example.strips)
            #expect(records == example.records.map { Array($0.utf8) }, "pieces of \(pieces.map(\.count))")
        }
    }

    @Test("Chunks are passed on as they arrive, and the end adds none")
    func chunks() {
        let pieces = [Array("one\n".utf8), [0, 255], Array("\r\n".utf8)]
        #expect(Self.records(of: pieces, .chunks, strips: true) == pieces)
        #expect(Self.records(of: [], .chunks) == [])
    }

    @Test("Invalid UTF-8 is passed through unchanged")
    func invalidText() {
        #expect(Self.records(of: [[0xFF, 0x0A, 0xC3], [0x0A]], .lines) == [[0xFF], [0xC3]])
    }

    @Test("A line of megabytes in many pieces is one record, and the next one starts empty")
    func hugeLine() {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65536)
        var pieces = [[UInt8]](repeating: piece, count: 64)
        pieces.append(Array("end\nnext\n".utf8))
        let records = Self.records(of: pieces, .lines)
        #expect(records.count == 2)
        #expect(records.first?.count == 64 * 65536 + 3)
        #expect(records.last == Array("next".utf8))
    }

    @Test("When stopped, the splitter leaves the rest of the piece")
    func stopping() {
        var splitter = RecordSplitter(.lines)
        var records: [String] = []
        func feed(_ input: String, goesOn: Bool) -> Int {
            Array(input.utf8).withUnsafeBytes { bytes in
                splitter.split(bytes.bytes) { record in
                    records.append(record.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                    return goesOn
                }
            }
        }
        #expect(feed("one\ntwo\nthree", goesOn: false) == 4)
        #expect(feed("two\nthree", goesOn: false) == 4)
        #expect(feed("three", goesOn: false) == 5)
        #expect(feed(" and\nfour\n", goesOn: false) == 5)
        #expect(feed("four\n", goesOn: true) == 5)
        #expect(records == ["one", "two", "three and", "four"])
    }

    @Test("Chunks of a size are filled whatever the reads return, and only the last is shorter")
    func sizedChunks() {
        let bytes = Array("abcdefgh".utf8)
        for pieces in Self.feedings(of: bytes) {
            let records = Self.records(of: pieces, .chunks, chunkBytes: 3)
            #expect(records == [Array("abc".utf8), Array("def".utf8), Array("gh".utf8)])
        }
        #expect(Self.records(of: [Array("abc".utf8)], .chunks, chunkBytes: 3) == [Array("abc".utf8)])
        #expect(Self.records(of: [], .chunks, chunkBytes: 3).isEmpty)
    }

    private static func records(
        of pieces: [[UInt8]], _ format: InputFormat, strips: Bool = false, chunkBytes: Int? = nil
    ) -> [[UInt8]] {
        var splitter = RecordSplitter(format, stripsCarriageReturn: strips, chunkBytes: chunkBytes)
        var records: [[UInt8]] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                let takenBytes = splitter.split(bytes.bytes) { record in
                    record.withUnsafeBytes { records.append(Array($0)) }
                    return true
                }
                #expect(takenBytes == piece.count)
            }
        }
        splitter.finish { record in record.withUnsafeBytes { records.append(Array($0)) } }
        return records
    }

    private static func feedings(of bytes: [UInt8]) -> [[[UInt8]]] {
        [[bytes], bytes.map { [$0] }] + (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    }
}
