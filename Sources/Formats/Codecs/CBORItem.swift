import WSCore

/// A data item of CBOR without the items inside it: a value, or the beginning of an array, map, tag, or string in parts.
///
/// RFC 8949 §3: a head begins each item. Its first byte has the major type and the additional information, which is the
/// argument itself up to 23, and otherwise tells the size of the argument. Numbers are in network byte order.
///
///     ┌────────────┬─────────────┬────────────────────┬─────────────────────────┐
///     │ major type │ information │ argument           │ bytes of a string       │
///     └────────────┴─────────────┴────────────────────┴─────────────────────────┘
///      3 bits       5 bits        0, 1, 2, 4, 8 bytes   as many as the argument
enum CBORItem: Equatable {
    enum StringKind {
        case bytes
        case text
    }

    case unsigned(UInt64)
    /// The integer -1 - n, which may be below `Int64.min`.
    case negative(UInt64)
    /// A string, as offsets in the data. A text is not checked.
    case string(StringKind, Range<Int>)
    /// The beginning of a string in parts, which ``end`` follows.
    case stringInParts(StringKind)
    /// The beginning of an array with a number of elements, or `nil` if ``end`` follows them.
    case array(count: UInt64?)
    /// The beginning of a map with a number of pairs, or `nil` if ``end`` follows them.
    case map(count: UInt64?)
    /// A tag, which the tagged item follows.
    case tag(UInt64)
    /// A simple value: 0 to 23, or 32 to 255.
    case simple(UInt8)
    case float(Double)
    /// "break", which ends an item of indefinite length.
    case end
}

/// RFC 8949 §3.3: the simple values that have names.
enum CBORSimpleValue {
    static let `false`: UInt8 = 20
    static let `true`: UInt8 = 21
    static let null: UInt8 = 22
    static let undefined: UInt8 = 23
}

/// RFC 8949 §3.1: the kinds of items.
enum CBORMajorType: UInt8 {
    case unsigned
    case negative
    case bytes
    case text
    case array
    case map
    case tag
    /// Simple values, floating-point numbers, and "break".
    case other
}

/// Reads items one after another.
struct CBORItemReader {
    /// The offset of the next item.
    private(set) var offset = 0

    /// The next item of the data, which is the same for all calls.
    /// - Throws: ``CodecProblem/truncated`` or ``CodecProblem/malformed(offset:)``. The offset is undefined.
    mutating func next(in data: RawSpan) throws(CodecProblem) -> CBORItem {
        let start = offset
        let first = try takeNumber(1, from: data)
        let information = UInt8(truncatingIfNeeded: first & 0x1F)
        // RFC 8949 §3: `nil` stands for an indefinite length, or for "break".
        let argument: UInt64?
        switch information {
        case ..<24: argument = UInt64(information)
        case 24...27: argument = try takeNumber(1 << (information - 24), from: data)
        case 31: argument = nil
        // RFC 8949 §3: 28 to 30 are reserved. An item with them is not well-formed.
        default: throw .malformed(offset: start)
        }
        switch (CBORMajorType(rawValue: UInt8(truncatingIfNeeded: first >> 5)), argument) {
        case (.unsigned, let number?): return .unsigned(number)
        case (.negative, let number?): return .negative(number)
        case (.bytes, let count?): return .string(.bytes, try takeRange(count, of: data))
        case (.bytes, nil): return .stringInParts(.bytes)
        case (.text, let count?): return .string(.text, try takeRange(count, of: data))
        case (.text, nil): return .stringInParts(.text)
        case (.array, let count): return .array(count: count)
        case (.map, let count): return .map(count: count)
        case (.tag, let number?): return .tag(number)
        case (.other, let argument?):
            guard let item = Self.simpleOrFloat(information, argument) else { throw .malformed(offset: start) }
            return item
        case (.other, nil): return .end
        // RFC 8949 §3.2: integers and tags have no indefinite length.
        case (.unsigned, nil), (.negative, nil), (.tag, nil), (nil, _): throw .malformed(offset: start)
        }
    }

    /// An item of the last major type, or `nil` if it is not well-formed.
    private static func simpleOrFloat(_ information: UInt8, _ argument: UInt64) -> CBORItem? {
        switch information {
        case 25: .float(Double(Float16(bitPattern: UInt16(truncatingIfNeeded: argument))))
        case 26: .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument))))
        case 27: .float(Double(bitPattern: argument))
        // RFC 8949 §3.3: a second byte below 32 is not well-formed.
        case 24 where argument < 32: nil
        default: .simple(UInt8(truncatingIfNeeded: argument))
        }
    }

    private mutating func takeNumber(_ byteCount: Int, from data: RawSpan) throws(CodecProblem) -> UInt64 {
        var number: UInt64 = 0
        for index in try takeRange(UInt64(byteCount), of: data) {
            number = number << 8 | UInt64(data.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return number
    }

    private mutating func takeRange(_ byteCount: UInt64, of data: RawSpan) throws(CodecProblem) -> Range<Int> {
        guard let byteCount = Int(exactly: byteCount), byteCount <= data.byteCount - offset else { throw .truncated }
        defer { offset += byteCount }
        return offset..<offset + byteCount
    }
}

/// Writes the heads of items. The bytes of a string follow its head.
enum CBORItemWriter {
    /// Appends a head in the shortest form (RFC 8949 §4.1).
    static func append(_ type: CBORMajorType, _ argument: UInt64, to buffer: inout ByteBuffer) {
        switch argument {
        case ..<24: buffer.append(byte: type.rawValue << 5 | UInt8(truncatingIfNeeded: argument))
        case ...0xFF: append(type, 24, argument, to: &buffer)
        case ...0xFFFF: append(type, 25, argument, to: &buffer)
        case ...0xFFFF_FFFF: append(type, 26, argument, to: &buffer)
        default: append(type, 27, argument, to: &buffer)
        }
    }

    /// Appends a simple value, 0 to 23 or 32 to 255.
    static func append(simple value: UInt8, to buffer: inout ByteBuffer) {
        // RFC 8949 §3.3: values from 32 take a second byte, as other arguments do.
        append(.other, UInt64(value), to: &buffer)
    }

    /// Appends a floating-point number in 64 bits.
    static func append(_ number: Double, to buffer: inout ByteBuffer) {
        append(.other, 27, number.bitPattern, to: &buffer)
    }

    /// Appends a head whose additional information is 24 to 27.
    private static func append(
        _ type: CBORMajorType, _ information: UInt8, _ argument: UInt64, to buffer: inout ByteBuffer
    ) {
        buffer.append(byte: type.rawValue << 5 | information)
        let byteCount = 1 << (information - 24)
        for index in (0..<byteCount).reversed() {
            buffer.append(byte: UInt8(truncatingIfNeeded: argument >> (8 * index)))
        }
    }
}
