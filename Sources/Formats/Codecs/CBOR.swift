import WSCore

/// Converts between CBOR (RFC 8949) and JSON with the markers of ``MarkedJSONWriter``.
package enum CBOR {
    /// Replaces the contents of a buffer by the JSON text of a single data item.
    /// - Parameter limitBytes: The maximum size of the text.
    /// - Throws: ``CodecProblem``. The buffer is empty.
    package static func decode(
        _ data: RawSpan, into buffer: inout ByteBuffer, limitBytes: Int
    ) throws(CodecProblem) {
        buffer.removeAll()
        var decoder = CBORDecoder(
            writer: MarkedJSONWriter(buffer.takeAll(), inputBytes: data.byteCount, limitBytes: limitBytes))
        try decoder.decode(data)
        buffer = decoder.finish()
    }

    /// Appends the encoding of a JSON text.
    /// - Throws: ``CodecProblem``. A part may already have been appended.
    package static func encode(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        try MarkedJSONReader<CBOR>.encode(text, to: &buffer)
    }
}

private struct CBORDecoder: ~Copyable {
    private var writer: MarkedJSONWriter
    /// The parts of a string without a length, and its kind, while it is being received.
    private var parts = ByteBuffer()
    private var partKind: CBORItem.StringKind?

    init(writer: consuming MarkedJSONWriter) {
        self.writer = writer
    }

    consuming func finish() -> ByteBuffer { writer.finish() }

    mutating func decode(_ data: RawSpan) throws(CodecProblem) {
        var reader = CBORItemReader()
        while !writer.isComplete {
            let start = reader.offset
            let item = try reader.next(in: data)
            guard try receive(item, of: data, remainingBytes: data.byteCount - reader.offset) else {
                throw .malformed(offset: start)
            }
        }
        let restBytes = data.byteCount - reader.offset
        guard restBytes == 0 else { throw .trailing(byteCount: restBytes) }
    }

    /// Writes an item.
    /// - Returns: Whether it is allowed at this place.
    private mutating func receive(
        _ item: CBORItem, of data: RawSpan, remainingBytes: Int
    ) throws(CodecProblem) -> Bool {
        if let partKind {
            switch item {
            // RFC 8949 §3.2.3: the parts are strings of the same kind that have a length.
            case .string(partKind, let range): parts.append(data.extracting(range))
            case .end: try endParts(partKind)
            default: return false
            }
            return true
        }
        switch item {
        case .unsigned(let number): try writer.add(Int128(number))
        case .negative(let number): try writer.add(-1 - Int128(number))
        case .string(let kind, let range): try add(kind, data.extracting(range))
        case .stringInParts(let kind): partKind = kind
        // Each item takes at least a byte.
        case .array(let count?) where count > remainingBytes, .map(let count?) where count > remainingBytes:
            throw .truncated
        case .array(let count): try writer.beginArray(count: count)
        case .map(let count): try writer.beginMap(count: count)
        case .tag(let tag): try writer.beginTag(tag)
        case .float(let number): try writer.add(number)
        case .simple(CBORSimpleValue.false): try writer.add(literal: "false")
        case .simple(CBORSimpleValue.true): try writer.add(literal: "true")
        case .simple(CBORSimpleValue.null): try writer.add(literal: "null")
        case .simple(CBORSimpleValue.undefined): try writer.addUndefined()
        case .simple(let value): try writer.addSimple(value)
        // RFC 8949 §3.2.2: "break" ends an array or a map without a length, and not after a key.
        case .end: return try writer.end()
        }
        return true
    }

    private mutating func add(_ kind: CBORItem.StringKind, _ string: RawSpan) throws(CodecProblem) {
        switch kind {
        case .bytes: try writer.addBytes(string)
        case .text: try writer.addText(string)
        }
    }

    private mutating func endParts(_ kind: CBORItem.StringKind) throws(CodecProblem) {
        partKind = nil
        let whole = parts.takeAll()
        try whole.withReadableBytes { (bytes) throws(CodecProblem) in try add(kind, bytes) }
    }
}

extension CBOR: BinaryFormat {
    static func appendNull(to buffer: inout ByteBuffer) {
        CBORItemWriter.append(simple: CBORSimpleValue.null, to: &buffer)
    }

    static func append(_ value: Bool, to buffer: inout ByteBuffer) {
        CBORItemWriter.append(simple: value ? CBORSimpleValue.true : CBORSimpleValue.false, to: &buffer)
    }

    static func append(_ number: Int128, to buffer: inout ByteBuffer) throws(CodecProblem) {
        if let number = UInt64(exactly: number) {
            CBORItemWriter.append(.unsigned, number, to: &buffer)
        } else if let number = UInt64(exactly: -1 - number) {
            CBORItemWriter.append(.negative, number, to: &buffer)
        } else {
            throw .numberOutOfRange(number.description)
        }
    }

    static func append(_ number: Double, to buffer: inout ByteBuffer) {
        CBORItemWriter.append(number, to: &buffer)
    }

    static func appendText(_ text: RawSpan, to buffer: inout ByteBuffer) {
        CBORItemWriter.append(.text, UInt64(text.byteCount), to: &buffer)
        buffer.append(text)
    }

    static func appendBytes(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        CBORItemWriter.append(.bytes, UInt64(bytes.byteCount), to: &buffer)
        buffer.append(bytes)
    }

    static func beginArray(count: Int, in buffer: inout ByteBuffer) {
        CBORItemWriter.append(.array, UInt64(count), to: &buffer)
    }

    static func beginMap(count: Int, in buffer: inout ByteBuffer) {
        CBORItemWriter.append(.map, UInt64(count), to: &buffer)
    }

    static func beginTag(_ tag: UInt64, in buffer: inout ByteBuffer) {
        CBORItemWriter.append(.tag, tag, to: &buffer)
    }

    static func appendSimple(_ value: UInt8, to buffer: inout ByteBuffer) {
        CBORItemWriter.append(simple: value, to: &buffer)
    }

    static func appendUndefined(to buffer: inout ByteBuffer) {
        CBORItemWriter.append(simple: CBORSimpleValue.undefined, to: &buffer)
    }
}
