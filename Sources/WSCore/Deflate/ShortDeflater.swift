/// The end of a stream's history, and a compressor for short messages that repeat parts of it.
///
/// It takes 5 KiB, and a tenth of zlib's instructions (docs/decisions/032-zlib-and-short-messages.md): it looks up where
/// four bytes last occurred, and writes fixed codes, as zlib does for such messages.
struct ShortDeflater {
    /// The maximum size of a message, in bytes.
    static let maximumBytes = 1 << 10
    /// The maximum size of the history, in bytes. More would hardly make messages shorter, and entering it into zlib's
    /// hash table would take longer than compressing a short message.
    static let historyBytes = 2 << 10

    private static let windowBytes = historyBytes + maximumBytes
    /// The window, seven bytes that ``FixedEncoder`` may read behind it, and its table.
    private var memory = InlineArray<641, UInt64>(repeating: 0)
    /// The number of bytes in the window, and how many of them the table has.
    private var byteCount = 0
    private var indexedCount = 0
    /// The number of bytes of the stream before the window, modulo 2^16, plus 1: empty entries of the table lead
    /// nowhere.
    private var offset: UInt16 = 1

    /// Whether there is no history.
    var isEmpty: Bool { byteCount == 0 }

    /// Begins with a history, which `fill` writes. It returns the number of bytes.
    init(fill: (UnsafeMutableRawBufferPointer) -> Int) {
        byteCount = withUnsafeMutableBytes(of: &memory) {
            fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<Self.historyBytes]))
        }
    }

    /// Passes the history to `body`.
    mutating func withHistory(_ body: (UnsafeRawBufferPointer) -> Void) {
        let range = max(0, byteCount - Self.historyBytes)..<byteCount
        withUnsafeBytes(of: &memory) { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Appends the compressed form of a message of at most ``maximumBytes``, including ``flushMarker``.
    ///
    /// - Parameters:
    ///   - payload: The message.
    ///   - maximumDistance: The maximum distance of a repetition, in bytes.
    ///   - output: The buffer to append to.
    ///   - limitBytes: The maximum size of the compressed form.
    /// - Returns: Whether the limit is met. If not, the message is removed from the history, and nothing is appended.
    mutating func compress(
        _ payload: RawSpan, maximumDistance: Int, into output: inout ByteBuffer, limitBytes: Int
    ) -> Bool {
        precondition(payload.byteCount <= Self.maximumBytes)
        if byteCount + payload.byteCount > Self.windowBytes { slide() }
        let unindexed = indexedCount..<byteCount
        let new = byteCount..<byteCount + payload.byteCount
        let offset = offset
        // A literal takes at most nine bits.
        let target = output.reserve(payload.byteCount * 9 / 8 + 32)
        let count = withUnsafeMutableBytes(of: &memory) { memory in
            guard let window = memory.baseAddress else { return 0 }
            payload.withUnsafeBytes {
                guard let source = $0.baseAddress else { return }
                (window + new.lowerBound).copyMemory(from: source, byteCount: $0.count)
            }
            var encoder = FixedEncoder(
                window: window, table: window + (Self.windowBytes + FixedEncoder.slackBytes), offset: offset,
                maximumDistance: maximumDistance, output: target)
            encoder.index(unindexed)
            return encoder.encode(new) - target
        }
        indexedCount = byteCount
        guard count <= limitBytes else { return false }
        output.commit(count)
        byteCount = new.upperBound
        indexedCount = byteCount
        return true
    }

    /// Keeps the last ``historyBytes`` of the window.
    private mutating func slide() {
        let range = byteCount - Self.historyBytes..<byteCount
        withUnsafeMutableBytes(of: &memory) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
        byteCount = Self.historyBytes
        indexedCount = max(0, indexedCount - range.lowerBound)
        offset &+= UInt16(truncatingIfNeeded: range.lowerBound)
    }
}

/// Encodes parts of a window in blocks with fixed codes (RFC 1951 §3.2.6).
private struct FixedEncoder {
    private let window: UnsafeMutableRawPointer
    /// Where each hash of ``keyBytes`` bytes last occurred, counted from the beginning of the stream, modulo 2^16. The
    /// bytes there may be others by now, so they are always compared.
    private let table: UnsafeMutableRawPointer
    private let offset: UInt16
    private let maximumDistance: Int
    /// Where to write the next byte.
    private var output: UnsafeMutableRawPointer
    /// Bits that have not been written yet, and their number.
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    /// The number of bytes behind the window that may be read.
    static let slackBytes = 8
    private static let hashBits: UInt32 = 10
    private static let keyBytes = 4
    /// RFC 1951 §3.2.5.
    private static let maximumMatchBytes = 258

    init(
        window: UnsafeMutableRawPointer, table: UnsafeMutableRawPointer, offset: UInt16, maximumDistance: Int,
        output: UnsafeMutableRawPointer
    ) {
        self.window = window
        self.table = table
        self.offset = offset
        self.maximumDistance = maximumDistance
        self.output = output
    }

    /// Enters a range of the window into the table.
    func index(_ range: Range<Int>) {
        for position in range.dropLast(Self.keyBytes - 1) { replaceEntry(at: position) }
    }

    /// Encodes a range of the window and enters it into the table. Returns the end of the output.
    mutating func encode(_ range: Range<Int>) -> UnsafeMutableRawPointer {
        FixedCodes.all.withUnsafeBufferPointer { codes in
            // RFC 1951 §3.2.3: a block that is not the last one, with fixed codes.
            put(0b010, bitCount: 3)
            var position = range.lowerBound
            let end = range.upperBound
            while position <= end - Self.keyBytes {
                let distance = replaceEntry(at: position)
                // A distance of 0 is possible, too: the entry of a message that was removed.
                if UInt(bitPattern: distance &- 1) < UInt(bitPattern: min(position, maximumDistance)),
                    key(at: position) == key(at: position &- distance)
                {
                    let count = matchBytes(at: position, distance, limit: end - position)
                    put(codes[FixedCodes.lengths + count])
                    putDistance(distance, codes)
                    position += count
                    if position <= end - Self.keyBytes { indexEnds(of: position - count..<position) }
                } else {
                    put(codes[Int(byte(at: position))])
                    position += 1
                }
            }
            while position < end {
                put(codes[Int(byte(at: position))])
                position += 1
            }
        }
        // The end of the block, and an empty stored block, whose last four bytes are ``flushMarker``.
        put(0, bitCount: 7 + 3)
        if bitCount > 0 { output += 1 }
        output.storeBytes(of: UInt32(0xFFFF_0000).littleEndian, as: UInt32.self)
        return output + MemoryLayout<UInt32>.size
    }

    /// Enters the second, third, and last two positions of a match. More would take longer, and would replace entries
    /// of longer matches.
    @inline(__always)
    private func indexEnds(of match: Range<Int>) {
        replaceEntry(at: match.lowerBound + 1)
        replaceEntry(at: match.lowerBound + 2)
        replaceEntry(at: match.upperBound - 2)
        replaceEntry(at: match.upperBound - 1)
    }

    /// Enters a position and returns its distance from the one that was entered before, modulo 2^16.
    @inline(__always) @discardableResult
    private func replaceEntry(at position: Int) -> Int {
        let hash = (key(at: position) &* 2_654_435_761) &>> (32 - Self.hashBits)
        let entry = table + Int(hash) &* MemoryLayout<UInt16>.stride
        let new = offset &+ UInt16(truncatingIfNeeded: position)
        let old = entry.loadUnaligned(as: UInt16.self)
        entry.storeBytes(of: new, as: UInt16.self)
        return Int(new &- old)
    }

    @inline(__always)
    private func byte(at position: Int) -> UInt8 { window.load(fromByteOffset: position, as: UInt8.self) }

    @inline(__always)
    private func key(at position: Int) -> UInt32 { window.loadUnaligned(fromByteOffset: position, as: UInt32.self) }

    /// The number of equal bytes at a position and at a distance before, ``keyBytes`` to `limit`.
    @inline(__always)
    private func matchBytes(at position: Int, _ distance: Int, limit: Int) -> Int {
        let limit = min(limit, Self.maximumMatchBytes)
        let current = window + position
        let earlier = current - distance
        var count = Self.keyBytes
        while count < limit {
            let difference =
                current.loadUnaligned(fromByteOffset: count, as: UInt64.self).littleEndian
                ^ earlier.loadUnaligned(fromByteOffset: count, as: UInt64.self).littleEndian
            guard difference == 0 else { return min(count &+ difference.trailingZeroBitCount / 8, limit) }
            count &+= 8
        }
        return limit
    }

    /// RFC 1951 §3.2.5: two codes for each power of two, and extra bits.
    @inline(__always)
    private mutating func putDistance(_ distance: Int, _ codes: UnsafeBufferPointer<UInt32>) {
        let value = UInt64(truncatingIfNeeded: distance &- 1)
        guard value >= 4 else { return put(codes[FixedCodes.distances + Int(value)]) }
        let extraBits = UInt64(truncatingIfNeeded: 62 &- value.leadingZeroBitCount)
        let code = 2 &* extraBits &+ (value &>> extraBits)
        put(codes[FixedCodes.distances + Int(code)])
        put(value & (1 &<< extraBits &- 1), bitCount: extraBits)
    }

    @inline(__always)
    private mutating func put(_ code: UInt32) { put(UInt64(code & 0xFF_FFFF), bitCount: UInt64(code &>> 24)) }

    /// Writes all whole bytes, and up to seven more.
    @inline(__always)
    private mutating func put(_ value: UInt64, bitCount count: UInt64) {
        bits |= value &<< bitCount
        bitCount &+= count
        output.storeBytes(of: bits.littleEndian, as: UInt64.self)
        output += Int(bitCount &>> 3)
        bits &>>= bitCount & ~7
        bitCount &= 7
    }
}

/// The fixed codes of RFC 1951 §3.2.6, in the order of their bits in the output. The upper eight bits are their number.
private enum FixedCodes {
    /// The codes of literals, of lengths with their extra bits, and of distances without.
    static let all: [UInt32] =
        (0..<256).map { $0 < 144 ? code(0x30 + $0, 8) : code(0x190 + $0 - 144, 9) }
        + (0...258).map(length) + (0..<32).map { code($0, 5) }
    /// The index of the code for a length of 0.
    static let lengths = 256
    /// The index of the first distance code.
    static let distances = lengths + 259

    /// Huffman codes begin with their most significant bit (RFC 1951 §3.1.1).
    private static func code(_ value: UInt32, _ bitCount: UInt32) -> UInt32 {
        (0..<bitCount).reduce(0) { $0 | (value >> $1 & 1) << (bitCount - 1 - $1) } | bitCount << 24
    }

    /// RFC 1951 §3.2.5: eight codes without extra bits, four for each power of two from 8, and one for 258.
    private static func length(_ count: UInt32) -> UInt32 {
        guard count >= 3 else { return 0 }
        guard count < 258 else { return symbol(285) }
        let value = count - 3
        guard value >= 8 else { return symbol(257 + value) }
        let extraBits = UInt32(29 - value.leadingZeroBitCount)
        let base = symbol(257 + 4 * extraBits + (value >> extraBits))
        return base + extraBits << 24 | (value & (1 << extraBits - 1)) << (base >> 24)
    }

    private static func symbol(_ symbol: UInt32) -> UInt32 {
        symbol < 280 ? code(symbol - 256, 7) : code(0xC0 + symbol - 280, 8)
    }
}
