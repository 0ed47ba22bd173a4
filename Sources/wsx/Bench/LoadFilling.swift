import WSCore

/// What fills messages that are made up.
enum LoadFilling {
    /// Fills memory with letters and digits, the same ones each time, that a compressor can make nothing of.
    static func fill(_ storage: UnsafeMutableRawBufferPointer) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var random = SeededRandom(seed: 1)
        for index in storage.indices { storage[index] = alphabet[Int(truncatingIfNeeded: random.next() & 63)] }
    }

    /// Whether a message is the same as `byteCount` bytes of memory; it has as many.
    @inline(__always)
    static func areEqual(_ base: UnsafeMutableRawPointer, _ message: RawSpan, byteCount: Int) -> Bool {
        var offset = 0
        var difference: UInt64 = 0
        while offset &+ 8 <= byteCount {
            difference |=
                base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ message.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < byteCount {
            difference |= UInt64(
                base.load(fromByteOffset: offset, as: UInt8.self)
                    ^ message.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        return difference == 0
    }
}
