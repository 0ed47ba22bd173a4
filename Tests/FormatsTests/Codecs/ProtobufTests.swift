import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct ProtobufTests {
    private static func json(
        _ message: [UInt8], _ name: String = "protobuf", limitBytes: Int = 1 << 20
    ) throws -> Result<String, CodecProblem> {
        let codec = try Codec(named: name) { _ throws(CodecNameProblem) in set }
        var chain = CodecChain([codec], limitBytes: limitBytes)
        var records = MessageRecords()
        do throws(CodecError) {
            expectEqual(try chain.decode(message.span.bytes, into: &records), .decoded)
            let json = records.withRecord(0, of: message.span.bytes) { $0.withUnsafeBytes { Array($0) } }
            expectEqual(records.isText(0), true)
            expectEqual(JSONReader.problem(in: json.span.bytes), nil)
            return .success(String(decoding: json, as: UTF8.self))
        } catch {
            return .failure(error.problem)
        }
    }

    /// A field in wire format: a length-delimited one, or a varint below 128.
    private static func field(_ number: Int, _ value: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(value.count) + value
    }
    private static func field(_ number: Int, _ value: String) -> [UInt8] { field(number, Array(value.utf8)) }
    private static func field(_ number: Int, _ value: Int) -> [UInt8] { varint(number << 3) + varint(value) }

    private static func varint(_ number: Int) -> [UInt8] {
        var buffer = ByteBuffer()
        Varint.append(UInt64(number), to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    // MARK: Without a schema

    static let cases: [(message: String, json: String)] = [
        ("", "{}"), ("089601", #"{"1":150}"#), ("08ffffffffffffffffff01", #"{"1":18446744073709551615}"#),
        ("0dffffffff", #"{"1":4294967295}"#), ("090000000000000080", #"{"1":9223372036854775808}"#),
        ("120774657374696e67", #"{"2":"testing"}"#), ("1a03089601", #"{"3":{"1":150}}"#), ("0a00", #"{"1":""}"#),
        ("08010802", #"{"1":[1,2]}"#), ("0801100308020a0161", #"{"1":[1,2,"a"],"2":3}"#),
        ("18010803", #"{"1":3,"3":1}"#),
        ("0a03ff0001", #"{"1":{"base64":"/wAB"}}"#), ("0a0100", #"{"1":{"base64":"AA=="}}"#),
        ("0a01c3", #"{"1":{"base64":"ww=="}}"#), ("0a02c385", #"{"1":"Å"}"#), ("0a02c285", #"{"1":{"base64":"woU="}}"#),
        ("0a017f", #"{"1":{"base64":"fw=="}}"#), ("0a05210a09210d", #"{"1":"!\n\t!\r"}"#),
        ("f8ffffff0f01", #"{"536870911":1}"#), ("0a020a00", #"{"1":{"1":""}}"#),
    ]

    @Test("Without a schema, names are numbers, and the kind of a value is guessed", arguments: cases)
    func guesses(message: String, json: String) throws {
        expectEqual(try Self.json(bytes(message)), .success(json))
    }

    static let invalid: [(message: String, problem: CodecProblem)] = [
        ("08", .truncated), ("0880", .truncated), ("0a0161ff", .truncated), ("0a0561", .truncated),
        ("0d000000", .truncated),
        ("09", .truncated), ("00", .malformed(offset: 0)), ("080107", .malformed(offset: 2)),
        ("0b0c", .malformed(offset: 0)),
        ("08ffffffffffffffffff02", .malformed(offset: 1)), ("8080808010", .malformed(offset: 0)),
        ("0affffffffffffffffff01", .truncated),
    ]

    @Test("A message that does not parse has a reason", arguments: invalid)
    func problems(message: String, problem: CodecProblem) throws {
        expectEqual(try Self.json(bytes(message)), .failure(problem))
    }

    @Test("The depth, the number of fields, and the size of the text are limited")
    func limits() throws {
        var message: [UInt8] = [8, 1]
        for _ in 0..<1000 { message = Self.field(1, message) }
        let json = try Self.json(message).get()
        // The innermost messages are bytes.
        expectEqual(json.count { $0 == "{" }, Protobuf.maximumDepth + 1)
        expectEqual(
            try Self.json(message, "protobuf:f:Item"), .failure(.tooDeep(limit: Protobuf.maximumDepth)))

        let fields = [UInt8](repeating: 8, count: 2 * (Protobuf.maximumFieldCount + 1))
        let problem = CodecProblem.tooManyFields(limit: Protobuf.maximumFieldCount)
        expectEqual(try Self.json(fields, limitBytes: 1 << 24), .failure(problem))
        expectEqual(try Self.json(fields, limitBytes: 1000), .failure(problem))
        // As a part of a message, they are none.
        #expect(try Self.json(Self.field(1, fields), limitBytes: 1 << 24).get().hasPrefix(#"{"1":{"base64":"#))
        // Their number does not accumulate.
        let many = (0..<3).flatMap { _ in Self.field(2, [UInt8](repeating: 8, count: Protobuf.maximumFieldCount)) }
        #expect(try Self.json(many, limitBytes: 1 << 24).get().hasPrefix(#"{"2":[{"1":[8,8,"#))

        let big = Self.field(1, String(repeating: "é", count: 600))
        expectEqual(try Self.json(big, limitBytes: 1000), .failure(.tooBig(limitBytes: 1000)))
        expectEqual(try Self.json([8, 1, 8, 1], limitBytes: 8), .failure(.tooBig(limitBytes: 8)))
    }

    // MARK: With a schema

    /// ```
    /// syntax = "proto3"; package t;
    /// enum Kind { NONE = 0; ONE = 1; }
    /// message All {
    ///   int32 i = 1; sint64 z = 2; double d = 3; float f = 4; bool b = 5; string s = 6; bytes y = 7; Kind k = 8;
    ///   All sub = 9; repeated int32 r = 10; repeated string rs = 11; map<string, int32> m = 12; fixed64 x = 15;
    ///   oneof choice { int32 c = 13; string o = 14; } google.protobuf.Timestamp at = 16;
    ///   google.protobuf.Duration lasts = 17; google.protobuf.StringValue w = 18; google.protobuf.Value v = 19;
    /// }
    /// ```
    /// and in a second file of proto2: `message Item { optional Item i = 1; optional Kind2 k = 2; enum Kind2 { A = 1; } }`.
    static let set: [UInt8] = {
        func member(
            _ name: String, _ number: Int, _ type: Int, _ typeName: String? = nil, isRepeated: Bool = false,
            oneof: Int? = nil
        ) -> [UInt8] {
            field(
                2,
                field(1, name) + field(3, number) + field(4, isRepeated ? 3 : 1) + field(5, type)
                    + (typeName.map { field(6, $0) } ?? []) + (oneof.map { field(9, $0) } ?? []))
        }
        func value(_ name: String, _ number: Int) -> [UInt8] { field(2, field(1, name) + field(2, number)) }
        let entry = field(1, "MEntry") + member("key", 1, 9) + member("value", 2, 5) + field(7, field(7, 1))
        let all: [[UInt8]] = [
            field(1, "All"), member("i", 1, 5), member("z", 2, 18), member("d", 3, 1), member("f", 4, 2),
            member("b", 5, 8),
            member("s", 6, 9), member("y", 7, 12), member("k", 8, 14, ".t.Kind"), member("sub", 9, 11, ".t.All"),
            member("r", 10, 5, isRepeated: true), member("rs", 11, 9, isRepeated: true),
            member("m", 12, 11, ".t.All.MEntry", isRepeated: true), member("c", 13, 5, oneof: 0),
            member("o", 14, 9, oneof: 0), member("x", 15, 6), member("at", 16, 11, ".google.protobuf.Timestamp"),
            member("lasts", 17, 11, ".google.protobuf.Duration"), member("w", 18, 11, ".google.protobuf.StringValue"),
            member("v", 19, 11, ".google.protobuf.Value"), field(3, entry),
        ]
        let kind = field(1, "Kind") + value("NONE", 0) + value("ONE", 1)
        let file =
            field(1, "t.proto") + field(2, "t") + field(4, all.flatMap { $0 }) + field(5, kind) + field(12, "proto3")
        let time = member("seconds", 1, 3) + member("nanos", 2, 5)
        let google: [[UInt8]] = [
            field(2, "google.protobuf"), field(4, field(1, "Timestamp") + time), field(4, field(1, "Duration") + time),
            field(4, field(1, "StringValue") + member("value", 1, 9)),
            field(
                4,
                field(1, "Value") + member("null_value", 1, 14, ".google.protobuf.NullValue", oneof: 0)
                    + member("number_value", 2, 1, oneof: 0)),
            field(5, field(1, "NullValue") + value("NULL_VALUE", 0)), field(12, "proto3"),
        ]
        let item =
            field(1, "Item") + member("i", 1, 11, ".Item") + member("k", 2, 14, ".Item.Kind2")
            + member("n", 3, 5) + field(4, field(1, "Kind2") + value("A", 1))
        return field(1, file) + field(1, google.flatMap { $0 }) + field(1, field(4, item))
    }()

    static let known: [(message: String, json: String)] = [
        ("", "{}"), ("08ffffffffffffffffff01", #"{"i":-1}"#), ("1003", #"{"z":-2}"#),
        ("19000000000000f83f", #"{"d":1.5}"#),
        ("19000000000000f87f", #"{"d":"NaN"}"#), ("250000807f", #"{"f":"Infinity"}"#), ("25cdcccc3d", #"{"f":0.1}"#),
        ("2801", #"{"b":true}"#), ("3202c3a9", #"{"s":"é"}"#), ("3a0100", #"{"y":"AA=="}"#),
        ("4001", #"{"k":"ONE"}"#), ("4007", #"{"k":7}"#), ("79ffffffffffffffff", #"{"x":18446744073709551615}"#),
        // Default values, and unknown fields and wire types, are left out.
        ("0800280032004000", "{}"), ("a03801", "{}"), ("0a0161", "{}"), ("0b08010c0803", #"{"i":3}"#),
        // Merged messages, and the last scalar.
        ("08010802", #"{"i":2}"#), ("4a0208014a022801", #"{"sub":{"i":1,"b":true}}"#), ("4a00", #"{"sub":{}}"#),
        // Packed and unpacked numbers.
        ("5202010250035200", #"{"r":[1,2,3]}"#), ("5200", "{}"), ("5a00", #"{"rs":[""]}"#),
        ("62050a0161100162030a016262001802", #"{"m":{"a":1,"b":0,"":0}}"#),
        // The last member of a oneof, which is shown with its default value, too.
        ("680168007200", #"{"o":""}"#), ("72016168006800", #"{"c":0}"#),
        ("820106088094ebdc03", #"{"at":"2001-09-09T01:46:40Z"}"#),
        ("82010410c0843d", #"{"at":"1970-01-01T00:00:00.001Z"}"#),
        ("820102107f", #"{"at":"1970-01-01T00:00:00.000000127Z"}"#),
        ("8a010b10ffffffffffffffffff01", #"{"lasts":"-0.000000001s"}"#), ("8a010410c0843d", #"{"lasts":"0.001s"}"#),
        ("8a0106080110ffff03", #"{"lasts":"1.000065535s"}"#), ("8a01020803", #"{"lasts":"3s"}"#),
        ("8a010d080110ffffffffffffffffff01", #"{"lasts":{"seconds":1,"nanos":-1}}"#),
        ("9201030a0161", #"{"w":"a"}"#), ("920100", #"{"w":""}"#),
        ("9a0100", #"{"v":null}"#), ("9a0109110000000000000840", #"{"v":3.0}"#), ("9a01020800", #"{"v":null}"#),
    ]

    @Test("With a schema, the text is proto3 JSON", arguments: known)
    func schema(message: String, json: String) throws {
        expectEqual(try Self.json(bytes(message), "protobuf:dir:1/f.pb:t.All"), .success(json))
    }

    @Test("proto2 shows default values, and leaves out unknown values of enumerations")
    func proto2() throws {
        expectEqual(try Self.json(bytes("18000a0210011002"), "protobuf:f:Item"), .success(#"{"i":{"k":"A"},"n":0}"#))
    }

    @Test("With a schema, a string has to be UTF-8, and groups have to end")
    func invalidSchemaMessages() throws {
        for (message, problem): (String, CodecProblem) in [
            ("3201c3", .notUTF8), ("0b", .truncated), ("0b14", .malformed(offset: 1)), ("5201", .truncated),
            ("520180", .truncated), (String(repeating: "0b", count: 101), .tooDeep(limit: 100)),
        ] {
            expectEqual(try Self.json(bytes(message), "protobuf:f:t.All"), .failure(problem))
        }
    }

    @Test("A bad schema says why, and a codec has its name")
    func names() throws {
        func problem(_ name: String, set: [UInt8] = Self.set) -> CodecNameProblem? {
            do throws(CodecNameProblem) {
                let codec = try Codec(named: name) { _ throws(CodecNameProblem) in set }
                expectEqual(codec.name, name)
                expectEqual(codec.shortName, "protobuf")
                return nil
            } catch {
                return error
            }
        }
        expectEqual(problem("protobuf:a:b.pb:t.All"), nil)
        for name in ["protobuf:", "protobuf:f", "protobuf::t.All", "protobuf:f:"] {
            expectEqual(problem(name), .noType)
        }
        let known =
            ["Item", "t.All"] + ["Duration", "StringValue", "Timestamp", "Value"].map { "google.protobuf.\($0)" }
        for name in ["all", "t.Kind", "t.All.MEntry2"] {
            let error = problem("protobuf:f:\(name)")
            expectEqual(error, .noSchema(.unknownType(name, known: known)))
            expectEqual(error?.words.contains("did you mean t.All?"), name == "all")
        }
        expectEqual(problem("protobuf:f:a", set: []), .noSchema(.empty))
        expectEqual(problem("protobuf:f:a", set: Array("syntax".utf8)), .noSchema(.malformed(.malformed(offset: 0))))
        let withoutImports = Self.field(1, Array(bytes("2203") + [0x0A, 1, 65]))
        expectEqual(problem("protobuf:f:A", set: withoutImports), nil)
        let member = Self.field(2, Self.field(3, 1) + Self.field(5, 11) + Self.field(6, ".x.B"))
        let missing = Self.field(1, Self.field(4, Self.field(1, "A") + member))
        expectEqual(problem("protobuf:f:A", set: missing), .noSchema(.missingType("x.B")))
        #expect(throws: CodecNameProblem.unreadable("files are not read here")) { try Codec(named: "protobuf:f:A") }
    }
}
