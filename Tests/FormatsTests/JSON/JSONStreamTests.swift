import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONStreamTests {
    /// A stream whose blocks have a size.
    private static func stream(_ text: [UInt8], blockBytes: Int) -> JSONStream {
        JSONStream { offset, block in block = Array(text[offset..<min(text.count, offset + blockBytes)]) }
    }

    /// Why a text cannot be skipped as a whole, or `nil` if it can.
    private static func problem(in text: String, blockBytes: Int) -> JSONStreamError? {
        var stream = stream(Array(text.utf8), blockBytes: blockBytes)
        do throws(JSONStreamError) {
            try stream.skip()
            try stream.finish()
            return nil
        } catch {
            return error
        }
    }

    static let acceptanceCases: [String] = [
        #"{"a":[1.5e+3,"x\u00e9\n"],"b":{"c":null},"d":[{},[],""]}"#, " [ true , false ] \n", "0", "-0.5E-7",
        "[1,]",
        #"{"a":1,}"#, #"{"a"}"#, #"{"a":1 "b":2}"#, "[1 2]", "01", "1.", "-", "1e", "nul", "[true,fals", #""\x""#,
        #""\u12g4""#, "\"a\nb\"", "{1:2}", "[1}", "", "]", "1 2", #"{"a":"#, "\"",
    ]

    @Test("A text is accepted or rejected as by JSONReader, with any size of blocks", arguments: Self.acceptanceCases)
    func acceptance(text: String) {
        let expected = JSONReader.problem(in: Array(text.utf8).span.bytes).map { JSONStreamError.invalid($0) }
        for blockBytes in 1...8 {
            expectEqual(Self.problem(in: text, blockBytes: blockBytes), expected, "\(blockBytes)")
        }
    }

    @Test("Values are taken whole, with any size of blocks", arguments: 1...12)
    func values(blockBytes: Int) throws {
        let text = Array(#" {"skipped":["x",{"y":1}], "na\u006de" : {"é":[1, 2]}, "list":[ "a" ,7]} "#.utf8)
        var stream = Self.stream(text, blockBytes: blockBytes)
        try expectTrue(stream.enter(.object))
        try expectEqual(stream.nextMember(), "skipped")
        try stream.skip()
        try expectEqual(stream.nextMember(), "name")
        try expectFalse(stream.enter(.array))
        try expectEqual(Self.taken(&stream), #"{"é":[1, 2]}"#)
        try expectEqual(stream.nextMember(), "list")
        try expectTrue(stream.enter(.array))
        try expectTrue(stream.nextElement())
        try expectEqual(Self.taken(&stream), #""a""#)
        try expectTrue(stream.nextElement())
        try expectEqual(Self.taken(&stream), "7")
        try expectFalse(stream.nextElement())
        try expectNil(stream.nextMember())
        try stream.finish()
    }

    private static func taken(_ stream: inout JSONStream) throws -> String {
        let text = try stream.take(limitBytes: 100)
        return text.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("A stream can begin at the offset of a value") func offset() throws {
        let text = Array(#"{"a":["b"]}"#.utf8)
        var stream = JSONStream(at: 5) { offset, block in block = Array(text[offset..<min(text.count, offset + 2)]) }
        try expectTrue(stream.enter(.array))
        try expectTrue(stream.nextElement())
        expectEqual(stream.offset, 6)
    }

    @Test("RFC 8259 §8.1: a byte order mark is ignored") func mark() throws {
        expectNil(Self.problem(in: "\u{FEFF}{}", blockBytes: 100))
    }

    @Test("A taken value must be UTF-8 and within the limit; a skipped one may be anything") func limits() throws {
        let text = Array(#"["12345678"]"#.utf8)
        for blockBytes in [1, 100] {
            var stream = Self.stream(text, blockBytes: blockBytes)
            _ = try stream.enter(.array)
            _ = try stream.nextElement()
            #expect(throws: JSONStreamError.tooLong(offset: 1, limitBytes: 9)) { _ = try stream.take(limitBytes: 9) }
        }
        let invalid: [UInt8] = [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")]
        var stream = Self.stream(invalid, blockBytes: 2)
        #expect(throws: JSONStreamError.notUTF8(offset: 0)) { _ = try stream.take(limitBytes: 9) }
        var other = Self.stream(invalid, blockBytes: 2)
        try other.skip()
    }

    @Test("Nesting is limited as in JSONReader") func depth() {
        let text = String(repeating: "[", count: 513)
        expectEqual(Self.problem(in: text, blockBytes: 64), .invalid(.tooDeep(limit: 512)))
    }
}
