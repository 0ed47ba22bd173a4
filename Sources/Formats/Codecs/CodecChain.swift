import WSCore

/// Converts the received messages of a connection by one or more steps, the outermost first. Splitters make several records
/// of a message, and apply to text messages, too. Codecs convert each record of a binary message.
///
///     zlib-stream ──► msgpack          a MessagePack value in each message of a zlib stream
///     length:varint ──► msgpack        several values in a message
///     gzip ──► exec:program ──► json   the caller passes the result of gzip to the program, and its answer to json
///
/// A record does not span messages. If a step fails for one record, the whole message has no records.
///
/// ``Codec/auto`` tries these formats in this order, and leaves a record that is none of them unchanged:
///
/// 1. a zlib stream, if the first binary message of the connection begins one and ends with a flush
/// 2. gzip or zlib data with a valid checksum, whose contents may be one of the others
/// 3. JSON in UTF-8
/// 4. MessagePack, if the message is a single array or map
/// 5. CBOR, if the message is a single array, map, or tagged value
package struct CodecChain: ~Copyable {
    /// The result of a conversion.
    package enum Outcome: Equatable, Sendable {
        /// These are the records of the message, of which there may be none.
        case decoded
        /// The message has another format and stays as it is.
        case unchanged
        /// The message ends in a later one.
        case incomplete
        /// The records are for the program of the codec at this index. Pass its answers to ``resume(after:into:)``.
        case program(index: Int)
    }

    /// What is kept of the steps of a message.
    package enum Keeping: Equatable, Sendable {
        case nothing
        /// What the last splitter leaves, if codecs follow.
        case pieces
        /// What ``assemble(_:of:_:isText:)`` needs.
        case everything
    }

    /// The result of a codec for a record.
    private enum Conversion: Equatable {
        case converted(isText: Bool)
        case unchanged
        case incomplete
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
    private var spare = MessageRecords()
    /// The output of a codec for a record.
    private var scratch = ByteBuffer()
    /// Whether any step applies to text messages.
    package let splitsText: Bool
    /// The index of the last splitter, or `nil` if no codec follows it.
    private let lastSplitter: Int?
    private let keeping: Keeping

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
    package init(_ codecs: [Codec], limitBytes: Int, keeping: Keeping = .nothing) {
        self.codecs = codecs
        self.limitBytes = limitBytes
        self.keeping = keeping
        let last = codecs.lastIndex { $0.keepsKind }
        splitsText = last != nil
        lastSplitter = last == codecs.count - 1 ? nil : last
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

    /// Converts a message. A text message is only split.
    /// - Parameters:
    ///   - records: Replaced by the result, which refers to the message.
    /// - Throws: ``CodecError``. The records are undefined.
    package mutating func decode(
        _ message: RawSpan, isText: Bool = false, into records: inout MessageRecords
    ) throws(CodecError) -> Outcome {
        records.begin(message, isText: isText)
        if !applied.isEmpty { applied.removeAll(keepingCapacity: true) }
        return try convert(message, from: 0, onlySplits: isText, &records)
    }

    /// Continues after a program has answered.
    /// - Parameters:
    ///   - index: The index of its codec.
    ///   - records: The answers, replaced by the result.
    /// - Throws: ``CodecError``. The records are undefined.
    package mutating func resume(
        after index: Int, into records: inout MessageRecords
    ) throws(CodecError) -> Outcome {
        applied.removeAll(keepingCapacity: true)
        return try convert(RawSpan(), from: index + 1, onlySplits: false, &records)
    }

    private mutating func convert(
        _ message: RawSpan, from start: Int, onlySplits: Bool, _ records: inout MessageRecords
    ) throws(CodecError) -> Outcome {
        var isIncomplete = false
        for index in start..<codecs.count {
            let codec = codecs[index]
            do throws(CodecProblem) {
                if keeping == .everything, codec.keepsKind || !onlySplits { records.keepOrigins(of: message) }
                if codec.keepsKind {
                    try records.split(message, by: codec)
                    applied.append(codec)
                    if keeping == .pieces, index == lastSplitter, !onlySplits { records.keepPieces(of: message) }
                } else if !onlySplits {
                    if case .program = codec {
                        if records.count > 0 { return .program(index: index) }
                        continue
                    }
                    // An empty message between two others of a stream has no content for other codecs.
                    if codec == .zlibStream, !isMessageIncomplete, records.isOneEmpty { break }
                    if try convert(message, codec, &records) { isIncomplete = true }
                }
            } catch {
                throw CodecError(codec: codec, problem: error)
            }
        }
        if records.count == 0, isIncomplete { return .incomplete }
        return applied.isEmpty ? .unchanged : .decoded
    }

    /// Converts all records by a codec.
    /// - Returns: Whether any of them ends in a later message.
    private mutating func convert(
        _ message: RawSpan, _ codec: Codec, _ records: inout MessageRecords
    ) throws(CodecProblem) -> Bool {
        var result = scratch.takeAll()
        defer {
            result.removeAll()
            result.releaseStorage(above: Self.keptBytes)
            scratch = result.takeAll()
        }
        if records.count == 1 { return try convertOnly(message, codec, &records, &result) }
        var isIncomplete = false
        var output = MessageRecords()
        swap(&output, &spare)
        defer {
            output.removeAll()
            output.releaseStorage(above: Self.keptBytes)
            swap(&output, &spare)
        }
        let earlierCount = applied.count
        for index in 0..<records.count {
            // The codecs of the last record count.
            if applied.count > earlierCount { applied.removeLast(applied.count - earlierCount) }
            result.removeAll()
            let conversion = try records.withRecord(index, of: message) { (bytes) throws(CodecProblem) in
                try convert(bytes, codec, into: &result)
            }
            let piece = records.records[index].piece
            switch conversion {
            case .converted(let isText): output.append(contentsOf: &result, isText: isText, piece: piece)
            case .incomplete: isIncomplete = true
            // The output of the step before this one.
            case .unchanged:
                let isText = records.isText(index)
                records.withRecord(index, of: message) { output.append($0, isText: isText, piece: piece) }
            }
            guard output.byteCount <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        }
        output.takeOrigins(of: &records)
        swap(&output, &records)
        return isIncomplete
    }

    /// Converts the only record by a codec. The parameters are those of the other function.
    private mutating func convertOnly(
        _ message: RawSpan, _ codec: Codec, _ records: inout MessageRecords, _ result: inout ByteBuffer
    ) throws(CodecProblem) -> Bool {
        let conversion = try records.withRecord(0, of: message) { (bytes) throws(CodecProblem) in
            try convert(bytes, codec, into: &result)
        }
        switch conversion {
        case .converted(let isText): records.replaceOnly(with: &result, isText: isText)
        case .incomplete: records.removeOnly()
        // The message as it is, or the output of the codec before this one.
        case .unchanged: records.discardOrigins()
        }
        return conversion == .incomplete
    }

    /// Converts a record.
    /// - Parameter output: Empty at first.
    private mutating func convert(
        _ input: RawSpan, _ codec: Codec, into output: inout ByteBuffer
    ) throws(CodecProblem) -> Conversion {
        switch codec {
        case .auto: return try detect(input, into: &output)
        case .messagePack: try MessagePack.decode(input, into: &output, limitBytes: limitBytes)
        case .cbor: try CBOR.decode(input, into: &output, limitBytes: limitBytes)
        case .json: try CompactJSON.append(input, to: &output)
        case .protobuf(let schema): try Protobuf.decode(input, by: schema, into: &output, limitBytes: limitBytes)
        case .gzip, .deflate:
            try Self.decompress(input, codec == .gzip ? .wrapped : .raw, into: &output, limitBytes: limitBytes)
            applied.append(codec)
            return .converted(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
        case .plainText:
            guard UTF8Validator.isValid(input) else { throw .notUTF8 }
            output.append(input)
        case .zlibStream: return try receiveFromStream(input, into: &output)
        // Splitters and programs have their own steps.
        default: return .unchanged
        }
        applied.append(codec)
        return .converted(isText: true)
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
    ) throws(CodecProblem) -> Conversion {
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
        return .converted(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
    }

    // MARK: Detection

    private mutating func detect(_ input: RawSpan, into output: inout ByteBuffer) throws(CodecProblem) -> Conversion {
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

    private mutating func detectContents(of output: inout ByteBuffer) throws(CodecProblem) -> Conversion {
        let contents = output.takeAll()
        let outcome = try contents.withReadableBytes { (contents) throws(CodecProblem) in
            try detectValue(contents, into: &output)
        }
        guard outcome == .unchanged else { return outcome }
        output = contents
        return .converted(isText: output.withReadableBytes { UTF8Validator.isValid($0) })
    }

    private static func endsWithFlush(_ input: RawSpan) -> Bool {
        input.byteCount > 4 && input.extracting(last: 4).withUnsafeBytes { $0.elementsEqual([0x00, 0x00, 0xFF, 0xFF]) }
    }

    /// Converts JSON, MessagePack, or CBOR.
    private mutating func detectValue(_ input: RawSpan, into output: inout ByteBuffer) throws(CodecProblem)
        -> Conversion
    {
        guard input.byteCount > 0 else { return .unchanged }
        for codec in [Codec.json, .messagePack, .cbor] where Self.mayBe(codec, input) {
            do throws(CodecProblem) {
                switch codec {
                case .json: try CompactJSON.append(input, to: &output)
                case .messagePack: try MessagePack.decode(input, into: &output, limitBytes: limitBytes)
                default: try CBOR.decode(input, into: &output, limitBytes: limitBytes)
                }
                applied.append(codec)
                return .converted(isText: true)
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
