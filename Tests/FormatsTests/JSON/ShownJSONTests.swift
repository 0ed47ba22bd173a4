import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct ShownJSONTests {
    @Test(
        "Whitespace between tokens disappears, and escaped text is decoded",
        arguments: [
            (#" { "a" : [ 1 , 2.50 ] , "b" : null }  "#, #"{"a":[1,2.50],"b":null}"#),
            (#"{"Zo\u00eb":"a\/b \u4e16\ud83d\ude00"}"#, #"{"Zoë":"a/b 世😀"}"#),
            (#"[" , : ",{},[]]"#, #"[" , : ",{},[]]"#), (#"["\u003ca\u003E"]"#, #"["<a>"]"#),
            (#"["\ud83d\udc69\u200d\ud83d\udcbb"]"#, "[\"👩\u{200D}💻\"]"),
        ])
    func shown(text: String, expected: String) throws {
        try expectEqual(#require(Self.shown(text)), expected)
    }

    @Test(
        "What has no visible form stays escaped",
        arguments: [
            #"["\n\r\t\b\f\u0000\u001b\u009b"]"#, #"["\"\\\u0022\u005c"]"#, #"["\u202e\u2066\u200b\ufeff\u2028"]"#,
            #"["\ud83d","\ude00","\ud83dx"]"#, #"["a\u200db"]"#, #"["\udb40\udc41"]"#,
        ])
    func escaped(text: String) {
        expectEqual(Self.shown(text), text)
    }

    @Test(
        "Only objects and arrays are JSON to show",
        arguments: ["", "1", #""\u00eb""#, "{", "[1,]", #"C:\u0041"#, "[1] x"])
    func other(text: String) {
        expectNil(Self.shown(text))
    }

    @Test("A text beyond the limit is shown as it is")
    func limit() {
        let text = "[" + String(repeating: " ", count: ShownJSON.maximumBytes - 2) + "]"
        expectEqual(Self.shown(text), "[]")
        expectNil(Self.shown(text + " "))
    }

    @Test("The value is the same")
    func sameValue() throws {
        let text = #" {"a\u00e9": "\u4e16\n\\ \/ \ud83d\ude00 \u0022", "b": [1e2, true, null, "\u202e"]} "#
        let shown = try #require(Self.shown(text))
        expectEqual(Self.strings(shown), Self.strings(text))
    }

    @Test("Locations are mapped in both directions")
    func locations() throws {
        let text = Array(#"{ "a": "Zo\u00eb!" }"#.utf8)
        let json = try #require(Self.json(text))
        // {"a":"Zoë!"}
        func shown(_ part: String) -> String {
            let start = text.indices.first { text[$0...].starts(with: part.utf8) } ?? 0
            let mapped = json.shown(ofOriginal: start..<start + part.utf8.count)
            return String(decoding: json.bytes[mapped], as: UTF8.self)
        }
        expectEqual(shown(#"a": "Z"#), #"a":"Z"#)
        expectEqual(shown(#"Zo\u00eb!"#), "Zoë!")
        expectEqual(shown("00e"), "ë")
        expectEqual(shown("b!"), "ë!")
        let adjacent = Array(#"["\u041c\u043e\u0441"]"#.utf8)
        let word = try #require(Self.json(adjacent))
        expectEqual(String(decoding: word.bytes[word.shown(ofOriginal: 8..<14)], as: UTF8.self), "о")
        expectEmpty(json.shown(ofOriginal: 1..<2))
        let spaced = try #require(Self.json(text, spacingColons: true))
        expectEqual(String(decoding: spaced.bytes, as: UTF8.self), #"{"a": "Zoë!"}"#)
        let original = spaced.original(ofShown: 1..<spaced.bytes.count - 1)
        expectEqual(String(decoding: text[original], as: UTF8.self), #""a": "Zo\u00eb!""#)
    }

    private static func json(_ text: [UInt8], spacingColons spacesColons: Bool = false) -> ShownJSON? {
        ShownJSON(text.span.bytes, spacingColons: spacesColons)
    }

    private static func shown(_ text: String) -> String? {
        json(Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func strings(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var reader = JSONReader()
        var strings: [String] = []
        while let token = try? reader.next(in: bytes.span.bytes) {
            let literal = Array(bytes[token.range])
            strings.append(
                token.kind == .string || token.kind == .key
                    ? JSONString.decoded(literal.span.bytes) : String(decoding: literal, as: UTF8.self))
        }
        return strings
    }
}
