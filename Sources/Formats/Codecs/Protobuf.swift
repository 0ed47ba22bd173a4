import WSCore

/// Converts messages of Protocol Buffers to JSON, with or without a schema. The wire format is described at
/// https://protobuf.dev/programming-guides/encoding/.
package enum Protobuf {
    /// The maximum nesting depth of messages, as in other implementations.
    static let maximumDepth = 100
    /// The maximum number of fields in memory: those of a message and of the messages that contain it. A field takes 24 bytes,
    /// and two bytes of a peer.
    static let maximumFieldCount = 1 << 20

    /// Replaces the contents of a buffer by the JSON text of a message.
    ///
    /// Without a schema, the names of members are the numbers of fields, in their order, and several fields of a number
    /// are an array. Varints are unsigned, and fixed values integers. A length-delimited field is the first of these
    /// that is possible:
    ///
    /// 1. a message, if it is not empty and all of it parses
    /// 2. a text: UTF-8 without control characters other than tabs and line breaks
    /// 3. `{"base64":"AAEC"}`
    ///
    /// With a schema, the text is proto3 JSON (https://protobuf.dev/programming-guides/json/) with these differences: names
    /// as in the schema, integers of 64 bits as numbers, and `Any` and `FieldMask` like other messages. Groups, extensions,
    /// and unknown fields are left out. If a key of a map comes several times, so does its member.
    /// - Parameter limitBytes: The maximum size of the text.
    /// - Throws: ``CodecProblem``. The contents of the buffer are undefined.
    package static func decode(
        _ data: RawSpan, by schema: ProtobufSchema? = nil, into buffer: inout ByteBuffer, limitBytes: Int
    ) throws(CodecProblem) {
        buffer.removeAll()
        var writer = ProtobufWriter(text: buffer.takeAll(), limitBytes: limitBytes)
        let message = [0..<data.byteCount]
        if let schema {
            try writer.append(data, message, ProtobufSchema.root, of: schema, depth: 1)
        } else {
            let fields = try writer.fields(of: nil, in: data, message)
            try writer.append(data, fields, depth: 1)
        }
        buffer = writer.finish()
    }
}

/// A field of a message in wire format.
struct ProtobufField {
    /// The wire type, which says where the value ends.
    enum Kind: UInt8 {
        case varint = 0
        case fixed64 = 1
        /// Length-delimited: a string, bytes, a message, or packed numbers.
        case bytes = 2
        case fixed32 = 5
    }

    /// The number in the schema: 1 through 2^29 - 1.
    let number: Int32
    let kind: Kind
    /// The value in the data, without the length of ``Kind/bytes``. Empty for a default value.
    let value: Range<Int>

    /// Reads the fields of a message.
    /// - Parameters:
    ///   - range: The message in the data.
    ///   - skipsGroups: Whether groups, which are deprecated, are skipped. Otherwise, they are invalid.
    /// - Throws: ``CodecProblem/truncated``, ``CodecProblem/malformed(offset:)``, ``CodecProblem/tooDeep(limit:)`` for
    ///   groups, or an error of the closure.
    static func read(
        _ data: RawSpan, _ range: Range<Int>, skipsGroups: Bool,
        _ body: (ProtobufField) throws(CodecProblem) -> Void
    ) throws(CodecProblem) {
        let message = data.extracting(0..<range.upperBound)
        var offset = range.lowerBound
        /// The numbers of the open groups.
        var groups: [UInt64] = []
        while offset < message.byteCount {
            let start = offset
            let tag = try Varint.read(message, at: &offset)
            let number = tag >> 3
            guard 1..<1 << 29 ~= number else { throw .malformed(offset: start) }
            if let kind = Kind(rawValue: UInt8(tag & 7)) {
                let value = try Self.value(kind, message, at: &offset)
                guard groups.isEmpty else { continue }
                try body(ProtobufField(number: Int32(truncatingIfNeeded: number), kind: kind, value: value))
            } else if tag & 7 == 3, skipsGroups {
                guard groups.count < Protobuf.maximumDepth else { throw .tooDeep(limit: Protobuf.maximumDepth) }
                groups.append(number)
            } else if tag & 7 == 4, groups.last == number {
                groups.removeLast()
            } else {
                throw .malformed(offset: start)
            }
        }
        guard groups.isEmpty else { throw .truncated }
    }

    /// Returns the range of a value, and advances the offset to what follows it.
    private static func value(
        _ kind: Kind, _ message: RawSpan, at offset: inout Int
    ) throws(CodecProblem) -> Range<Int> {
        var start = offset
        switch kind {
        case .varint: _ = try Varint.read(message, at: &offset)
        case .fixed64: offset += 8
        case .fixed32: offset += 4
        case .bytes:
            let count = try Varint.read(message, at: &offset)
            guard count <= message.byteCount - offset else { throw .truncated }
            start = offset
            offset += Int(count)
        }
        guard offset <= message.byteCount else { throw .truncated }
        return start..<offset
    }

