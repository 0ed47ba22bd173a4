import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONPathTests {
    private static let user = #"{"user":{"name":"Ann","tags":["a","b","c"]},"items":[{"id":1},{"id":2}]}"#

    static let dottedCases: [(String, String, String)] = [
        (".user.name", user, #""Ann""#), (".items[0].id", user, "1"), (".items[1].id", user, "2"),
        (".user.tags[-1]", user, #""c""#), (".user.tags[-3]", user, #""a""#), (".items[-1]", user, #"{"id":2}"#),
        (".user.tags", user, #"["a","b","c"]"#), (".", user, user), (".items.[0]", user, #"{"id":1}"#),
        (".items.1.id", user, "2"), (#".["user"].name"#, user, #""Ann""#), (#"."user"."name""#, user, #""Ann""#),
        (".[1]", "[5,6]", "6"), (".[-1][0]", "[5,[6,7]]", "6"), (".", "7", "7"), (".", #" "x" "#, #""x""#),
        (#"."odd key".x"#, #"{"odd key":{"x":1}}"#, "1"), (#"."a.b"["c]"]"#, #"{"a.b":{"c]":1}}"#, "1"),
        (#"."\u0061\n""#, #"{"a\n":1}"#, "1"), (#".""."""#, #"{"":{"":1}}"#, "1"), (".a-b.$c.@d._e", nested, "1"),
        (".é", #"{"é":1}"#, "1"), (".0", #"{"0":1}"#, "1"), (".a[-1]", #"{"a":[[1,2],[3]]}"#, "[3]"),
    ]

    @Test("A dotted path leads through members and elements", arguments: Self.dottedCases)
    func dotted(path: String, text: String, expected: String) throws {
        try expectEqual(Self.value(path, text), expected)
    }

    private static let nested = #"{"a-b":{"$c":{"@d":{"_e":1}}}}"#

    static let pointersCases: [(String, String)] = [
        ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
        ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ]

    @Test("RFC 6901 §5: the examples of JSON Pointers", arguments: Self.pointersCases)
    func pointers(path: String, expected: String) throws {
        let text = #"""
            {"foo":["bar", "baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
            """#
        try expectEqual(Self.value(path, text), expected)
    }

    static let missingCases: [(String, String)] = [
        (".x", user), (".user.name.first", user), (".items[2]", user), (".items[-3]", user), (".items.id", user),
        (".user[0]", user), (".items.-1", user), ("/items/-", user), ("/items/00", user), ("/items/-1", user),
        (".[0]", "{}"), (".[-1]", "[]"), (".a", "7"), (".a", "null"), (".a", "[]"), (".0", "[]"),
        (#".["0"]"#, "[5]"), (".99999999999999999999", "[5]"), (".a.b", #"{"a":{"c":{"b":1}}}"#),
    ]

    @Test("A path without a value in the text", arguments: Self.missingCases)
    func missing(path: String, text: String) throws {
        try expectNil(Self.value(path, text))
    }

    @Test("null, false, and empty values are values", arguments: ["null", "false", "0", #""""#, "[]", "{}"])
    func empty(value: String) throws {
        try expectEqual(Self.value(".a", #"{"a":\#(value)}"#), value)
    }

    @Test(
        "Keys match after unescaping",
        arguments: [
            (#"{"us\u0065r":1}"#, ".user"), (#"{"\u0075\u0073\u0065\u0072":1}"#, ".user"), (#"{"a\/b":1}"#, "/a~1b"),
            (#"{"\ud83c\udf88":1}"#, ".🎈"), (#"{"a\\b":1}"#, #"."a\\b""#), (#"{"\"":1}"#, #"."\"""#),
        ])
    func escapedKeys(text: String, path: String) throws {
        try expectEqual(Self.value(path, text), "1")
    }

    @Test(
        "Keys that only look alike do not match",
        arguments: [#"{"user ":1}"#, #"{"use":1}"#, #"{"user\n":1}"#, #"{"User":1}"#, #"{"use\ud800":1}"#])
    func similarKeys(text: String) throws {
        try expectNil(Self.value(".user", text))
    }

    @Test(
        "If several members have the same name, the last one counts",
        arguments: [
            (".a", #"{"a":1,"a":2}"#, "2"), (".a", #"{"a":1,"\u0061":2}"#, "2"),
            (".a.b", #"{"a":{"b":1},"a":{}}"#, nil),
            (".a.b", #"{"a":{},"a":{"b":1,"b":3}}"#, "3"), (".a[-1]", #"{"a":[1],"a":[2,3]}"#, "3"),
        ])
    func repetitions(path: String, text: String, expected: String?) throws {
        try expectEqual(Self.value(path, text), expected)
    }

    static let brokenCases: [String] = [
        "", "x", #"{"a":1"#, #"{"a":1}}"#, #"{"a":1} x"#, #"{"a":1,}"#, #"{"a":1,"b":}"#, #"{'a':1}"#,
    ]

    @Test("A text that is not complete JSON has no values", arguments: Self.brokenCases)
    func broken(text: String) throws {
        try expectNil(Self.value(".a", text))
        try expectNil(Self.value(".", text))
    }

    @Test("Values are found up to the maximum depth, and deeper texts have none", arguments: [512, 513, 100_000])
    func depth(levels: Int) throws {
        let isRead = levels <= JSONReader.maximumDepth
        let object = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        try expectEqual(Self.value(String(repeating: ".a", count: levels), object), (isRead ? "1" : nil))
        let array = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
        try expectEqual(Self.value("." + String(repeating: "[-1]", count: levels), array), (isRead ? "1" : nil))
        try expectEqual(Self.value(".a", #"{"a":1,"b":\#(array)}"#), (levels < JSONReader.maximumDepth ? "1" : nil))
    }

    @Test("A path may be longer than the text is deep")
    func longPath() throws {
        try expectNil(Self.value(String(repeating: "/a", count: 10_000), #"{"a":{"a":1}}"#))
    }

    // MARK: Text of values

    static let textsCases: [(String, String)] = [
        (#""a \"b\" \\ \u00e9\n""#, "a \"b\" \\ é\n"), (#""""#, ""), (#""\ud83c\udf88""#, "🎈"),
        (#""a\ud83cb""#, "a\u{FFFD}b"), (#""\udf88\ud83c""#, "\u{FFFD}\u{FFFD}"), (" -1.50e+3 ", "-1.50e+3"),
        ("\ttrue\r\n", "true"), ("null", "null"), ("{ }", "{}"), ("[\n  1 ,\t2\r\n]", "[1,2]"),
        (#" { "a b" : [ "c  d" , "\" \\" , "e" ] } "#, #"{"a b":["c  d","\" \\","e"]}"#),
        (#"{"a":"\u00e9","b":1.0,"a":2}"#, #"{"a":"\u00e9","b":1.0,"a":2}"#),
    ]

    @Test("Strings are decoded, and other values lose their whitespace", arguments: Self.textsCases)
    func texts(message: String, expected: String) throws {
        let path = try JSONPath(".")
        var buffer = ByteBuffer()
        buffer.append("before ")
        expectTrue(Array(message.utf8).withUnsafeBytes { path.appendValue(of: $0.bytes, to: &buffer) })
        expectEqual(text(of: buffer), "before " + expected)
    }

    @Test("Without a value, nothing is appended")
    func nothing() throws {
        let path = try JSONPath(".a")
        var buffer = ByteBuffer()
        expectFalse(Array(#"{"a":"x"}, "#.utf8).withUnsafeBytes { path.appendValue(of: $0.bytes, to: &buffer) })
        expectEqual(text(of: buffer), "")
    }

    // MARK: Mistakes

    static let mistakesCases: [(String, String)] = [
        ("", "expected a path at the end; write a path as in .user.name or /user/name"),
        ("user", "expected a path at character 1; write a path as in .user.name or /user/name"),
        ("[0]", "expected a path at character 1; write a path as in .user.name or /user/name"),
        (".a..b", #"expected a name at character 4; quote other names, as in ."a b""#),
        (".a.", #"expected a name at the end; quote other names, as in ."a b""#),
        (". a", #"expected a name at character 2; quote other names, as in ."a b""#),
        (".a b", #"expected '.' or '[' at character 3; quote other names, as in ."a b""#),
        (".é|length", #"expected '.' or '[' at character 3; quote other names, as in ."a b""#),
        (".a?", #"expected '.' or '[' at character 3; quote other names, as in ."a b""#),
        (#"."a"b"#, #"expected '.' or '[' at character 5; quote other names, as in ."a b""#),
        (".a[]", "expected an index at character 4; [0] is the first element, and [-1] the last one"),
        (".a[-]", "expected an index at character 5; [0] is the first element, and [-1] the last one"),
        (".a[x]", "expected an index at character 4; [0] is the first element, and [-1] the last one"),
        (".a[", "expected an index at the end; [0] is the first element, and [-1] the last one"),
        (".a[0", "expected ']' at the end"), (".a[0:2]", "expected ']' at character 5"),
        (".a[99999999999999999999]", "the index is too large at character 4"),
        (#"."a"#, #"expected '"' at the end"#), (#"."a\"#, #"expected '"' at the end"#),
        (#"."a\x""#, "invalid JSON string at character 5"),
        ("/a~", "invalid escape at character 3; write '~' as ~0 and '/' as ~1"),
        ("/~2", "invalid escape at character 2; write '~' as ~0 and '/' as ~1"),
        (#"."\ud800""#, "invalid JSON string at character 2"),
    ]

    @Test("The error for an invalid path has its position and a remedy", arguments: Self.mistakesCases)
    func mistakes(text: String, message: String) {
        do throws(JSONQueryError) {
            _ = try JSONPath(text)
            Issue.record("\(text) is a path")
        } catch {
            expectEqual("\(error)", message)
        }
    }

    // MARK: Large messages

    @Test("A value is found anywhere in a message of 1 MiB")
    func large() throws {
        let element = #"{"id":12345,"name":"a \"quoted\" name","tags":[1,2,[3]]}"#
        let elements = Array(repeating: element, count: (1 << 20) / element.utf8.count).joined(separator: ",")
        let message = #"{"first":1,"items":[\#(elements)],"last":2}"#
        for (path, expected) in [(".first", "1"), (".last", "2"), (".items[-1].tags[-1][-1]", "3")] {
            try expectEqual(Self.value(path, message), expected)
        }
        let string = #"{"a":""# + String(repeating: #"\u0061"#, count: 1 << 18) + #""}"#
        let path = try JSONPath(".a")
        var buffer = ByteBuffer()
        expectTrue(Array(string.utf8).withUnsafeBytes { path.appendValue(of: $0.bytes, to: &buffer) })
        expectEqual(text(of: buffer), String(repeating: "a", count: 1 << 18))
    }

    /// The text of the value at a path.
    private static func value(_ path: String, _ text: String) throws -> String? {
        let path = try JSONPath(path)
        let bytes = Array(text.utf8)
        let value = bytes.withUnsafeBytes { path.value(in: $0.bytes) }
        return value.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }
}
