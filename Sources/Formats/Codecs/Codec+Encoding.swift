import WSCore

extension Codec {
    // MARK: Messages to send

    /// Whether ``encode(_:isText:to:)`` supports the codec.
    package var canEncode: Bool {
        switch self {
        case .messagePack, .cbor, .split, .length: true
        default: false
        }
    }

    /// Appends the encoding of a message to send: a JSON text, with the markers of decoded messages, as a binary message;
    /// or with ``keepsKind``, a record of the same kind with its separator or length.
    /// - Parameter isText: Whether the message is a text. Defaults to true.
    /// - Throws: ``CodecError``. A part may already have been appended.
    package func encode(_ payload: RawSpan, isText: Bool = true, to buffer: inout ByteBuffer) throws(CodecError) {
        do throws(CodecProblem) {
            switch self {
            case .messagePack: try MessagePack.encode(payload, to: &buffer)
            case .cbor: try CBOR.encode(payload, to: &buffer)
            case .split(let separator): try separator.append(payload, isText: isText, to: &buffer)
            case .length(let length): try length.append(payload, isText: isText, to: &buffer)
            case .auto, .json, .zlibStream, .gzip, .deflate, .plainText, .lines, .array, .skip, .protobuf, .program:
                throw .cannotEncode
            }
        } catch {
            throw CodecError(codec: self, problem: error)
        }
    }

    /// Encodes a text, as ``encode(_:isText:to:)`` does.
    /// - Throws: ``CodecError``.
    package func encoded(_ text: RawSpan) throws(CodecError) -> [UInt8] {
        var buffer = ByteBuffer()
        try encode(text, to: &buffer)
        return buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }

    // MARK: Decoded messages

    /// Whether ``joinRecords(_:_:original:isText:to:)`` supports the codec.
    package var hasInverse: Bool {
        switch self {
        case .auto, .zlibStream, .protobuf, .program: false
        default: true
        }
    }

    /// Appends the message that decodes to these records, after some of them were changed or left out.
    ///
    /// | codec | message |
    /// | --- | --- |
    /// | `lines`, `split` | the records with separators; after the last one if the original ends with one, and CRLF if its first line does |
    /// | `array` | an array of the records, which must be JSON; without an array in the original, the record |
    /// | `length` | the records after their lengths |
    /// | `skip` | the beginning of the original and the record |
    /// | `gzip` | compressed as gzip or zlib data, like the original |
    /// | others | the record, encoded |
    ///
    /// - Parameters:
    ///   - data: Contains the records.
    ///   - records: The ranges of the data; exactly one if the codec is no splitter.
    ///   - original: The input of the codec.
    ///   - isText: Whether the original is a text, if the codec keeps its kind.
    /// - Throws: ``CodecError``. A part may already have been appended.
    package func joinRecords(
        _ data: RawSpan, _ records: [Range<Int>], original: RawSpan, isText: Bool, to buffer: inout ByteBuffer
    ) throws(CodecError) {
        let record = data.extracting(records.first ?? 0..<0)
        do throws(CodecProblem) {
            switch self {
            case .messagePack: try MessagePack.encode(record, to: &buffer)
            case .cbor: try CBOR.encode(record, to: &buffer)
            case .json, .plainText: buffer.append(record)
            case .gzip:
                DataDeflater.compress(record, DataInflater.isGzip(original) ? .gzip : .zlib, into: &buffer)
            case .deflate: DataDeflater.compress(record, .raw, into: &buffer)
            case .lines: try Self.joinLines(data, records, original: original, to: &buffer)
            case .split(let separator):
                try separator.join(data, records, original: original, isText, to: &buffer)
            case .array: try Self.joinArray(data, records, original: original, to: &buffer)
            case .length(let length):
                for record in records { try length.append(data.extracting(record), isText: isText, to: &buffer) }
            case .skip(let byteCount):
                buffer.append(original.extracting(first: byteCount))
                buffer.append(record)
            case .auto, .zlibStream, .protobuf, .program: throw .cannotEncode
            }
        } catch {
            throw CodecError(codec: self, problem: error)
        }
    }

    private static func joinLines(
        _ data: RawSpan, _ records: [Range<Int>], original: RawSpan, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        let (firstEnd, isEnded) = original.withUnsafeBytes { bytes in
            (bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0, bytes.last == UInt8(ascii: "\n"))
        }
        let hasReturns = original.extracting(0..<firstEnd).ends(with: UInt8(ascii: "\r"))
        for (index, range) in records.enumerated() {
            let record = data.extracting(range)
            guard record.withUnsafeBytes({ !$0.contains(UInt8(ascii: "\n")) }) else { throw .containsSeparator }
            buffer.append(record)
            if index == records.count - 1, !isEnded { break }
            // A return at the end of the record would belong to LF.
            buffer.append(literal: hasReturns || record.ends(with: UInt8(ascii: "\r")) ? "\r\n" : "\n")
        }
    }

    private static func joinArray(
        _ data: RawSpan, _ records: [Range<Int>], original: RawSpan, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        let isArray = original.withUnsafeBytes { $0.first { !JSONReader.isSpace($0) } == UInt8(ascii: "[") }
        guard isArray else { return records.forEach { buffer.append(data.extracting($0)) } }
        buffer.append(literal: "[")
        for (index, record) in records.enumerated() {
            let value = data.extracting(record)
            guard UTF8Validator.isValid(value) else { throw .notUTF8 }
            if let problem = JSONReader.problem(in: value) { throw .notJSON(problem) }
            if index > 0 { buffer.append(literal: ",") }
            buffer.append(value)
        }
        buffer.append(literal: "]")
    }
}

extension RecordSeparator {
    /// Appends a record, and the separator unless the message ends without one.
    fileprivate func append(
        _ record: RawSpan, isText: Bool, isEnded: Bool = true, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        guard !isText || UTF8Validator.isValid(bytes.span.bytes) else { throw .resultNotUTF8 }
        let start = buffer.count
        buffer.append(record)
        if isEnded { buffer.append(bytes.span.bytes) }
        // The end of the record and the beginning of the separator may make another one.
        let end = buffer.withReadableBytes { $0.withUnsafeBytes { find(in: $0, from: start) } }
        guard end == start + record.byteCount else { throw .containsSeparator }
    }

    fileprivate func join(
        _ data: RawSpan, _ records: [Range<Int>], original: RawSpan, _ isText: Bool, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        let isEnded = original.withUnsafeBytes { message in
            var offset = 0
            while offset < message.count { offset = find(in: message, from: offset) + bytes.count }
            return offset == message.count
        }
        for (index, record) in records.enumerated() {
            try append(
                data.extracting(record), isText: isText, isEnded: isEnded || index < records.count - 1, to: &buffer)
        }
    }
}

extension RecordLength {
    /// Appends a record after its length.
    fileprivate func append(
        _ record: RawSpan, isText: Bool, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        let start = buffer.count
        try append(record.byteCount, to: &buffer)
        let isValid =
            !isText || buffer.withReadableBytes { UTF8Validator.isValid($0.extracting(droppingFirst: start)) }
        guard isValid else { throw .resultNotUTF8 }
        buffer.append(record)
    }
}

extension RawSpan {
    fileprivate func ends(with byte: UInt8) -> Bool {
        byteCount > 0 && unsafeLoad(fromByteOffset: byteCount - 1, as: UInt8.self) == byte
    }
}
