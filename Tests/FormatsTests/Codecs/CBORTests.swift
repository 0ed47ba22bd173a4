import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct CBORTests {
    static let examplesCases: [(String, String)] = [
        ("00", "0"), ("17", "23"), ("1818", "24"), ("1903e8", "1000"), ("1a000f4240", "1000000"),
        ("1bffffffffffffffff", "18446744073709551615"), ("3bffffffffffffffff", "-18446744073709551616"),
        ("20", "-1"), ("3863", "-100"), ("3903e7", "-1000"),
        ("c249010000000000000000", #"{"$tag":[2,{"$bytes":"AQAAAAAAAAAA"}]}"#),
        ("f90000", "0.0"), ("f98000", "-0.0"), ("f93c00", "1.0"), ("f97bff", "65504.0"),
        ("f90001", "5.960464477539063e-08"),
        ("fb3ff199999999999a", "1.1"), ("fa47c35000", "100000.0"), ("fa7f7fffff", "3.4028234663852886e+38"),
        ("fb7e37e43c8800759c", "1e+300"), ("fbc010666666666666", "-4.1"),
        ("f97c00", #"{"$float":"Infinity"}"#), ("f97e00", #"{"$float":"NaN"}"#),
        ("fbfff0000000000000", #"{"$float":"-Infinity"}"#),
        ("f4", "false"), ("f5", "true"), ("f6", "null"), ("f7", #"{"$undefined":true}"#),
        ("f0", #"{"$simple":16}"#), ("f8ff", #"{"$simple":255}"#),
        ("c11a514b67b0", #"{"$tag":[1,1363896240]}"#),
        ("d818456449455446", #"{"$tag":[24,{"$bytes":"ZElFVEY="}]}"#),
        ("40", #"{"$bytes":""}"#), ("4401020304", #"{"$bytes":"AQIDBA=="}"#),
        ("60", #""""#), ("6449455446", #""IETF""#), ("62225c", #""\"\\""#), ("64f0908591", "\"\u{10151}\""),
        ("80", "[]"), ("83010203", "[1,2,3]"), ("8301820203820405", "[1,[2,3],[4,5]]"),
        ("a0", "{}"), ("a201020304", #"{"$1":2,"$3":4}"#), ("a26161016162820203", #"{"a":1,"b":[2,3]}"#),
        ("5f42010243030405ff", #"{"$bytes":"AQIDBAU="}"#), ("7f657374726561646d696e67ff", #""streaming""#),
        ("9fff", "[]"), ("9f018202039f0405ffff", "[1,[2,3],[4,5]]"), ("83018202039f0405ff", "[1,[2,3],[4,5]]"),
        ("bf61610161629f0203ffff", #"{"a":1,"b":[2,3]}"#), ("826161bf61626163ff", #"["a",{"b":"c"}]"#),
        ("bf6346756ef563416d7421ff", #"{"Fun":true,"Amt":-2}"#),
    ]

    @Test("RFC 8949 Appendix A: the examples", arguments: Self.examplesCases)
    func examples(message: String, json: String) throws {
        try expectEqual(Codec.cbor.json(bytes(message)), json)
        // What has no length becomes shorter, and floats become longer. The value stays.
        try expectEqual(Codec.cbor.json(Codec.cbor.message(json)), json)
    }

    static let encodingCases: [(String, String)] = [
        ("23", "17"), ("24", "1818"), ("256", "190100"), ("65536", "1a00010000"),
        ("4294967296", "1b0000000100000000"),
        ("-24", "37"), ("-25", "3818"), ("1e0", "fb3ff0000000000000"), (#"{"$simple":19}"#, "f3"),
        (#"{"$simple":32}"#, "f820"), (#"{"$tag":[55799,null]}"#, "d9d9f7f6"), (#"{"a":[]}"#, "a1616180"),
    ]

    @Test(
        "RFC 8949 §4.1: integers, strings, and counts are encoded in the shortest form", arguments: Self.encodingCases)
    func encoding(json: String, message: String) throws {
        expectEqual(hex(try Codec.cbor.message(json)), message)
    }

    @Test(
        "RFC 8949 Appendix F: examples that are not well-formed name the problem",
        arguments: [
            ("18", .truncated), ("1bffffffffffffff", .truncated), ("f900", .truncated), ("41", .truncated),
            ("61", .truncated), ("5affffffff00", .truncated), ("7bffffffffffffffff010203", .truncated),
            ("81", .truncated), ("9bffffffffffffffff", .truncated), ("a1", .truncated), ("a20102", .truncated),
            ("bbffffffffffffffff0102", .truncated), ("c0", .truncated), ("5f4100", .truncated), ("9f", .truncated),
            ("bf01", .truncated), ("", .truncated),
            ("1c", .malformed(offset: 0)), ("3d", .malformed(offset: 0)), ("811e", .malformed(offset: 1)),
            ("fc", .malformed(offset: 0)), ("f800", .malformed(offset: 0)), ("f81f", .malformed(offset: 0)),
            ("ff", .malformed(offset: 0)), ("81ff", .malformed(offset: 1)), ("a1ff", .malformed(offset: 1)),
            ("c1ff", .malformed(offset: 1)), ("bf00ff", .malformed(offset: 2)), ("5f00ff", .malformed(offset: 1)),
            ("5f6100ff", .malformed(offset: 1)), ("7f4100ff", .malformed(offset: 1)),
            ("5f5f4100ffff", .malformed(offset: 1)), ("1f", .malformed(offset: 0)), ("df", .malformed(offset: 0)),
            ("0000", .trailing(byteCount: 1)), ("8000", .trailing(byteCount: 1)),
        ] as [(String, CodecProblem)])
    func malformed(message: String, problem: CodecProblem) {
        #expect(throws: problem) { try Codec.cbor.json(bytes(message)) }
    }
}
