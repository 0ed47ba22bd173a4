import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct JSONLayoutTests {
    @Test(
        "Members and elements are on separate lines, and no token changes",
        arguments: [
            (#"{"user":7,"ok":true}"#, "{\n  \"user\": 7,\n  \"ok\": true\n}"),
            ("[]", "[]"), ("{}", "{}"), (" [ ] ", "[]"), ("{\"a\":{},\"b\":[]}", "{\n  \"a\": {},\n  \"b\": []\n}"),
            ("[[],[[]],1]", "[\n  [],\n  [\n    []\n  ],\n  1\n]"),
            (
                "[1e400,-0,0.10,123456789012345678901234567890,1E+2]",
                "[\n  1e400,\n  -0,\n  0.10,\n  123456789012345678901234567890,\n  1E+2\n]"
            ),
            (
                #"{"\u00e9\/":"\ud83d\ude00\n","z":1,"a":2,"z":3}"#,
                "{\n  \"\\u00e9\\/\": \"\\ud83d\\ude00\\n\",\n  \"z\": 1,\n  \"a\": 2,\n  \"z\": 3\n}"
            ),
            ("[true,\n\tfalse , null]", "[\n  true,\n  false,\n  null\n]"),
        ])
    func layouts(text: String, expected: String) {
        #expect(Self.plain(text) == expected)
        #expect(Self.count(text) == expected.split(separator: "\n").count)
    }

    @Test(
        "A text that is not a complete object or array is not indented",
        arguments: ["", " ", "7", "\"text\"", "true", "{", "[1,]", "{\"a\":1}x", "[1]]", "{'a':1}", "text", "{a}"])
    func others(text: String) {
        #expect(Self.count(text) == nil)
    }

    @Test("Indentation ends at level 32, which limits the size of the output")
    func deep() throws {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let lines = try #require(Self.plain(text)).split(separator: "\n")
        #expect(lines.count == 999)
        #expect(lines.map { $0.prefix { $0 == " " }.count }.max() == 64)
        #expect(lines[32] == String(repeating: " ", count: 64) + "[")
    }

    @Test("A text with too many levels is left unchanged")
    func tooDeep() {
        let depth = JSONReader.maximumDepth + 1
        #expect(Self.count(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)) == nil)
    }

    @Test("Keys, strings, numbers, and literals have their own colors, and punctuation none")
    func colors() {
        let expected =
            "{\n  \u{1B}[1;38;5;27m\"k\"\u{1B}[0m: [\n    \u{1B}[38;5;28m\"s\"\u{1B}[0m,\n    \u{1B}[38;5;30m1\u{1B}[0m,\n"
            + "    \u{1B}[38;5;163mnull\u{1B}[0m\n  ]\n}"
        #expect(Self.plain(#"{"k":["s",1,null]}"#, isColored: true) == expected)
    }

    private static func plain(_ text: String, isColored: Bool = false) -> String? {
        var lines = PlainLines(palette: Palette(isEnabled: isColored))
        do throws(JSONError) {
            try JSONLayout.write(Array(text.utf8).span.bytes, to: &lines)
        } catch {
            return nil
        }
        return wsxTests.text(of: lines.bytes)
    }

    private static func count(_ text: String) -> Int? {
        JSONLayout.lineCount(of: Array(text.utf8).span.bytes)
    }
}
