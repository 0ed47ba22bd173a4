import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct MessagePackTests {
    static let formatsCases: [(String, String)] = [
        ("c0", "null"), ("c2", "false"), ("c3", "true"), ("00", "0"), ("7f", "127"), ("e0", "-32"), ("ff", "-1"),
        ("cc80", "128"), ("cd0100", "256"), ("ce00010000", "65536"), ("cf0000000100000000", "4294967296"),
        ("cfffffffffffffffff", "18446744073709551615"), ("d080", "-128"), ("d1ff7f", "-129"),
        ("d2ffff7fff", "-32769"), ("d3ffffffff7fffffff", "-2147483649"),
        ("d38000000000000000", "-9223372036854775808"), ("cb3ff199999999999a", "1.1"),
        ("cb8000000000000000", "-0.0"),
        ("cb7ff8000000000000", #"{"$float":"NaN"}"#), ("cbfff0000000000000", #"{"$float":"-Infinity"}"#),
        ("a0", #""""#), ("a3616263", #""abc""#), ("c403000102", #"{"$bytes":"AAEC"}"#), ("c400", #"{"$bytes":""}"#),
        ("a1ff", #"{"$text":"/w=="}"#), ("d4fb00", #"{"$ext":[-5,"AA=="]}"#),
        ("c70305000102", #"{"$ext":[5,"AAEC"]}"#),
        ("c70007", #"{"$ext":[7,""]}"#), ("d6ff514b67b0", #"{"$ext":[-1,"UUtnsA=="]}"#),
        ("d8" + "01" + String(repeating: "00", count: 16), #"{"$ext":[1,"AAAAAAAAAAAAAAAAAAAAAA=="]}"#),
        ("90", "[]"), ("93010203", "[1,2,3]"), ("80", "{}"), ("82a16101a1629102", #"{"a":1,"b":[2]}"#),
        ("929380c09190a0", #"[[{},null,[[]]],""]"#),
    ]

    @Test("Each format of the specification is decoded, and encoded in its shortest form", arguments: Self.formatsCases)
    func formats(message: String, json: String) throws {
        try expectEqual(Codec.messagePack.json(bytes(message)), json)
        expectEqual(hex(try Codec.messagePack.message(json)), message)
    }

    static let longFormsCases: [(String, String)] = [
        ("d07f", "127"), ("d30000000000000001", "1"), ("cf0000000000000001", "1"), ("d900", #""""#),
        ("da000161", #""a""#), ("db0000000161", #""a""#), ("dc000101", "[1]"), ("dd0000000101", "[1]"),
        ("de0000", "{}"), ("df00000001a16101", #"{"a":1}"#), ("c500010a", #"{"$bytes":"Cg=="}"#),
        ("c6000000010a", #"{"$bytes":"Cg=="}"#), ("c8000105ff", #"{"$ext":[5,"/w=="]}"#),
        ("c90000000105ff", #"{"$ext":[5,"/w=="]}"#), ("ca3dcccccd", "0.10000000149011612"),
    ]

    @Test("Longer forms than necessary are decoded", arguments: Self.longFormsCases)
    func longForms(message: String, json: String) throws {
        try expectEqual(Codec.messagePack.json(bytes(message)), json)
    }

    static let countsCases: [Int] = [0, 15, 16, 31, 32, 255, 256, 65535, 65536]

    @Test("Long strings, arrays, and maps have their counts", arguments: Self.countsCases)
    func counts(count: Int) throws {
        let array = "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
        let map = "{" + (0..<count).map { #""\#($0)":null"# }.joined(separator: ",") + "}"
        for json in ["\"" + String(repeating: "a", count: count) + "\"", array, map] {
            for codec in [Codec.messagePack, .cbor] { try expectEqual(codec.json(codec.message(json)), json) }
        }
    }

    @Test(
        "Invalid messages name the problem",
        arguments: [
            ("", .truncated), ("c1", .malformed(offset: 0)), ("91c1", .malformed(offset: 1)), ("91", .truncated),
            ("81a161", .truncated), ("a261", .truncated), ("cc", .truncated), ("cb00", .truncated),
            ("ddffffffff", .truncated), ("dfffffffff01", .truncated), ("dbffffffff61", .truncated),
            ("c6ffffffff", .truncated), ("c9ffffffff05", .truncated), ("c9fffffffe05", .truncated),
            ("0101", .trailing(byteCount: 1)), ("9001c0", .trailing(byteCount: 2)),
        ] as [(String, CodecProblem)])
    func malformed(message: String, problem: CodecProblem) {
        #expect(throws: problem) { try Codec.messagePack.json(bytes(message)) }
    }
}
