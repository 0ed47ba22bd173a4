import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct RecordTests {
    /// Cuts a message into records, or returns the reason in words.
    private static func split(_ message: [UInt8], _ name: String, isText: Bool = true) throws -> Result<
        [String], CodecProblem
    > {
        let codec = try Codec(named: name)
        var records = [7..<9]
        do throws(CodecProblem) {
            try codec.splitRecords(message.span.bytes, isText: isText, into: &records)
            return .success(records.map { String(decoding: message[$0], as: UTF8.self) })
        } catch {
            return .failure(error)
        }
    }

    static let cases: [(codec: String, message: String, records: [String])] = [
        ("lines", "a\r\n\n\r\nb\rc\nd", ["a", "b\rc", "d"]), ("lines", "a\n", ["a"]), ("lines", "\r\n", []),
        ("lines", "", []), ("lines", "a\r", ["a\r"]), ("lines", "\r", ["\r"]),
        (#"split:\x1e"#, "{}\u{1e}[]\u{1e}", ["{}", "[]"]), (#"split:\x1E"#, "a", ["a"]), (#"split:\x1e"#, "", []),
        ("split:ab", "aab1aabab2aba", ["a", "1a", "2", "a"]), ("split:aab", "aaaab", ["aa"]),
        ("split:é", "xéy", ["x", "y"]),
        (#"split:\r\n\t\0\\"#, "a\r\n\t\0\\b", ["a", "b"]), ("split:abc", "ab", ["ab"]),
        ("array", " [1, {\"a\" : [2,3]} ,\"x,y\"\n,null ]\n", ["1", "{\"a\" : [2,3]}", "\"x,y\"", "null"]),
        ("array", "[]", []), ("array", "", []), ("array", " [\n]", []), ("array", "[[1],[]]", ["[1]", "[]"]),
        ("array", " {\"a\":[1]}", [" {\"a\":[1]}"]), ("array", "no JSON", ["no JSON"]), ("array", "\r\n\t[1]", ["1"]),
        ("length:u8", "\u{2}ab\u{0}\u{1}c", ["ab", "", "c"]), ("length:u8", "", []),
        ("length:u16", "\0\u{2}ab", ["ab"]), ("length:u16le", "\u{2}\0ab", ["ab"]),
        ("length:u32", "\0\0\0\u{1}a\0\0\0\0", ["a", ""]), ("length:u32le", "\u{1}\0\0\0a", ["a"]),
        ("length:varint", "\u{2}ab\u{1}c", ["ab", "c"]),
        ("skip:0", "", [""]), ("skip:2", "abc", ["c"]), ("skip:3", "abc", [""]), ("skip:2", "éa", ["a"]),
        ("json", "a\nb", ["a\nb"]),
    ]

    @Test("A message becomes records", arguments: cases)
    func records(codec: String, message: String, records: [String]) throws {
        for isText in [true, false] {
            expectEqual(try Self.split(Array(message.utf8), codec, isText: isText), .success(records))
        }
    }

    static let undivided: [(codec: String, message: String, problem: CodecProblem)] = [
        ("array", "5b312c5d", .notJSON(.unexpected(offset: 3))), ("array", "5b31", .notJSON(.truncated)),
        ("array", "5b5d78", .notJSON(.unexpected(offset: 2))), ("array", "5b5b315d", .notJSON(.truncated)),
        ("length:u8", "0361", .cutRecord(offset: 0, byteCount: 3, leftBytes: 1)),
        ("length:u16", "00016100", .truncated),
        ("length:u32", "ffffffff", .cutRecord(offset: 0, byteCount: 0xFFFF_FFFF, leftBytes: 0)),
        ("length:varint", "80", .truncated),
        ("length:varint", "ffffffffffffffffff0161", .cutRecord(offset: 0, byteCount: .max, leftBytes: 1)),
        ("length:varint", "ffffffffffffffffff02", .malformed(offset: 0)),
        ("length:varint", "80808080808080808080", .malformed(offset: 0)),
        ("skip:3", "6162", .tooShort(byteCount: 2)),
    ]

    @Test("What does not divide exactly has a reason", arguments: undivided)
    func problems(codec: String, message: String, problem: CodecProblem) throws {
        for isText in [true, false] {
            expectEqual(try Self.split(bytes(message), codec, isText: isText), .failure(problem))
        }
    }

    static let cuts: [(codec: String, message: String, offset: Int)] = [
        ("skip:1", "c3a9", 1), (#"split:\xc3"#, "c3a9", 1), (#"split:\xa9"#, "c3a9", 1), (#"split:\xa9"#, "61c3a9", 2),
        ("length:u8", "01c3a9", 2),
    ]

    @Test("A text is not cut within a character, but a binary message is", arguments: cuts)
    func characters(codec: String, message: String, offset: Int) throws {
        expectEqual(try Self.split(bytes(message), codec), .failure(.cutCharacter(offset: offset)))
        let binary = try Self.split(bytes(message), codec, isText: false)
        #expect(binary != .failure(.cutCharacter(offset: offset)))
    }

    @Test("A binary message that begins like an array has to be UTF-8")
    func invalidText() throws {
        expectEqual(try Self.split(bytes("5b22ff225d"), "array", isText: false), .failure(.notUTF8))
        expectEqual(try Self.split(bytes("ff5b"), "array", isText: false), .success(["\u{fffd}["]))
    }

    @Test("The number of records is limited, because an empty record takes a byte and its range 16")
    func limit() throws {
        let count = Codec.maximumRecordCount
        for (codec, unit) in [("length:u8", "\0"), ("lines", "a\n"), ("array", "1,")] {
            for extra in [0, 1] {
                var message = Array(String(repeating: unit, count: count + extra).utf8)
                if codec == "array" { message = [UInt8(ascii: "[")] + message.dropLast() + [UInt8(ascii: "]")] }
                var records: [Range<Int>] = []
                let result = Result {
                    try Codec(named: codec).splitRecords(message.span.bytes, isText: true, into: &records)
                }
                expectEqual((try? result.get()) != nil, extra == 0)
                if case .failure(let error) = result {
                    expectEqual(error as? CodecProblem, .tooManyRecords(limit: count))
                }
            }
        }
    }

    static let badNames: [(name: String, problem: CodecNameProblem)] = [
        ("split:", .emptySeparator), (#"split:\q"#, .badEscape(#"\q"#)), (#"split:a\x1"#, .badEscape(#"\x1"#)),
        (#"split:\xgg1"#, .badEscape(#"\xgg"#)), (#"split:a\"#, .badEscape(#"\"#)), (#"split:\éa"#, .badEscape(#"\é"#)),
        ("length:u7", .unknownLength), ("length:", .unknownLength), ("skip:", .notANumber), ("skip:-1", .notANumber),
        ("skip:+1", .notANumber), ("skip:9223372036854775808", .notANumber), ("split", .unknown), ("length", .unknown),
        ("exec:", .unknown), ("lines:", .unknown), ("", .unknown), ("skip:0:", .notANumber),
    ]

    @Test("A bad name says why", arguments: badNames)
    func names(name: String, problem: CodecNameProblem) {
        #expect(throws: problem) { try Codec(named: name) }
    }
}