    /// The unsigned number, or 0 for ``Kind/bytes``.
    func number(in data: RawSpan) -> UInt64 {
        guard !value.isEmpty else { return 0 }
        var offset = value.lowerBound
        return switch kind {
        case .varint: (try? Varint.read(data, at: &offset)) ?? 0
        case .fixed32: UInt64(UInt32(littleEndian: data.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        case .fixed64: UInt64(littleEndian: data.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        case .bytes: 0
        }
    }

    /// Calls a closure with each of the packed numbers of this kind.
    /// - Throws: ``CodecProblem``, or an error of the closure.
    func forEachNumber(
        _ kind: Kind, in data: RawSpan, _ body: (ProtobufField) throws(CodecProblem) -> Void
    ) throws(CodecProblem) {
        let data = data.extracting(0..<value.upperBound)
        var offset = value.lowerBound
        while offset < value.upperBound {
            try body(ProtobufField(number: number, kind: kind, value: try Self.value(kind, data, at: &offset)))
        }
    }
}

extension [ProtobufField] {
    /// Calls a closure with the fields of each number, in the order of the numbers. Those of a number stay in their order.
    func forEachGroup(_ body: (ArraySlice<ProtobufField>) throws(CodecProblem) -> Void) throws(CodecProblem) {
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.number <= $1.number }
        let fields =
            isSorted ? self : sorted { ($0.number, $0.value.lowerBound) < ($1.number, $1.value.lowerBound) }
        var start = 0
        while start < fields.count {
            let end = fields[start...].firstIndex { $0.number != fields[start].number } ?? fields.count
            try body(fields[start..<end])
            start = end
        }
    }
}

/// Writes messages as JSON. What needs a schema is in `ProtobufWriter+Schema.swift`.
struct ProtobufWriter: ~Copyable {
    var text: ByteBuffer
    let limitBytes: Int
    /// The number of fields in memory.
    var heldCount = 0

    consuming func finish() -> ByteBuffer { text }

    /// Reads the fields of a message that the schema knows, or all without one. ``heldCount`` includes them.
    mutating func fields(
        of type: ProtobufSchema.Message?, in data: RawSpan, _ pieces: [Range<Int>]
    ) throws(CodecProblem) -> [ProtobufField] {
        var fields: [ProtobufField] = []
        for piece in pieces {
            try ProtobufField.read(data, piece, skipsGroups: type != nil) { (field) throws(CodecProblem) in
                if let type, type.fields[field.number]?.accepts(field.kind) != true { return }
                guard heldCount < Protobuf.maximumFieldCount else {
                    throw .tooManyFields(limit: Protobuf.maximumFieldCount)
                }
                heldCount += 1
                fields.append(field)
            }
        }
        return fields
    }

    /// Appends a message without a schema, and removes its fields from memory.
    ///
    /// Each byte is read once as a part of a message, and once as a text: a message skips the contents of its fields, and a
    /// text has no fields.
    mutating func append(_ data: RawSpan, _ fields: [ProtobufField], depth: Int) throws(CodecProblem) {
        text.append(literal: "{")
        let first = text.count
        try fields.forEachGroup { (values) throws(CodecProblem) in
            text.append(literal: text.count == first ? "\"" : ",\"")
            text.append(decimal: Int(values.first?.number ?? 0))
            text.append(literal: values.count > 1 ? "\":[" : "\":")
            for value in values {
                if value.value != values.first?.value { text.append(literal: ",") }
                try append(data, value, depth: depth)
                guard text.count <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
            }
            if values.count > 1 { text.append(literal: "]") }
        }
        text.append(literal: "}")
        heldCount -= fields.count
        guard text.count <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
    }

    private mutating func append(_ data: RawSpan, _ field: ProtobufField, depth: Int) throws(CodecProblem) {
        guard field.kind == .bytes else { return text.append(field.number(in: data).description) }
        let bytes = data.extracting(field.value)
        let held = heldCount
        if bytes.byteCount > 0, depth < Protobuf.maximumDepth,
            let fields = try? fields(of: nil, in: data, [field.value])
        {
            return try append(data, fields, depth: depth + 1)
        }
        heldCount = held
        guard bytes.byteCount <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        if bytes.isReadableText {
            JSONString.append(bytes, to: &text)
        } else {
            text.append(literal: "{\"base64\":")
            appendBase64(bytes)
            text.append(literal: "}")
        }
    }

    mutating func appendBase64(_ bytes: RawSpan) {
        text.append(literal: "\"")
        Base64.append(bytes, to: &text)
        text.append(literal: "\"")
    }
}

extension RawSpan {
    /// Whether the bytes are UTF-8 without control characters (C0 and C1) other than tabs and line breaks.
    fileprivate var isReadableText: Bool {
        guard UTF8Validator.isValid(self) else { return false }
        var previous: UInt8 = 0
        for offset in 0..<byteCount {
            let byte = unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            switch byte {
            case 0x09, 0x0A, 0x0D: break
            case 0..<0x20, 0x7F: return false
            // U+0080 to U+009F.
            case 0x80..<0xA0 where previous == 0xC2: return false
            default: break
            }
            previous = byte
        }
        return true
    }
}
