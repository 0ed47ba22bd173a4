import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONFieldTests {
    static let namesCases: [(String, [String])] = [
        (#"{"id":7}"#, ["7"]), (#"{"a":{"id":1},"id":"x"}"#, [#""x""#]), (#"{"a":1}"#, []), (#"[]"#, []),
        (#"[{"id":1},{"x":2},3,[{"id":4}],{"id":2}]"#, ["1", "2"]), ("7", []), (#""id""#, []),
        (#"{"id":true}"#, ["true"]), (#"{"id":null}"#, []), (#"{"id":{"id":1}}"#, []), (#"{"id":[1]}"#, []),
        (#"{"\u0069d":1}"#, ["1"]), (#"{"id ":1}"#, []), (#" { "id" : -1.50e3 } "#, ["-1500"]),
    ]

    @Test("A name finds the member of the object, and of each object in an array", arguments: Self.namesCases)
    func names(text: String, expected: [String]) throws {
        try expectEqual(Self.values("id", text), expected)
    }

    static let pointersCases: [(String, String, [String])] = [
        ("/a/1/b", #"{"a":[0,{"b":"x"}]}"#, [#""x""#]), ("/a~1b", #"{"a/b":1}"#, ["1"]),
        ("/m~0n", #"{"m~n":8}"#, ["8"]), ("/~01", #"{"~1":8}"#, ["8"]), ("/", #"{"":0}"#, ["0"]),
        ("/a//b", #"{"a":{"":{"b":1}}}"#, ["1"]), ("/0", "[5]", ["5"]), ("/1", "[5]", []), ("/-", "[5]", []),
        ("/00", "[5]", []), ("/0", #"{"0":5}"#, ["5"]), ("/id", #"[{"id":1}]"#, []),
        ("/0/id", #"[{"id":1}]"#, ["1"]),
        ("/a", #"{"a":{}}"#, []), ("/a/b", #"{"a":1}"#, []), ("/99999999999999999999", "[5]", []),
        (".a.b", #"{"a":{"b":"x"}}"#, [#""x""#]), (".[1]", "[1,2]", ["2"]), (".", "5", ["5"]),
        ("/a/b", #"{"x":[{"a":[[{}]]}],"a":{"c":{"b":1},"b":2}}"#, ["2"]),
    ]

    @Test("RFC 6901: a pointer leads through members and elements", arguments: Self.pointersCases)
    func pointers(field: String, text: String, expected: [String]) throws {
        try expectEqual(Self.values(field, text), expected)
    }

    @Test("If several members have the same name, the last one counts")
    func repetitions() throws {
        try expectEqual(Self.values("id", #"{"id":1,"id":2}"#), ["2"])
        try expectEqual(Self.values("id", #"{"id":1,"id":null}"#), [])
        try expectEqual(Self.values("/a/b", #"{"a":{"b":1},"a":{}}"#), [])
    }

    @Test(
        "A text that is not complete JSON has no values",
        arguments: ["", #"{"id":1"#, #"{"id":1}}"#, #"{"id":1} x"#, #"{"id":1,}"#, "id", #"[{"id":1}"#])
    func broken(text: String) throws {
        try expectEqual(Self.values("id", text), [])
        try expectEqual(Self.values("/id", text), [])
    }

    @Test("Deep values are found, up to the maximum depth", arguments: [511, 512])
    func depth(levels: Int) throws {
        let text = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        try expectEqual(Self.values(String(repeating: "/a", count: levels), text), ["1"])
        try expectEqual(Self.values("a", "[\(text)]"), [])
    }

    @Test(
        "An empty text and invalid paths are not fields", arguments: ["", "/a~", "/~2", "/a/~x/b", "..", ".a[", ".a b"])
    func mistakes(field: String) {
        expectNil(JSONField(field))
    }

    @Test("A tilde in a name is literal")
    func tilde() throws {
        try expectEqual(Self.values("a~2", #"{"a~2":1}"#), ["1"])
    }

    private static func values(_ field: String, _ text: String) throws -> [String] {
        let field = try #require(JSONField(field))
        return Array(text.utf8).withUnsafeBytes { field.values(in: $0.bytes) }.map(\.description)
    }
}
