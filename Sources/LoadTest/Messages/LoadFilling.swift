import WSCore

/// The filling of generated messages.
enum LoadFilling {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Fills memory with letters, digits, `-`, and `_`. The content depends only on the seed and does not compress
    /// well.
    static func fill(_ storage: UnsafeMutableRawBufferPointer, seed: UInt64 = 1) {
        // Similar seeds would generate similar numbers.
        var seeds = SeededRandom(seed: seed)
        var random = SeededRandom(seed: seeds.next())
        alphabet.withUnsafeBufferPointer { alphabet in
            for index in storage.indices { storage[index] = alphabet[Int(truncatingIfNeeded: random.next() & 63)] }
        }
    }

    /// Whether a message equals memory from an offset on. The message must have `byteCount` bytes.
    @inline(__always)
    static func areEqual(
        _ base: UnsafeMutableRawPointer, _ message: RawSpan, from start: Int = 0, byteCount: Int
    ) -> Bool {
        var offset = start
        var difference: UInt64 = 0
        while offset &+ 8 <= byteCount {
            difference |= Self.difference(base, message, at: offset, as: UInt64.self)
            offset &+= 8
        }
        if offset &+ 4 <= byteCount {
            difference |= UInt64(Self.difference(base, message, at: offset, as: UInt32.self))
            offset &+= 4
        }
        while offset < byteCount {
            difference |= UInt64(Self.difference(base, message, at: offset, as: UInt8.self))
            offset &+= 1
        }
        return difference == 0
    }

    /// The differing bits of the integers at an offset.
    @inline(__always)
    private static func difference<Number: FixedWidthInteger & BitwiseCopyable>(
        _ base: UnsafeMutableRawPointer, _ message: RawSpan, at offset: Int, as type: Number.Type
    ) -> Number {
        base.loadUnaligned(fromByteOffset: offset, as: type)
            ^ message.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}
