import TestSupport
import Testing

@testable import WSCore

@Suite("BodyFraming finds the end of a body") struct BodyFramingTests {
    static func request(_ lines: String..., minorVersion: Int = 1) throws -> RequestHead {
        RequestHead(
            method: "POST", target: "/", fields: HTTPFields(try lines.map { try HeaderField(parsing: $0) }),
            minorVersion: minorVersion)
    }

    /// The number of bytes taken from pieces of one byte, and from the whole; nil if malformed.
    static func counts(_ framing: BodyFraming, _ text: String) -> [Int?] {
        let bytes = Array(text.utf8)
        var (whole, pieces) = (framing, framing)
        var count: Int? = 0
        for byte in bytes {
            let piece = [byte]
            guard let sum = count, let taken = pieces.take(piece.span.bytes) else {
                count = nil
                break
            }
            count = sum + taken
        }
        return [whole.take(bytes.span.bytes), count]
    }

    @Test("A request without a length has no body")
    func none() throws {
        let framing = try #require(BodyFraming(of: try Self.request()))
        #expect(framing.isComplete && framing.field == nil)
        expectEqual(Self.counts(framing, "GET /"), [0, 0])
    }

    @Test("A length counts bytes")
    func length() throws {
        let framing = try #require(BodyFraming(of: try Self.request("Content-Length: 5")))
        expectEqual(Self.counts(framing, "hello, world"), [5, 5])
        expectEqual(Self.counts(framing, "hel"), [3, 3])
        expectEqual(framing.field?.line, "Content-Length: 5\r\n")
        expectEqual(BodyFraming(of: try Self.request("Content-Length: 0"))?.isComplete, true)
    }

    @Test(
        "Chunks end with their last line",
        arguments: ["3\r\nabc\r\n0\r\n\r\n", "0\r\n\r\n", "1;a=b\r\nx\r\n0\r\nT: 1\r\n\r\n"])
    func chunks(text: String) throws {
        let framing = try #require(BodyFraming(of: try Self.request("Transfer-Encoding: Chunked")))
        expectEqual(Self.counts(framing, text + "GET /"), [text.utf8.count, text.utf8.count])
        expectEqual(framing.field?.line, "Transfer-Encoding: chunked\r\n")
    }

    static let malformedChunksCases: [String] = [
        "x", "\r\n", "3\nabc", "3\r\nabcd", "123456789\r\n", "-1\r\n", "0\r\nno colon\r\n\r\n",
        "0\r\nA : b\r\n\r\n",
        "0\r\n: b\r\n\r\n", "0\r\n A: b\r\n\r\n", "0\r\nA: \0\r\n\r\n", "0\r\nA\u{e4}: b\r\n\r\n",
        "1;\u{1}\r\nx\r\n",
    ]

    @Test("Malformed chunks and trailers are refused", arguments: Self.malformedChunksCases)
    func malformedChunks(text: String) throws {
        let framing = try #require(BodyFraming(of: try Self.request("Transfer-Encoding: chunked")))
        expectEqual(Self.counts(framing, text), [nil, nil])
    }

    @Test("The lines of trailers are separate from content and framing, however the bytes are split")
    func trailers() throws {
        let text = Array("3;x=y\r\nabc\r\n0\r\nA: 1\r\nB: \r\n\r\nrest".utf8)
        for size in 1...text.count {
            var framing = BodyFraming.chunked
            var (content, trailers) = ([UInt8](), [UInt8]())
            for start in stride(from: 0, to: text.count, by: size) {
                let piece = Array(text[start..<min(start + size, text.count)])
                let isValid = framing.takeContent(piece.span.bytes) {
                    $0.withUnsafeBytes { content += $0 }
                } trailer: {
                    trailers.append($0)
                }
                #expect(isValid)
            }
            #expect(framing.isComplete && content == Array("abc".utf8))
            expectEqual(String(decoding: trailers, as: UTF8.self), "A: 1\r\nB: \r\n")
        }
    }

    static let ambiguousCases: [[String]] = [
        ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Content-Length: 5", "Content-Length: 5"],
        ["Content-Length: 5, 5"], ["Content-Length: +5"], ["Content-Length: "], ["Content-Length: 0x5"],
        ["Content-Length: 18446744073709551616"], ["Transfer-Encoding: gzip"],
        ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: "],
    ]

    @Test("A request that two parsers could read differently has no framing", arguments: Self.ambiguousCases)
    func ambiguous(lines: [String]) throws {
        let fields = HTTPFields(try lines.map { try HeaderField(parsing: $0) })
        expectNil(BodyFraming(of: RequestHead(method: "POST", target: "/", fields: fields)))
    }

    @Test("HTTP/1.0 has no chunked coding")
    func oldVersion() throws {
        expectNil(BodyFraming(of: try Self.request("Transfer-Encoding: chunked", minorVersion: 0)))
    }

    @Test(
        "Some responses have no body, whatever their fields claim",
        arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 100)])
    func withoutBody(method: String, status: Int) throws {
        let fields = HTTPFields([try HeaderField(parsing: "Content-Length: 5")])
        let head = ResponseHead(status: status, reason: "", fields: fields)
        expectEqual(BodyFraming(passing: head, answering: method)?.isComplete, true)
        expectEqual(BodyFraming.fieldWithoutContent(of: head)?.line, "Content-Length: 5\r\n")
    }

    static let responses: [(fields: [String], minorVersion: Int, length: BodyFraming.Length?)] = [
        ([], 1, .untilEndOfStream), (["Content-Length: 5"], 0, .bytes(5)),
        (["Content-Length: 5", "Content-Length: 5"], 1, .bytes(5)), (["Content-Length: 5, 6"], 1, nil),
        (["Content-Length: 5", "Content-Length: 6"], 1, nil), (["Content-Length: +5"], 1, nil),
        (["Content-Length: "], 1, nil), (["Content-Length: 18446744073709551616"], 1, nil),
        (["Transfer-Encoding: chunked", "Content-Length: 5"], 1, .chunked), (["Transfer-Encoding: chunked"], 0, nil),
        (["Transfer-Encoding: gzip, chunked"], 1, nil), (["Transfer-Encoding: gzip"], 1, nil),
        (["Transfer-Encoding: identity"], 1, nil), (["Transfer-Encoding: "], 1, nil),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 1, nil),
    ]

    @Test("A gateway discards a response whose framing is faulty", arguments: responses)
    func faulty(fields: [String], minorVersion: Int, length: BodyFraming.Length?) throws {
        let head = ResponseHead(
            status: 200, reason: "", fields: HTTPFields(try fields.map { try HeaderField(parsing: $0) }),
            minorVersion: minorVersion)
        expectEqual(BodyFraming(passing: head, answering: "GET")?.length, length)
    }

    @Test("A response without a length extends to the end of the stream")
    func untilEnd() {
        let framing = BodyFraming(of: ResponseHead(status: 200, reason: "", fields: HTTPFields()))
        expectEqual(framing.length, .untilEndOfStream)
        expectEqual(Self.counts(framing, "abc"), [3, 3])
    }
}
