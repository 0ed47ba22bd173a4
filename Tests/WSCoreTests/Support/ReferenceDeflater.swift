import WSCore

/// A reference compressor without zlib, which compresses every message, however small. It uses the fixed code of RFC
/// 1951 §3.2.6 and the latest match of at least three bytes within the window.
final class ReferenceDeflater: MessageCompressor {
    let windowBits: Int
    private var windowBytes: Int { 1 << windowBits }
    private let keepsContext: Bool
    private var history: [UInt8] = []
    /// The latest position of each three-byte sequence in the history.
    private var latest: [UInt32: Int] = [:]

    init(windowBits: Int, keepsContext: Bool) {
        self.windowBits = windowBits
        self.keepsContext = keepsContext
    }

    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        body(deflate(bytes(of: payload)).span.bytes)
        return true
    }

    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        forgetHistory()
        return compress(payload, body)
    }

    func forgetHistory() {
        history = []
        latest = [:]
    }

    /// Returns the compressed form of a message.
    func deflate(_ message: [UInt8]) -> [UInt8] {
        if !keepsContext {
            history = []
            latest = [:]
        }
        var index = history.count
        history += message
        var bits = BitWriter()
        bits.append(0b010, count: 3)
        while index < history.count {
            let (length, distance) = repetition(at: index)
            if length >= 3 {
                appendRepetition(length, distance, to: &bits)
            } else {
                bits.appendLiteralSymbol(Int(history[index]))
            }
            for position in index..<index + max(1, length) {
                if let key = key(at: position) { latest[key] = position }
            }
            index += max(1, length)
        }
        bits.appendLiteralSymbol(256)
        // RFC 7692 §7.2.1: an empty stored block, with its last four bytes omitted.
        bits.append(0b000, count: 3)
        return bits.bytes
    }

    private func key(at index: Int) -> UInt32? {
        guard index + 3 <= history.count else { return nil }
        return UInt32(history[index]) | UInt32(history[index + 1]) << 8 | UInt32(history[index + 2]) << 16
    }

    /// Returns the match at `index`; its length is 0 if there is none.
    private func repetition(at index: Int) -> (length: Int, distance: Int) {
        guard let key = key(at: index), let earlier = latest[key], index - earlier <= windowBytes else { return (0, 0) }
        var length = 3
        while length < 258, index + length < history.count, history[index + length] == history[earlier + length] {
            length += 1
        }
        return (length, index - earlier)
    }

    private func appendRepetition(_ length: Int, _ distance: Int, to bits: inout BitWriter) {
        let lengthIndex = DeflateTable.lengths.lastIndex { $0 <= length } ?? 0
        bits.appendLiteralSymbol(257 + lengthIndex)
        bits.append(length - DeflateTable.lengths[lengthIndex], count: DeflateTable.lengthExtraBits[lengthIndex])
        let distanceIndex = DeflateTable.distances.lastIndex { $0 <= distance } ?? 0
        bits.appendCode(distanceIndex, count: 5)
        bits.append(
            distance - DeflateTable.distances[distanceIndex], count: DeflateTable.distanceExtraBits[distanceIndex])
    }
}

/// RFC 1951 §3.1.1: numbers are packed starting with the least significant bit, codes with the most significant.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func append(_ value: Int, count: Int) {
        for bit in 0..<count { append(bit: value >> bit & 1) }
    }

    mutating func appendCode(_ code: Int, count: Int) {
        for bit in (0..<count).reversed() { append(bit: code >> bit & 1) }
    }

    /// RFC 1951 §3.2.6.
    mutating func appendLiteralSymbol(_ symbol: Int) {
        switch symbol {
        case ..<144: appendCode(0x30 + symbol, count: 8)
        case ..<256: appendCode(0x190 + symbol - 144, count: 9)
        case ..<280: appendCode(symbol - 256, count: 7)
        default: appendCode(0xC0 + symbol - 280, count: 8)
        }
    }

    private mutating func append(bit: Int) {
        if bitCount & 7 == 0 { bytes.append(0) }
        if bit == 1 { bytes[bytes.count - 1] |= 1 << UInt8(bitCount & 7) }
        bitCount += 1
    }
}
