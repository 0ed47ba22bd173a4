import Testing
import WSCore

@testable import UserInterface

@Suite struct HexDumpTests {
    @Test(
        "Up to sixteen bytes are one line without an offset",
        arguments: [
            ([], ""), ([0], "00  ."), ([0x41, 0x0A, 0x7F, 0xFF, 0x7E], "41 0a 7f ff 7e  A...~"),
            (Array(0x30...0x3F), "30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?"),
        ] as [([UInt8], String)])
    func short(bytes: [UInt8], expected: String) {
        #expect(Self.dump(bytes) == expected)
        #expect(HexDump.width(ofBytes: bytes.count) >= expected.count)
    }

    @Test("More bytes are lines with offsets, with the text aligned")
    func long() {
        let expected = """
            0000  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41  AAAAAAAAAAAAAAAA
            0010  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41  AAAAAAAAAAAAAAAA
            0020  41                                                A
            """
        #expect(Self.dump([UInt8](repeating: 0x41, count: 33)) == expected)
        #expect(HexDump.width(ofBytes: 33) == expected.split(separator: "\n")[0].count)
    }

    @Test("Offsets are as wide as the last one requires")
    func wide() {
        let lines = Self.dump([UInt8](repeating: 0, count: 0x10001)).split(separator: "\n")
        #expect(lines.first?.hasPrefix("00000  00") == true)
        #expect(lines.last?.hasPrefix("10000  00 ") == true)
        #expect(Self.dump([UInt8](repeating: 0, count: 0x10000)).hasPrefix("0000  00"))
    }

    @Test("Each byte is a printable ASCII character in the text column")
    func everyByte() {
        let dump = Self.dump(Array(0...255))
        #expect(dump.utf8.allSatisfy { $0 == 0x0A || 0x20...0x7E ~= $0 })
    }

    private static func dump(_ bytes: [UInt8]) -> String {
        var lines = PlainLines(palette: Palette(isEnabled: false))
        HexDump.write(bytes.span.bytes, to: &lines)
        return text(of: lines.bytes)
    }
}
