import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct CodecChainTests {
    /// `{"op":10}`, `{"op":11, "d": [1,2]}`, and three times the first, in a zlib stream.
    private static let streamed = [
        "789caa56ca2f50b23234a805000000ffff", "aa86300c7514945294ac14a20d758c626b01000000ffff",
        "aa4693456200000000ffff",
    ]
    private static let gzipJSON = "1f8b0800000000000203ab564a54b25230ac0500978ea1fb08000000"
    private static let gzipMessagePack = "1f8b08000000000002036b5c98c808006553faa704000000"
    private static let zlibJSON = "789cab564a54b25230ac050009e50229"
    /// 100,000 zeros.
    private static let bomb =
        "78daedc13101000000c2a0f54f6d0d0fa0" + String(repeating: "0", count: 192) + "80570386af0001"

    private static func decode(
        _ codecs: [Codec], _ messages: [String], limitBytes: Int = 1 << 20
    ) -> [Result<String, CodecError>] {
        var chain = CodecChain(codecs, limitBytes: limitBytes)
        var records = MessageRecords()
        return messages.map { message in
            let message = bytes(message)
            do throws(CodecError) {
                let outcome = try chain.decode(message.span.bytes, into: &records)
                switch outcome {
                case .decoded: return .success(Self.texts(of: records, message).joined(separator: " | "))
                case .unchanged, .incomplete, .program: return .success("\(outcome)")
                }
            } catch {
                return .failure(error)
            }
        }
    }

    /// The records of a message: texts, and hexadecimal of binary ones.
    private static func texts(of records: borrowing MessageRecords, _ message: [UInt8] = []) -> [String] {
        (0..<records.count).map { index in
            let bytes = records.withRecord(index, of: message.span.bytes) { $0.withUnsafeBytes { Array($0) } }
            return records.isText(index) ? String(decoding: bytes, as: UTF8.self) : hex(bytes)
        }
    }

    /// The codecs with these names, separated by spaces.
    private static func codecs(_ names: String) throws -> [Codec] {
        try names.split(separator: " ").map { try Codec(named: String($0)) }
    }

    @Test("Splitters make several records of a message, which later steps convert one by one")
    func split() throws {
        for (names, message, expected) in [
            ("lines", "{}\n\r\n[1]\r\n", "{} | [1]"), ("array", #" [1, {"a": 2}] "#, #"1 | {"a": 2}"#),
            ("array", "[]", ""), ("array lines", #"["a"]"#, #""a""#), ("lines array", "[1,2]\n[]\n3", "1 | 2 | 3"),
            ("skip:1 lines", "xa\nb", "a | b"), ("lines skip:1", "xa\nxb", "a | b"),
        ] {
            var chain = CodecChain(try Self.codecs(names), limitBytes: 1000)
            var records = MessageRecords()
            let message = Array(message.utf8)
            expectEqual(try chain.decode(message.span.bytes, isText: true, into: &records), .decoded)
            expectEqual(Self.texts(of: records, message).joined(separator: " | "), expected)
        }
    }

    @Test("Codecs convert the records of binary messages, and pass text messages through")
    func records() throws {
        let binary = Self.decode([.length(.u8), .messagePack], ["0193029106"])
        expectEqual(binary, [.failure(CodecError(codec: .messagePack, problem: .truncated))])
        expectEqual(Self.decode([.length(.u8), .messagePack], ["0105029106"]), [.success("5 | [6]")])
        expectEqual(Self.decode([.length(.u8), .json], [""]), [.success("")])
        var chain = CodecChain([.lines, .messagePack], limitBytes: 1000)
        var records = MessageRecords()
        let text = Array("a\nb".utf8)
        expectEqual(try chain.decode(text.span.bytes, isText: true, into: &records), .decoded)
        expectEqual(Self.texts(of: records, text), ["a", "b"])
        expectEqual(chain.applied, [.lines])
        expectEqual(
            Self.decode([.length(.u8), .json], ["01310132"], limitBytes: 1),
            [
                .failure(CodecError(codec: .json, problem: .tooBig(limitBytes: 1)))
            ])
    }

    @Test("What the last splitter leaves of a record is kept for outputs of bytes")
    func pieces() throws {
        for (codecs, expected): ([Codec], [String?]) in [
            ([.length(.u8), .messagePack], ["05", "9106"]), ([.length(.u8)], [nil, nil]),
        ] {
            var chain = CodecChain(codecs, limitBytes: 1000, keeping: .pieces)
            var records = MessageRecords()
            let message = bytes("0105029106")
            _ = try chain.decode(message.span.bytes, into: &records)
            expectEqual((0..<2).map { records.piece(of: $0).map(hex) }, expected)
        }
    }

    @Test("A message is put together from its records; unchanged ones keep their bytes")
    func assemble() throws {
        // - removes a record, and = leaves it unchanged.
        for (names, message, edits, expected) in [
            ("lines", "a\nb\nc", "X - =", "X\nc"), ("array", "[1, 2,3]", "= = 4", "[1,2,4]"),
            ("skip:2", "xxa", "b", "xxb"), ("lines array", "[1,2]\n[3]", "- 7 -", "[7]"),
            ("lines skip:1", "xa\nyb", "- c", "yc"),
        ] {
            var chain = CodecChain(try Self.codecs(names), limitBytes: 1000, keeping: .everything)
            var records = MessageRecords()
            let message = Array(message.utf8)
            _ = try chain.decode(message.span.bytes, isText: true, into: &records)
            let edits = edits.split(separator: " ").map { word -> RecordEdit in
                word == "-" ? .removed : word == "=" ? .unchanged : .changed(Array(word.utf8))
            }
            let result = try chain.assemble(records, of: message.span.bytes, edits, isText: true)
            expectEqual(result, .changed(Array(expected.utf8)))
            let removed = edits.map { _ in RecordEdit.removed }
            expectEqual(try chain.assemble(records, of: message.span.bytes, removed, isText: true), .removed)
        }
    }

    @Test("Binary messages are encoded again, through all steps")
    func assembleBinary() throws {
        var chain = CodecChain([.length(.u8), .messagePack], limitBytes: 1000, keeping: .everything)
        var records = MessageRecords()
        // Twice a 5, of which the first is not in the shortest form.
        let message = bytes("02cc050105")
        _ = try chain.decode(message.span.bytes, into: &records)
        let edits: [RecordEdit] = [.unchanged, .changed(Array("[6]".utf8))]
        let result = try chain.assemble(records, of: message.span.bytes, edits, isText: false)
        expectEqual(result, .changed(bytes("02cc05029106")))
        expectEqual(CodecChain.irreversible([.gzip, .lines, .auto], changes: false), nil)
        expectEqual(CodecChain.irreversible([.gzip, .lines, .auto], changes: true), .auto)
        expectEqual(CodecChain.irreversible([.zlibStream, .lines], changes: false), .zlibStream)
    }

    @Test("A zlib stream spans messages, as Discord sends it")
    func stream() {
        let texts = [#"{"op":10}"#, #"{"op":11, "d": [1,2]}"#, #"{"op":10}{"op":10}{"op":10}"#]
        expectEqual(Self.decode([.zlibStream], Self.streamed), texts.map { .success($0) })
        expectEqual(
            Self.decode([.auto], Array(Self.streamed[..<2])), [.success(texts[0]), .success(#"{"op":11,"d":[1,2]}"#)])
    }

    @Test("The chain names the formats that it has found")
    func applied() throws {
        var chain = CodecChain([.auto], limitBytes: 1000)
        var output = MessageRecords()
        var found: [[Codec]] = []
        for message in [Self.gzipJSON, Self.gzipMessagePack, "81a16101", "00"] {
            _ = try chain.decode(bytes(message).span.bytes, into: &output)
            found.append(chain.applied)
        }
        expectEqual(found, [[.gzip, .json], [.gzip, .messagePack], [.messagePack], []])
    }

    @Test("A message of a zlib stream may be split anywhere")
    func splitStream() {
        let whole = Self.streamed[0]
        for split in stride(from: 2, to: whole.count, by: 2) {
            let pieces = [String(whole.prefix(split)), String(whole.dropFirst(split)), Self.streamed[1]]
            let results = Self.decode([.zlibStream, .json], pieces)
            expectEqual(results, [.success("incomplete"), .success(#"{"op":10}"#), .success(#"{"op":11,"d":[1,2]}"#)])
        }
    }

    @Test(
        "An empty message between messages of a zlib stream is not incomplete, and has no other format",
        arguments: [[Codec.zlibStream], [.zlibStream, .auto]])
    func emptyMessage(codecs: [Codec]) {
        let results = Self.decode(codecs, [Self.streamed[0], "", Self.streamed[1]])
        #expect(results.count == 3 && results[0] == .success(#"{"op":10}"#))
        expectEqual(results[1], .success("unchanged"))
    }

    @Test("A message of the stream is incomplete until its last piece, or the next connection")
    func incompleteMessage() throws {
        var chain = CodecChain([.zlibStream], limitBytes: 1000)
        var output = MessageRecords()
        let message = bytes(Self.streamed[0])
        var states: [Bool] = []
        for piece in [message[..<5], message[5...], message[..<5]] {
            _ = try? chain.decode(Array(piece).span.bytes, into: &output)
            states.append(chain.isMessageIncomplete)
        }
        chain.connectionOpened()
        states.append(chain.isMessageIncomplete)
        expectEqual(states, [true, false, false, false])
    }

    @Test("A damaged zlib stream is lost until the next connection")
    func lostStream() throws {
        let results = Self.decode([.zlibStream], [Self.streamed[0], "ff", Self.streamed[1]])
        expectEqual(results[1], .failure(CodecError(codec: .zlibStream, problem: .corrupt)))
        expectEqual(results[2], .failure(CodecError(codec: .zlibStream, problem: .streamLost)))
        var chain = CodecChain([.zlibStream], limitBytes: 5)
        var output = MessageRecords()
        let message = bytes(Self.streamed[0])
        for problem in [CodecProblem.tooBig(limitBytes: 5), .streamLost] {
            #expect(throws: CodecError(codec: .zlibStream, problem: problem)) {
                try chain.decode(message.span.bytes, into: &output)
            }
        }
        chain.connectionOpened()
        #expect(throws: CodecError(codec: .zlibStream, problem: .tooBig(limitBytes: 5))) {
            try chain.decode(message.span.bytes, into: &output)
        }
    }

    @Test("Raw DEFLATE data is decompressed per message; its end, or a flush, completes it (RFC 1951)")
    func deflate() {
        let (complete, flushed) = ("ab564a54b25230ac0500", "aa564a54b25230ac05000000ffff")
        for message in [complete, flushed] {
            expectEqual(Self.decode([.deflate], [message, message]), [.success(#"{"a": 1}"#), .success(#"{"a": 1}"#)])
            expectEqual(Self.decode([.deflate, .json], [message]), [.success(#"{"a":1}"#)])
        }
        for (message, problem): (String, CodecProblem) in [
            ("", .truncated), (String(complete.dropLast(2)), .truncated), (complete + "00", .trailing(byteCount: 1)),
            ("ff", .corrupt),
        ] {
            expectEqual(Self.decode([.deflate], [message]), [.failure(CodecError(codec: .deflate, problem: problem))])
        }
    }

    @Test("Text in binary messages has to be UTF-8")
    func plainText() {
        expectEqual(Self.decode([.plainText], ["68c3a9", ""]), [.success("h\u{e9}"), .success("")])
        expectEqual(Self.decode([.plainText], ["c3"]), [.failure(CodecError(codec: .plainText, problem: .notUTF8))])
    }

    @Test(
        "gzip and zlib data is decompressed per message",
        arguments: [
            (gzipJSON, #"{"a": 1}"#), (zlibJSON, #"{"a": 1}"#), (gzipMessagePack, "81a16101"),
            // RFC 1952 §2.2: several members.
            ("1f8b08000000000002038b36d4010012732d6b030000001f8b0800000000000203338a0500c76b73b902000000", "[1,2]"),
        ])
    func gzip(message: String, text: String) {
        expectEqual(Self.decode([.gzip], [message]), [.success(text)])
    }

    @Test(
        "Damaged compressed data names the problem",
        arguments: [
            ("", .truncated), (String(gzipJSON.dropLast(2)), .truncated), (gzipJSON + "00", .trailing(byteCount: 1)),
            (String(gzipJSON.dropLast(2)) + "01", .corrupt), ("1f8c08", .corrupt), ("7b7d", .corrupt),
        ] as [(String, CodecProblem)])
    func damagedData(message: String, problem: CodecProblem) {
        expectEqual(Self.decode([.gzip], [message]), [.failure(CodecError(codec: .gzip, problem: problem))])
    }

    @Test("Every prefix of gzip data is incomplete")
    func gzipPrefixes() {
        let data = Self.gzipJSON
        for count in stride(from: 0, to: data.count, by: 2) {
            let results = Self.decode([.gzip], [String(data.prefix(count))])
            expectEqual(results, [.failure(CodecError(codec: .gzip, problem: .truncated))])
        }
    }

    @Test("Data that decompresses beyond the limit fails", arguments: [Codec.gzip, .auto, .zlibStream])
    func bombs(codec: Codec) {
        let problem = CodecError(codec: codec, problem: .tooBig(limitBytes: 99_999))
        expectEqual(Self.decode([codec], [Self.bomb], limitBytes: 99_999), [.failure(problem)])
        guard codec != .auto else { return }
        expectEqual(
            Self.decode([codec], [Self.bomb], limitBytes: 100_000),
            [
                .success(String(repeating: "\0", count: 100_000))
            ])
    }

    @Test("Codecs apply in order, the outermost first")
    func order() {
        expectEqual(Self.decode([.gzip, .messagePack], [Self.gzipMessagePack]), [.success(#"{"a":1}"#)])
        expectEqual(Self.decode([.gzip, .json], [Self.gzipJSON]), [.success(#"{"a":1}"#)])
        expectEqual(
            Self.decode([.gzip, .auto], [Self.gzipMessagePack, Self.gzipJSON]),
            [.success(#"{"a":1}"#), .success(#"{"a":1}"#)])
        let problem = CodecError(codec: .json, problem: .notUTF8)
        expectEqual(Self.decode([.gzip, .json], [Self.gzipMessagePack]), [.failure(problem)])
    }

    static let detectionCases: [(String, String)] = [
        (gzipJSON, #"{"a":1}"#), (zlibJSON, #"{"a":1}"#), (gzipMessagePack, #"{"a":1}"#),
        ("7b2261223a2031207d", #"{"a":1}"#), ("81a16101", #"{"a":1}"#), ("a1616101", #"{"a":1}"#),
        ("920102", "[1,2]"), ("820102", "[1,2]"), ("9fff", "[]"), ("d9d9f7820102", #"{"$tag":[55799,[1,2]]}"#),
        // Empty in both: MessagePack comes before CBOR.
        ("80", "{}"),
        ("00", "unchanged"), ("", "unchanged"), ("ffff", "unchanged"), ("a3616263", "unchanged"),
        ("81a161", "unchanged"), ("1f8b0800", "unchanged"), ("8901", "unchanged"),
    ]

    @Test("auto detects the format of each message", arguments: Self.detectionCases)
    func detection(message: String, result: String) {
        expectEqual(Self.decode([.auto], [message]), [.success(result)])
    }

    @Test("auto takes data that only looks like a zlib stream as what it is")
    func noStream() {
        // Texts in CBOR that begin like zlib and end like a flush, in an array and alone.
        let text = "789c" + String(repeating: "61", count: 152) + "0000ffff"
        expectEqual(Self.decode([.auto], [text, "a1616101"]), [.success("unchanged"), .success(#"{"a":1}"#)])
        // A stream that is damaged later is lost.
        let results = Self.decode([.auto], [Self.streamed[0], "ff0000ffff", "a1616101"])
        expectEqual(results[1], .failure(CodecError(codec: .auto, problem: .corrupt)))
        expectEqual(results[2], .failure(CodecError(codec: .auto, problem: .streamLost)))
    }

    @Test("auto leaves decompressed data of another format as it is")
    func decompressedOther() {
        expectEqual(Self.decode([.auto], ["789cab000000790079"]), [.success("x")])
        expectEqual(Self.decode([.auto], ["789cfbff1f0002ff01ff"]), [.success("ffff")])
    }

    @Test("json puts a text on one line and keeps its tokens")
    func compactJSON() {
        let message = hex(Array(#"{ "a" : [ 1.50 , "x y" ,\#n{ } , [ ] ] , "b":1e5, "a":null }"#.utf8))
        expectEqual(Self.decode([.json], [message]), [.success(#"{"a":[1.50,"x y",{},[]],"b":1e5,"a":null}"#)])
        let problem = CodecError(codec: .json, problem: .notJSON(.truncated))
        expectEqual(Self.decode([.json], ["5b"]), [.failure(problem)])
    }

    @Test("A program divides the chain")
    func program() throws {
        var chain = CodecChain([.gzip, .program("cat"), .json], limitBytes: 1000)
        var output = MessageRecords()
        let outcome = try chain.decode(bytes(Self.gzipJSON).span.bytes, into: &output)
        expectEqual(outcome, .program(index: 1))
        expectEqual(Self.texts(of: output), [#"{"a": 1}"#])
        var answers = MessageRecords()
        answers.append(Array("[ 1 ]".utf8).span.bytes, isText: true, piece: nil)
        expectEqual(try chain.resume(after: 1, into: &answers), .decoded)
        expectEqual(Self.texts(of: answers), ["[1]"])
    }

    @Test("Codecs have names, and all that are listed are found by them")
    func names() {
        for codec in Codec.all { expectEqual(try? Codec(named: codec.name), codec) }
        for name in [#"split:\r\n"#, "split:, ", "length:varint", "skip:20", "exec:protoc --decode x"] {
            expectEqual(try? Codec(named: name).name, name)
        }
        expectEqual(try? Codec(named: "exec:protoc --decode x"), .program("protoc --decode x"))
        expectEqual(Codec.all.filter(\.canEncode).map(\.name), ["msgpack", "cbor"])
        expectEqual(
            CodecError(codec: .zlibStream, problem: .corrupt).description, "zlib-stream: the compressed data is damaged"
        )
    }
}
