import Testing
import WSCore

/// A reference decompressor without zlib, which follows RFC 1951 and RFC 7692 bit by bit. It rejects references beyond
/// the negotiated window.
final class ReferenceInflater: MessageDecompressor {
    struct Failure: Error, Equatable {
        let reason: String
    }

    private let windowBytes: Int
    private let keepsContext: Bool
    /// The output of this message and earlier ones.
    private var output: [UInt8] = []
    private var messageStart = 0
    private var pieces: [UInt8] = []
    /// The largest distance so far, in bytes.
    private(set) var longestDistance = 0

    init(windowBits: Int, keepsContext: Bool) {
        windowBytes = 1 << windowBits
        self.keepsContext = keepsContext
    }

    func decompress(
        _ piece: RawSpan, isMessageEnd: Bool, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError) {
        pieces += bytes(of: piece)
        guard isMessageEnd else { return }
        do throws(Failure) {
            let inflated = try inflate(pieces + [0x00, 0x00, 0xFF, 0xFF])
            message.append(inflated.span.bytes)
            pieces = []
        } catch {
            Issue.record("a message could not be decompressed: \(error.reason)")
            throw .invalidCompressedData
        }
    }

    func recycle(_ message: inout ByteBuffer) {}

    /// Decompresses a message, including the four bytes at its end that are not sent.
    func inflate(_ compressed: [UInt8]) throws(Failure) -> [UInt8] {
        if !keepsContext { output = [] }
        if output.count > 1 << 17 { output.removeFirst(output.count - windowBytes) }
        messageStart = output.count
        var bits = BitReader(bytes: compressed)
        while bits.hasMore {
            let isFinal = try bits.take(1) == 1
            switch try bits.take(2) {
            case 0: try copyStored(&bits)
            case 1: try decode(&bits, literals: .fixedLiterals, distances: .fixedDistances)
            case 2:
                let (literals, distances) = try readCodes(&bits)
                try decode(&bits, literals: literals, distances: distances)
            default: throw Failure(reason: "block type 3")
            }
            // RFC 7692 §7.2.3.4: a final block is padded to a byte boundary. More blocks may follow.
            if isFinal { bits.skipToByte() }
        }
        return Array(output[messageStart...])
    }

    /// RFC 1951 §3.2.4.
    private func copyStored(_ bits: inout BitReader) throws(Failure) {
        bits.skipToByte()
        let count = try bits.take(16)
        guard try bits.take(16) == ~count & 0xFFFF else { throw Failure(reason: "stored lengths differ") }
        for _ in 0..<count { output.append(UInt8(try bits.take(8))) }
    }

    /// RFC 1951 §3.2.5.
    private func decode(_ bits: inout BitReader, literals: Code, distances: Code) throws(Failure) {
        while true {
            let symbol = try literals.next(&bits)
            guard symbol != 256 else { return }
            guard symbol > 256 else {
                output.append(UInt8(symbol))
                continue
            }
            guard symbol <= 285 else { throw Failure(reason: "length symbol \(symbol)") }
            let length =
                DeflateTable.lengths[symbol - 257] + (try bits.take(DeflateTable.lengthExtraBits[symbol - 257]))
            let distanceSymbol = try distances.next(&bits)
            guard distanceSymbol < 30 else { throw Failure(reason: "distance symbol \(distanceSymbol)") }
            let distance =
                DeflateTable.distances[distanceSymbol]
                + (try bits.take(DeflateTable.distanceExtraBits[distanceSymbol]))
            guard distance <= output.count else { throw Failure(reason: "distance \(distance) before the beginning") }
            guard distance <= windowBytes else { throw Failure(reason: "distance \(distance) beyond the window") }
            longestDistance = max(longestDistance, distance)
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    /// RFC 1951 §3.2.7.
    private func readCodes(_ bits: inout BitReader) throws(Failure) -> (literals: Code, distances: Code) {
        let literalCount = try bits.take(5) + 257
        let distanceCount = try bits.take(5) + 1
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var lengthLengths = [Int](repeating: 0, count: 19)
        for index in 0..<(try bits.take(4) + 4) { lengthLengths[order[index]] = try bits.take(3) }
        let lengthCode = Code(lengths: lengthLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try lengthCode.next(&bits) {
            case 16:
                guard let last = lengths.last else { throw Failure(reason: "no length to repeat") }
                lengths += Array(repeating: last, count: try bits.take(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try bits.take(3) + 3)
            case 18: lengths += Array(repeating: 0, count: try bits.take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        return (Code(lengths: Array(lengths[..<literalCount])), Code(lengths: Array(lengths[literalCount...])))
    }
}

/// RFC 1951 §3.2.5: the values of length and distance symbols.
enum DeflateTable {
    static let lengthExtraBits =
        [Int](repeating: 0, count: 8) + (1...5).flatMap { [Int](repeating: $0, count: 4) } + [0]
    static let distanceExtraBits = [0, 0] + (0...13).flatMap { [$0, $0] }
    // Length 258 has a separate symbol.
    static let lengths = Array(starts(3, lengthExtraBits).dropLast()) + [258]
    static let distances = starts(1, distanceExtraBits)

    private static func starts(_ first: Int, _ extraBits: [Int]) -> [Int] {
        var starts = [first]
        for bits in extraBits.dropLast() { starts.append(starts[starts.count - 1] + 1 << bits) }
        return starts
    }
}

/// RFC 1951 §3.2.2: a Huffman code, defined by the code lengths of its symbols.
private struct Code {
    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// The symbols in the order of their codes.
    private var symbols: [Int] = []

    static let fixedLiterals = Code(lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = Code(lengths: [Int](repeating: 5, count: 30))

    init(lengths: [Int]) {
        for length in 1...15 {
            let withLength = lengths.indices.filter { lengths[$0] == length }
            counts[length] = withLength.count
            symbols += withLength
        }
    }

    /// Decodes a symbol. Codes of equal length are consecutive, so their offset from the first identifies them.
    func next(_ bits: inout BitReader) throws(ReferenceInflater.Failure) -> Int {
        var code = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            code |= try bits.take(1)
            if code - first < counts[length] { return symbols[index + code - first] }
            index += counts[length]
            first = (first + counts[length]) << 1
            code <<= 1
        }
        throw ReferenceInflater.Failure(reason: "no such code")
    }
}

/// RFC 1951 §3.1.1: bits are read from the least significant end of each byte.
private struct BitReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether more than the padding of the last byte is left.
    var hasMore: Bool { (position + 7) / 8 < bytes.count }

    mutating func take(_ count: Int) throws(ReferenceInflater.Failure) -> Int {
        guard position + count <= 8 * bytes.count else { throw ReferenceInflater.Failure(reason: "cut short") }
        var value = 0
        var taken = 0
        while taken < count {
            let available = min(8 - position & 7, count - taken)
            let bits = Int(bytes[position >> 3]) >> (position & 7) & (1 << available - 1)
            value |= bits << taken
            taken += available
            position += available
        }
        return value
    }

    mutating func skipToByte() { position = (position + 7) & ~7 }
}
