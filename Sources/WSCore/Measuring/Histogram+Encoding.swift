// The compressed format of HdrHistogram's tools, version 2 (HdrHistogram/AbstractHistogram.java): a header of 40 bytes
// and the counts up to the last that is not 0, compressed with zlib.
//
//      compressed   cookie │ length │ zlib data
//      inside       cookie │ length of the counts │ 0 │ digits │ smallest │ largest │ ratio │ counts
//                        4 │                    4 │ 4 │      4 │        8 │       8 │     8 │ …
//
// All numbers are big-endian. Counts are variable-length numbers; a negative number −n represents n counts of 0.
extension Histogram {
    private static let compressedCookie: UInt32 = 0x1c84_9314
    private static let cookie: UInt32 = 0x1c84_9313
    private static let headerBytes = 40
    private static let significantDigits: UInt32 = 3
    private static let smallestValue: UInt64 = 1
    /// The maximum length of a variable-length number, in bytes.
    private static let longestNumberBytes = 9

    /// Appends the compressed format, which ``init(decoding:)`` and HdrHistogram's tools read.
    package func encode(into buffer: inout ByteBuffer) {
        var numbers = ByteBuffer()
        encodeCounts(into: &numbers)
        var plain = ByteBuffer()
        plain.append(bigEndian: Self.cookie)
        plain.append(bigEndian: UInt32(truncatingIfNeeded: numbers.count))
        plain.append(bigEndian: 0 as UInt32)
        plain.append(bigEndian: Self.significantDigits)
        plain.append(bigEndian: Self.smallestValue)
        plain.append(bigEndian: Self.largestValue)
        plain.append(bigEndian: (1.0).bitPattern)
        numbers.withReadableBytes { plain.append($0) }
        let compressed = plain.withReadableBytes { ZlibData.compress($0) }
        buffer.append(bigEndian: Self.compressedCookie)
        buffer.append(bigEndian: UInt32(truncatingIfNeeded: compressed.count))
        compressed.withUnsafeBytes { buffer.append($0.bytes) }
    }

    private func encodeCounts(into buffer: inout ByteBuffer) {
        var zeroCount: Int64 = 0
        for index in 0..<(lastIndex.map { $0 + 1 } ?? 0) {
            guard counts[index] > 0 else {
                zeroCount += 1
                continue
            }
            if zeroCount > 0 { buffer.append(number: -zeroCount) }
            zeroCount = 0
            buffer.append(number: Int64(clamping: counts[index]))
        }
    }

    /// Decodes a histogram in compressed format with this type's range and precision.
    ///
    /// The format contains only counts. ``refine(minimum:maximum:sum:)`` adds exact values known from elsewhere.
    /// - Throws: ``HistogramError`` if the bytes are damaged or have another format, range, or precision.
    package init(decoding bytes: [UInt8]) throws(HistogramError) {
        self.init()
        var compressed = NumberReader(bytes)
        guard try compressed.read(UInt32.self) == Self.compressedCookie else { throw .unknownForm }
        let length = Int(try compressed.read(UInt32.self))
        guard length <= compressed.remainingBytes else { throw .damaged }
        let data = bytes.span.bytes.extracting(bytes.count - compressed.remainingBytes..<bytes.count)
        let largestBytes = Self.headerBytes + Self.countCount * Self.longestNumberBytes
        guard let plain = ZlibData.decompress(data.extracting(first: length), limitBytes: largestBytes) else {
            throw .damaged
        }
        var reader = NumberReader(plain)
        guard try reader.read(UInt32.self) == Self.cookie else { throw .unknownForm }
        let numberBytes = Int(try reader.read(UInt32.self))
        let offset = try reader.read(UInt32.self)
        let digits = try reader.read(UInt32.self)
        let smallest = try reader.read(UInt64.self)
        let largest = try reader.read(UInt64.self)
        let ratio = try reader.read(UInt64.self)
        guard
            offset == 0, digits == Self.significantDigits, smallest == Self.smallestValue,
            largest == Self.largestValue, ratio == (1.0).bitPattern
        else { throw .otherLayout }
        guard numberBytes == reader.remainingBytes else { throw .damaged }
        try decodeCounts(&reader)
        estimateFromCounts()
    }

    private mutating func decodeCounts(_ reader: inout NumberReader) throws(HistogramError) {
        var index = 0
        while reader.remainingBytes > 0 {
            let number = try reader.readNumber()
            if number < 0 {
                guard number.magnitude < UInt64(Self.countCount - index) else { throw .damaged }
                index += Int(number.magnitude)
            } else {
                guard index < Self.countCount else { throw .damaged }
                let (sum, overflow) = recordedCount.addingReportingOverflow(UInt64(number))
                guard !overflow else { throw .damaged }
                counts[index] = UInt64(number)
                recordedCount = sum
                index += 1
            }
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        var number = number.bigEndian
        withUnsafeBytes(of: &number) { append($0.bytes) }
    }

    /// Appends a zigzag-encoded number in LEB128 form, at most 9 bytes.
    ///
    /// The lowest bits come first, seven per byte, and the highest bit marks bytes that are followed by another. A
    /// ninth byte holds eight bits.
    fileprivate mutating func append(number: Int64) {
        var bits = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 {
            guard bits > 0x7F else { return append(byte: UInt8(bits)) }
            append(byte: UInt8(truncatingIfNeeded: bits) | 0x80)
            bits >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: bits))
    }
}

/// Reads numbers from the front of a byte array.
private struct NumberReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remainingBytes: Int { bytes.count - offset }

    /// Reads a big-endian number.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) throws(HistogramError)
        -> Number
    {
        var number: Number = 0
        for _ in 0..<MemoryLayout<Number>.size { number = number << 8 | Number(try readByte()) }
        return number
    }

    /// Reads a variable-length number.
    mutating func readNumber() throws(HistogramError) -> Int64 {
        var bits: UInt64 = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            let byte = UInt64(try readByte())
            bits |= (byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Self.signed(bits) }
        }
        return Self.signed(bits | UInt64(try readByte()) << 56)
    }

    private mutating func readByte() throws(HistogramError) -> UInt8 {
        guard offset < bytes.count else { throw .damaged }
        defer { offset += 1 }
        return bytes[offset]
    }

    private static func signed(_ bits: UInt64) -> Int64 {
        Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }
}

/// The reason bytes could not be decoded as a histogram.
package enum HistogramError: Error, Equatable {
    /// The bytes are not a compressed histogram of version 2.
    case unknownForm
    /// The bytes are truncated, or the compressed data is damaged.
    case damaged
    /// The histogram has a different range or precision, so its values cannot be added exactly.
    case otherLayout
}

extension HistogramError: CustomStringConvertible {
    /// The cause, as a clause without a period.
    package var description: String {
        switch self {
        case .unknownForm: "it is not a compressed HdrHistogram (version 2)"
        case .damaged: "the histogram is cut off or damaged"
        case .otherLayout: "the histogram does not have 3 significant digits from 1 ns to an hour"
        }
    }
}
