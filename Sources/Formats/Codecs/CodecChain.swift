import WSCore

/// Converts the received binary messages of a connection by one or more codecs, the outermost first. Text messages are
/// not changed.
///
///     zlib-stream ──► msgpack          a MessagePack value in each message of a zlib stream
///     gzip ──► exec:program ──► json   the caller passes the result of gzip to the program, and its answer to json
///
/// ``Codec/auto`` tries these formats in this order, and leaves a message that is none of them unchanged:
///
/// 1. a zlib stream, if the first binary message of the connection begins one and ends with a flush
/// 2. gzip or zlib data with a valid checksum, whose contents may be one of the others
/// 3. JSON in UTF-8
/// 4. MessagePack, if the message is a single array or map
/// 5. CBOR, if the message is a single array, map, or tagged value
package struct CodecChain: ~Copyable {
    /// The result of a conversion.
    package enum Outcome: Equatable, Sendable {
        /// The output contains the message.
        case decoded(isText: Bool)
        /// The message has another format and stays as it is.
        case unchanged
        /// The message ends in a later one.
        case incomplete
        /// The output is for the program of the codec at this index. Pass its answer to ``decode(_:from:into:)`` with
        /// the next index, or use it as it is after the last codec.
        case program(index: Int)
    }

    /// The codecs, the outermost first.
    package let codecs: [Codec]
    /// The codecs that converted the last input, with the formats that ``Codec/auto`` has detected.
    package private(set) var applied: [Codec] = []
    /// Whether the last message of the zlib stream is incomplete.
    package private(set) var isMessageIncomplete = false
    /// The size of the storage that is kept between messages, in bytes. A server has a chain for each client.
    private static let keptBytes = 4 << 10
    private let limitBytes: Int
    private var stream = Stream.unused
    /// The decompressed part of a message of the stream that is incomplete.
    private var partialMessage = ByteBuffer()
    /// The output of one codec, as the input of the next.
    private var spare = ByteBuffer()

    /// The zlib stream of the connection.
    private enum Stream {
        /// No binary message has been received.
        case unused
        /// `auto` found no stream.
        case absent
        case active(DataInflater)
        /// A message was damaged or too big, and later ones refer to it.
        case lost
    }

    /// Creates the chain of a connection.
    /// - Parameters:
    ///   - codecs: The codecs, the outermost first.
    ///   - limitBytes: The maximum size of a decoded message, after each codec.
    package init(_ codecs: [Codec], limitBytes: Int) {
        self.codecs = codecs
        self.limitBytes = limitBytes
    }

    /// Begins another connection.
    package mutating func connectionOpened() {
        stream = .unused
        isMessageIncomplete = false
        partialMessage.removeAll()
    }

    /// The size of the incomplete message of the zlib stream, in bytes.
    package var incompleteBytes: Int { partialMessage.count }

    /// Gives up the zlib stream of the connection. Its later messages cannot be decoded.
    package mutating func loseStream() {
        stream = .lost
        isMessageIncomplete = false
        partialMessage = ByteBuffer()
    }

    /// Converts a binary message, or the answer of a program.
    /// - Parameters:
    ///   - payload: The message.
    ///   - index: The index of the first codec to use, after that of a program. Defaults to 0.
    ///   - output: Replaced by the result.
    /// - Throws: ``CodecError``. The output is undefined.
    package mutating func decode(
        _ payload: RawSpan, from index: Int = 0, into output: inout ByteBuffer
    ) throws(CodecError) -> Outcome {
        output.removeAll()
        applied.removeAll(keepingCapacity: true)
        defer {
            spare.removeAll()
            spare.releaseStorage(above: Self.keptBytes)
        }
        var outcome = Outcome.unchanged
        for index in index..<codecs.count {
            let codec = codecs[index]
            do throws(CodecProblem) {
                if case .unchanged = outcome {
                    if case .program = codec {
                        output.append(payload)
                        return .program(index: index)
                    }
                    outcome = try decode(payload, codec, into: &output)
                    // An empty message between two others of a stream has no content for other codecs.
                    if codec == .zlibStream, outcome == .unchanged { return .unchanged }
                } else {
                    if case .program = codec { return .program(index: index) }
                    let input = output.takeAll()
                    swap(&output, &spare)
                    output.removeAll()
                    let next = try input.withReadableBytes { (input) throws(CodecProblem) in
                        try decode(input, codec, into: &output)
                    }
                    spare = input
                    // A format that `auto` does not recognize: the output of the codec before it remains.
                    if next == .unchanged { swap(&output, &spare) } else { outcome = next }
                }
            } catch {
                throw CodecError(codec: codec, problem: error)
            }
            if outcome == .incomplete { return outcome }
        }
        return outcome
    }

    private mutating func decode(
        _ input: RawSpan, _ codec: Codec, into output: inout ByteBuffer
    ) throws(CodecProblem) -> Outcome {
        switch codec {
        case .auto: return try detect(input, into: &output)
        case .messagePack: try MessagePack.decode(input, into: &output, limitBytes: limitBytes)
        case .cbor: try CBOR.decode(input, into: &output, limitBytes: limitBytes)
        case .json: try CompactJSON.append(input, to: &output)
        case .gzip, .deflate:
            try Self.decompress(input, codec == .gzip ? .wrapped : .raw, into: &output, limitBytes: limitBytes)
            applied.append(codec)
            return .decoded(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
        case .plainText:
            guard UTF8Validator.isValid(input) else { throw .notUTF8 }
            output.append(input)
        case .zlibStream: return try receiveFromStream(input, into: &output)
        case .lines, .split, .array, .length, .skip, .program: return .unchanged
        }
        applied.append(codec)
        return .decoded(isText: true)
    }

    // MARK: Compression

    private static func decompress(
        _ input: RawSpan, _ form: DataInflater.Form = .wrapped, into output: inout ByteBuffer, limitBytes: Int
    ) throws(CodecProblem) {
        do throws(DataInflater.Failure) {
            try DataInflater.decompress(input, form, into: &output, limitBytes: limitBytes)
        } catch {
            throw CodecProblem(error)
        }
    }

    private mutating func receiveFromStream(
        _ input: RawSpan, into output: inout ByteBuffer
    ) throws(CodecProblem) -> Outcome {
        // An empty message between two others is no part of the stream.
        if input.byteCount == 0, !isMessageIncomplete { return .unchanged }
        let inflater: DataInflater
        switch stream {
        case .lost: throw .streamLost
        case .active(let active): inflater = active
        case .unused, .absent:
            inflater = DataInflater()
            stream = .active(inflater)
        }
        do throws(DataInflater.Failure) {
            isMessageIncomplete = !(try inflater.receive(input, into: &partialMessage, limitBytes: limitBytes))
            if isMessageIncomplete { return .incomplete }
        } catch {
            loseStream()
            throw CodecProblem(error)
        }
        swap(&output, &partialMessage)
        partialMessage.removeAll()
        applied.append(.zlibStream)
        return .decoded(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
    }

    // MARK: Detection

    private mutating func detect(_ input: RawSpan, into output: inout ByteBuffer) throws(CodecProblem) -> Outcome {
        // With `zlib-stream` in the chain, the input comes from the stream, or contains it.
        if !codecs.contains(.zlibStream) {
            if case .unused = stream, try detectStream(input, into: &output) {
                return try detectContents(of: &output)
            }
            switch stream {
            case .lost: throw .streamLost
            case .active:
                let outcome = try receiveFromStream(input, into: &output)
                return outcome == .incomplete ? outcome : try detectContents(of: &output)
            case .unused, .absent: break
            }
        }
        if DataInflater.isGzip(input) || DataInflater.isZlib(input) {
            do throws(CodecProblem) {
                try Self.decompress(input, into: &output, limitBytes: limitBytes)
                applied.append(.gzip)
                return try detectContents(of: &output)
            } catch {
                if case .tooBig = error { throw error }
                output.removeAll()
            }
        }
        return try detectValue(input, into: &output)
    }

    /// Whether the first binary message of the connection begins a zlib stream. If so, decompresses it.
    private mutating func detectStream(_ input: RawSpan, into output: inout ByteBuffer) throws(CodecProblem) -> Bool {
        stream = .absent
        guard DataInflater.isZlib(input), Self.endsWithFlush(input) else { return false }
        do throws(CodecProblem) {
            return try receiveFromStream(input, into: &output) != .incomplete
        } catch {
            if case .tooBig = error { throw error }
            stream = .absent
            return false
        }
    }

    private mutating func detectContents(of output: inout ByteBuffer) throws(CodecProblem) -> Outcome {
        let contents = output.takeAll()
        let outcome = try contents.withReadableBytes { (contents) throws(CodecProblem) in
            try detectValue(contents, into: &output)
        }
        guard outcome == .unchanged else { return outcome }
        output = contents
        return .decoded(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
    }

    private static func endsWithFlush(_ input: RawSpan) -> Bool {
        input.byteCount > 4 && input.extracting(last: 4).withUnsafeBytes { $0.elementsEqual([0x00, 0x00, 0xFF, 0xFF]) }
    }

    /// Converts JSON, MessagePack, or CBOR.
    private mutating func detectValue(_ input: RawSpan, into output: inout ByteBuffer) throws(CodecProblem) -> Outcome {
        guard input.byteCount > 0 else { return .unchanged }
        for codec in [Codec.json, .messagePack, .cbor] where Self.mayBe(codec, input) {
            do throws(CodecProblem) {
                switch codec {
                case .json: try CompactJSON.append(input, to: &output)
                case .messagePack: try MessagePack.decode(input, into: &output, limitBytes: limitBytes)
                default: try CBOR.decode(input, into: &output, limitBytes: limitBytes)
                }
                applied.append(codec)
                return .decoded(isText: true)
            } catch {
                if case .tooBig = error { throw error }
                output.removeAll()
            }
        }
        return .unchanged
    }

    /// Whether a message begins like a format. A single number or string is no sign of a format, except in JSON.
    private static func mayBe(_ codec: Codec, _ input: RawSpan) -> Bool {
        let first = input.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        return switch codec {
        // An array or a map.
        case .messagePack: 0x80...0x9F ~= first || 0xDC...0xDF ~= first
        // RFC 8949 §3.1: an array, a map, or a tagged value.
        case .cbor: 0x80...0xDB ~= first
        default: true
        }
    }
}

extension CodecProblem {
    fileprivate init(_ failure: DataInflater.Failure) {
        self =
            switch failure {
            case .corrupt: .corrupt
            case .truncated: .truncated
            case .trailing(let count): .trailing(byteCount: count)
            case .tooBig(let limit): .tooBig(limitBytes: limit)
            }
    }
}

/// Removes the blanks between the tokens of a JSON text, and changes nothing else.
enum CompactJSON {
    /// Appends a text on one line.
    /// - Throws: ``CodecProblem`` if the text is not JSON. A part may already have been appended.
    static func append(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        guard UTF8Validator.isValid(text) else { throw .notUTF8 }
        var reader = JSONReader()
        var needsComma = false
        do throws(JSONError) {
            while let token = try reader.next(in: text) {
                let isEnd = token.kind == .endObject || token.kind == .endArray
                if needsComma, !isEnd { buffer.append(literal: ",") }
                buffer.append(text.extracting(token.range))
                if token.kind == .key { buffer.append(literal: ":") }
                needsComma = token.kind != .key && token.kind != .beginObject && token.kind != .beginArray
            }
        } catch {
            throw .notJSON(error)
        }
    }
}
