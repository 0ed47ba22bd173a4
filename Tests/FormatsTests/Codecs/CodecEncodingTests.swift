import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct CodecEncodingTests {
    private static func encoded(_ name: String, _ message: String, isText: Bool = true) throws -> [UInt8] {
        var buffer = ByteBuffer()
        try Codec(named: name).encode(bytes(message).span.bytes, isText: isText, to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    static let encodings: [(codec: String, message: String, encoding: String)] = [
        (#"split:\x1e"#, "7b7d", "7b7d1e"), (#"split:\x1e"#, "", "1e"), (#"split:\r\n"#, "610d", "610d0d0a"),
        ("length:u8", "6162", "026162"), ("length:u16", "6162", "00026162"), ("length:u32", "61", "0000000161"),
        ("length:u16le", "6162", "02006162"), ("length:u32le", "", "00000000"), ("length:varint", "61", "0161"),
    ]

    @Test("split and length encode texts and binary messages as one record", arguments: encodings)
    func encoding(codec: String, message: String, encoding: String) throws {
        for isText in [true, false] {
            expectEqual(hex(try Self.encoded(codec, message, isText: isText)), encoding)
        }
        #expect(try Codec(named: codec).canEncode && Codec(named: codec).keepsKind)
    }

    @Test("A record must not contain its separator, and its length must fit")
    func impossible() throws {
        func expectProblem(_ problem: CodecProblem, _ name: String, _ message: String, isText: Bool = true) throws {
            let error = CodecError(codec: try Codec(named: name), problem: problem)
            #expect(throws: error) { try Self.encoded(name, message, isText: isText) }
        }
        try expectProblem(.containsSeparator, #"split:\x1e"#, "611e62")
        // The record ends within what would be the separator.
        try expectProblem(.containsSeparator, "split:aa", "6261")
        let long = String(repeating: "61", count: 256)
        try expectProblem(.recordTooLong(byteCount: 256, limit: 255), "length:u8", long)
        try expectProblem(.resultNotUTF8, "length:u8", String(repeating: "61", count: 200))
        try expectProblem(.resultNotUTF8, "length:varint", String(repeating: "61", count: 128))
        try expectProblem(.resultNotUTF8, #"split:\xff"#, "61")
        expectEqual(
            try Self.encoded("length:varint", String(repeating: "61", count: 300), isText: false).prefix(2), [0xAC, 2])
        expectEqual(try Self.encoded("length:u16", long, isText: false).prefix(2), [1, 0])
        for name in ["lines", "array", "skip:1", "gzip", "protobuf", "auto"] {
            try expectProblem(.cannotEncode, name, "61")
        }
    }

    /// Joins records to a message that replaces another one.
    private static func joined(
        _ name: String, _ records: [[UInt8]], original: [UInt8], isText: Bool = true
    ) throws -> [UInt8] {
        var buffer = ByteBuffer()
        var ranges: [Range<Int>] = []
        for record in records {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + record.count)
        }
        let codec = try Codec(named: name)
        #expect(codec.hasInverse)
        try codec.joinRecords(
            Array(records.joined()).span.bytes, ranges, original: original.span.bytes, isText: isText, to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    static let joins: [(codec: String, original: String, records: [String], message: String)] = [
        ("lines", "a\nb\n", ["x", "b"], "x\nb\n"), ("lines", "a\nb", ["a", "y"], "a\ny"), ("lines", "a\nb", ["b"], "b"),
        ("lines", "a\r\nb\r\n", ["x", "y"], "x\r\ny\r\n"), ("lines", "a\nb\r\r\n", ["a", "b\r"], "a\nb\r\r\n"),
        ("lines", "a\n", [], ""), (#"split:\x1e"#, "a\u{1e}b\u{1e}", ["x", "b"], "x\u{1e}b\u{1e}"),
        (#"split:\x1e"#, "a\u{1e}b", ["x", "b"], "x\u{1e}b"), ("split:aa", "aaa", ["a"], "a"),
        ("split:aa", "baa", ["b"], "baa"),
        ("array", " [1, 2]", ["{\"a\":1}", "2"], "[{\"a\":1},2]"), ("array", "[1]", [], "[]"),
        ("array", "x", ["y"], "y"),
        ("length:u8", "\u{1}a\u{1}b", ["abc", ""], "\u{3}abc\0"), ("skip:2", "abcd", ["x"], "abx"),
        ("json", "{ }", ["{}"], "{}"), ("text", "a", ["é"], "é"),
    ]

    @Test("Changed records are joined like the original", arguments: joins)
    func joining(codec: String, original: String, records: [String], message: String) throws {
        let joined = try Self.joined(codec, records.map { Array($0.utf8) }, original: Array(original.utf8))
        expectEqual(String(decoding: joined, as: UTF8.self), message)
    }

    @Test("What could not be cut again is an error")
    func unjoined() throws {
        let cases: [(String, String, CodecProblem)] = [
            ("lines", "a\nb", .containsSeparator), (#"split:\x1e"#, "a\u{1e}", .containsSeparator),
            ("array", "a", .notJSON(.unexpected(offset: 0))),
            ("length:u8", String(repeating: "a", count: 300), .recordTooLong(byteCount: 300, limit: 255)),
            ("msgpack", "x", .notJSON(.unexpected(offset: 0))),
        ]
        for (name, record, problem) in cases {
            let error = CodecError(codec: try Codec(named: name), problem: problem)
            #expect(throws: error) { try Self.joined(name, [Array(record.utf8)], original: Array("[1]\n".utf8)) }
        }
        let names = ["auto", "zlib-stream", "protobuf", "exec:a"]
        expectEqual(try names.map { try Codec(named: $0).hasInverse }, [false, false, false, false])
    }

    @Test(
        "Compressed messages are compressed again in the form of the original",
        arguments: [("gzip", "1f8b08"), ("gzip", "789c"), ("deflate", "ab56")])
    func compression(codec: String, original: String) throws {
        let text = Array(String(repeating: "{\"a\":1}\n", count: 100_000).utf8)
        let message = try Self.joined(codec, [text], original: bytes(original), isText: false)
        #expect(message.count < text.count / 100)
        if codec == "gzip" {
            expectEqual(DataInflater.isGzip(message.span.bytes), original.hasPrefix("1f"))
            expectEqual(DataInflater.isZlib(message.span.bytes), original.hasPrefix("78"))
        }
        var chain = CodecChain([try Codec(named: codec)], limitBytes: 1 << 24)
        var records = MessageRecords()
        _ = try chain.decode(message.span.bytes, into: &records)
        #expect(records.withRecord(0, of: message.span.bytes) { $0.isEqual(to: text.span.bytes) })
    }
}
