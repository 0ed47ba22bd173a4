import Testing

@testable import UserInterface

@Suite struct SafeTextTests {
    @Test(
        "Line ends and tabs are kept; control characters are escaped; invalid UTF-8 is U+FFFD",
        arguments: [
            (Array("plain\n\ttext".utf8), "plain\n\ttext\n"),
            (Array("\u{1B}]0;title\u{7}".utf8), #"\u{1B}]0;title\u{7}"# + "\n"),
            (Array("over\rwrite\r".utf8), "over\nwrite\n"),
            (Array("\u{9B}31m\u{202E}".utf8), #"\u{9B}31m\u{202E}"# + "\n"),
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b\n"),
            ([], ""),
        ] as [([UInt8], String)])
    func shown(bytes: [UInt8], expected: String) {
        #expect(beginning(bytes) == expected)
    }

    @Test("A CRLF in a refusal's body prints as a line end, not as an escape")
    func carriageReturns() {
        #expect(beginning(Array("<html>\r\n<body>\r\n\r\n</html>\r\n".utf8)) == "<html>\n<body>\n\n</html>\n")
    }

    @Test("A refusal with a page of 900 lines shows the first ones and how many follow")
    func longBody() {
        let page = Array((1...900).map { "line \($0)\n" }.joined().utf8)
        let lines = beginning(page).split(separator: "\n")
        #expect(lines.count == 9)
        #expect(lines.last == "… (892 more lines)")
        #expect(beginning(page, isCut: true).hasSuffix("… (at least 892 more lines)\n"))
        #expect(beginning(Array("a\nb".utf8), isCut: true) == "a\nb\n… (more)\n")
        #expect(beginning(Array((1...9).map { "\($0)\n" }.joined().utf8)).hasSuffix("8\n… (1 more line)\n"))
    }

    @Test("A body without line ends is truncated, too")
    func longLine() {
        #expect(beginning(Array(repeating: UInt8(ascii: "x"), count: 65_536)).count == 202)
        let combining = Array(("e" + String(repeating: "\u{301}", count: 20_000)).utf8)
        #expect(beginning(combining).unicodeScalars.count == 202)
        for count in [100, 5000] {
            #expect(beginning([UInt8](repeating: 0, count: count)).unicodeScalars.count == 202)
        }
    }

    private func beginning(_ body: [UInt8], isCut: Bool = false) -> String {
        body.withUnsafeBytes { SafeText.beginning(of: $0.bytes, isCut: isCut) }
    }
}
