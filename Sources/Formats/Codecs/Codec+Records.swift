import Glibc
import WSCore

/// What ends each record of `split:TEXT`.
package struct RecordSeparator: Hashable, Sendable {
    /// LF.
    package static let lineFeed = RecordSeparator(text: "\\n", bytes: [UInt8(ascii: "\n")])

    /// The separator as typed, with its escapes.
    package let text: String
    /// The separator; at least a byte.
    package let bytes: [UInt8]

    private init(text: String, bytes: [UInt8]) {
        self.text = text
        self.bytes = bytes
    }

    /// Reads a text with the escapes `\n`, `\r`, `\t`, `\0`, `\\`, and `\xHH`.
    /// - Throws: ``CodecNameProblem/emptySeparator`` or ``CodecNameProblem/badEscape(_:)``.
    package init(_ text: String) throws(CodecNameProblem) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let escape = Substring(rest).prefix(rest.first == UInt8(ascii: "x") ? 3 : 1)
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let high = rest.popFirst().flatMap(HexDigits.value),
                    let low = rest.popFirst().flatMap(HexDigits.value)
                else { throw .badEscape("\\" + escape) }
                bytes.append(high << 4 | low)
            default: throw .badEscape("\\" + escape)
            }
        }
        guard !bytes.isEmpty else { throw .emptySeparator }
        self.init(text: text, bytes: bytes)
    }
}

/// The length that precedes each record of `length:TYPE`. It counts what follows it, not itself.
package enum RecordLength: String, CaseIterable, Sendable {
    case u8
    /// Big-endian, like ``u32``.
    case u16
    case u32
    /// The base-128 number of Protocol Buffers and SignalR, with the lowest seven bits first.
    case varint
    case u16le
    case u32le

    /// The size in bytes, or `nil` if it depends on the length.
    private var byteCount: Int? {
        switch self {
        case .u8: 1
        case .u16, .u16le: 2
        case .u32, .u32le: 4
        case .varint: nil
        }
    }

    private var isLittleEndian: Bool { self == .u16le || self == .u32le }

    /// Appends a length.
    /// - Throws: ``CodecProblem/recordTooLong(byteCount:limit:)``.
    func append(_ length: Int, to buffer: inout ByteBuffer) throws(CodecProblem) {
        guard let byteCount else { return Varint.append(UInt64(length), to: &buffer) }
        let limit = UInt64(1) << UInt64(8 * byteCount) - 1
        guard length <= limit else { throw .recordTooLong(byteCount: length, limit: limit) }
        for index in 0..<byteCount {
            let shift = 8 * (isLittleEndian ? index : byteCount - 1 - index)
            buffer.append(byte: UInt8(truncatingIfNeeded: length >> shift))
        }
    }

    /// Reads a length, and advances the offset to what it counts.
    /// - Throws: ``CodecProblem/truncated``, or ``CodecProblem/malformed(offset:)`` for a varint of more than 64 bits.
    fileprivate func read(_ bytes: RawSpan, at offset: inout Int) throws(CodecProblem) -> UInt64 {
        guard let byteCount else { return try Varint.read(bytes, at: &offset) }
        guard bytes.byteCount - offset >= byteCount else { throw .truncated }
        var value: UInt64 = 0
        for index in 0..<byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
            value |= UInt64(byte) << UInt64(8 * (isLittleEndian ? index : byteCount - 1 - index))
        }
        offset += byteCount
        return value
    }
}

/// The base-128 numbers of Protocol Buffers.
enum Varint {
    /// Reads a number, and advances the offset to what follows it.
    /// - Throws: ``CodecProblem/truncated``, or ``CodecProblem/malformed(offset:)`` if it has more than 64 bits.
    static func read(_ bytes: RawSpan, at offset: inout Int) throws(CodecProblem) -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        var index = offset
        while index < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard shift < 63 || byte <= 1 else { throw .malformed(offset: offset) }
            value |= UInt64(byte & 0x7F) << shift
            index += 1
            if byte < 0x80 {
                offset = index
                return value
            }
            shift += 7
        }
        throw .truncated
    }

    /// Appends a number in its shortest form.
    static func append(_ number: UInt64, to buffer: inout ByteBuffer) {
        var rest = number
        while rest >= 0x80 {
            buffer.append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(byte: UInt8(rest))
    }
}

extension Codec {
    /// The maximum number of records of a message. An empty record of a peer takes one byte, and an event of it about 250.
    package static let maximumRecordCount = 1 << 16

    /// Cuts a message into records, with a codec that keeps the kind of messages. With others, the whole message is one.
    ///
    /// | codec | records |
    /// | --- | --- |
    /// | `lines`, `split` | what a separator ends, and the rest. Empty ones are left out |
    /// | `array` | the elements of a JSON array, without the blanks around them. Another message, which may be no JSON, is one |
    /// | `length` | what each length counts, which may be nothing |
    /// | `skip` | one: what is left, which may be nothing |
    ///
    /// An empty message has no record, except with `skip:0`.
    /// - Parameters:
    ///   - isText: Whether the message is valid UTF-8 whose characters must not be cut.
    ///   - records: Replaced by the ranges of the payload, in their order. The storage is kept.
    /// - Throws: ``CodecProblem`` if the message cannot be divided exactly. The records are undefined.
    package func splitRecords(
        _ payload: RawSpan, isText: Bool, into records: inout [Range<Int>]
    ) throws(CodecProblem) {
        records.removeAll(keepingCapacity: true)
        switch self {
        case .lines: try Self.splitLines(payload, into: &records)
        case .split(let separator): try separator.split(payload, isText: isText, into: &records)
        case .array: try Self.splitArray(payload, isText: isText, into: &records)
        case .length(let length): try length.split(payload, isText: isText, into: &records)
        case .skip(let byteCount):
            guard payload.byteCount >= byteCount else { throw .tooShort(byteCount: payload.byteCount) }
            if isText { try payload.checkCut(at: byteCount) }
            records.append(byteCount..<payload.byteCount)
        default: records.append(0..<payload.byteCount)
        }
    }

    private static func splitLines(_ payload: RawSpan, into records: inout [Range<Int>]) throws(CodecProblem) {
        try payload.withUnsafeBytes { (bytes) throws(CodecProblem) in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while start < bytes.count {
                let lineFeed = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
                let next = lineFeed.map { base.distance(to: $0) } ?? bytes.count
                let hasReturn = lineFeed != nil && next > start && bytes[next - 1] == UInt8(ascii: "\r")
                try records.append(record: start..<(hasReturn ? next - 1 : next), isEmptyKept: false)
                start = next + 1
            }
        }
    }

    private static func splitArray(
        _ payload: RawSpan, isText: Bool, into records: inout [Range<Int>]
    ) throws(CodecProblem) {
        let isArray = payload.withUnsafeBytes { $0.first { !JSONReader.isSpace($0) } == UInt8(ascii: "[") }
        guard isArray else { return try records.append(record: 0..<payload.byteCount, isEmptyKept: false) }
        guard isText || UTF8Validator.isValid(payload) else { throw .notUTF8 }
        var reader = JSONReader()
        do throws(JSONError) {
            _ = try reader.next(in: payload)
            while let token = try reader.next(in: payload), token.kind != .endArray {
                records.append(try reader.value(from: token, in: payload).range)
                guard records.count <= maximumRecordCount else { break }
            }
            // Nothing may follow the array.
            while records.count <= maximumRecordCount, try reader.next(in: payload) != nil {}
        } catch {
            throw .notJSON(error)
        }
        guard records.count <= maximumRecordCount else { throw .tooManyRecords(limit: maximumRecordCount) }
    }
}

extension RecordSeparator {
    /// The offset of the next separator, or of the end.
    func find(in message: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = message.baseAddress else { return message.count }
        var offset = start
        while offset + bytes.count <= message.count {
            let found = memchr(base + offset, Int32(bytes[0]), message.count - offset - bytes.count + 1)
            guard let found else { break }
            if memcmp(found, bytes, bytes.count) == 0 { return base.distance(to: found) }
            offset = base.distance(to: found) + 1
        }
        return message.count
    }

    fileprivate func split(
        _ payload: RawSpan, isText: Bool, into records: inout [Range<Int>]
    ) throws(CodecProblem) {
        // A separator of complete characters is found only between characters.
        let mayCut = isText && !UTF8Validator.isValid(bytes.span.bytes)
        try payload.withUnsafeBytes { (message) throws(CodecProblem) in
            var start = 0
            while start < message.count {
                let end = find(in: message, from: start)
                if mayCut {
                    try payload.checkCut(at: start)
                    try payload.checkCut(at: end)
                }
                try records.append(record: start..<end, isEmptyKept: false)
                start = end + bytes.count
            }
        }
    }
}

extension RecordLength {
    fileprivate func split(
        _ payload: RawSpan, isText: Bool, into records: inout [Range<Int>]
    ) throws(CodecProblem) {
        var offset = 0
        while offset < payload.byteCount {
            let start = offset
            let byteCount = try read(payload, at: &offset)
            let leftBytes = payload.byteCount - offset
            guard byteCount <= leftBytes else {
                throw .cutRecord(offset: start, byteCount: byteCount, leftBytes: leftBytes)
            }
            let end = offset + Int(byteCount)
            if isText {
                try payload.checkCut(at: offset)
                try payload.checkCut(at: end)
            }
            try records.append(record: offset..<end, isEmptyKept: true)
            offset = end
        }
    }
}

extension RawSpan {
    /// Checks that no character of a text contains the border before the byte at this offset.
    fileprivate func checkCut(at offset: Int) throws(CodecProblem) {
        // RFC 3629 §3: the bytes of a character after its first one begin with the bits 10.
        guard offset < byteCount, unsafeLoad(fromByteOffset: offset, as: UInt8.self) & 0xC0 == 0x80 else { return }
        throw .cutCharacter(offset: offset)
    }
}

extension [Range<Int>] {
    fileprivate mutating func append(record: Range<Int>, isEmptyKept: Bool) throws(CodecProblem) {
        if record.isEmpty, !isEmptyKept { return }
        guard count < Codec.maximumRecordCount else { throw .tooManyRecords(limit: Codec.maximumRecordCount) }
        append(record)
    }
}
