/// A masking key: the four bytes in a frame header.
///
/// RFC 6455 §5.3: octet i of the payload is XORed with octet i mod 4 of the key, so unmasking equals masking.
public struct MaskingKey: Equatable, Sendable, CustomStringConvertible {
    /// The key's four bytes in memory, in wire order.
    @usableFromInline internal let word: UInt32

    /// Creates a key from the four bytes at `offset` of `bytes`.
    @inlinable
    public init(_ bytes: RawSpan, at offset: Int) {
        word = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }

    /// Creates a key from the in-memory bytes of `word`.
    @inlinable
    package init(word: UInt32) {
        self.word = word
    }

    /// The four bytes in hexadecimal, in wire order.
    public var description: String {
        let digits = String(word.bigEndian, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The key for the rest of a payload after its first `count` bytes.
    @inlinable
    package func advanced(by count: Int) -> MaskingKey {
        let shift = UInt32(truncatingIfNeeded: (count & 3) * 8)
        let bytes = word.littleEndian
        return MaskingKey(word: ((bytes &>> shift) | (bytes &<< ((32 &- shift) & 31))).littleEndian)
    }

    @inlinable
    internal var doubleWord: UInt64 { UInt64(word) | (UInt64(word) &<< 32) }

    /// Masks or unmasks bytes in place.
    @inlinable
    package func apply(to bytes: inout MutableRawSpan) {
        bytes.withUnsafeMutableBytes { pointer in
            guard let base = pointer.baseAddress else { return }
            apply(from: UnsafeRawPointer(base), to: base, byteCount: pointer.count)
        }
    }

    /// Masks `byteCount` bytes from `source` into `target`, which equals `source` or does not overlap it.
    @inlinable @inline(__always)
    internal func apply(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, byteCount: Int) {
        let key = doubleWord
        var offset = 0
        while offset &+ 32 <= byteCount {
            for lane in 0..<4 {
                let at = offset &+ lane &* 8
                let word = source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                target.storeBytes(of: word ^ key, toByteOffset: at, as: UInt64.self)
            }
            offset &+= 32
        }
        while offset &+ 8 <= byteCount {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: word ^ key, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        if offset &+ 4 <= byteCount {
            let half = source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            target.storeBytes(of: half ^ word, toByteOffset: offset, as: UInt32.self)
            offset &+= 4
        }
        let bytes = key.littleEndian
        while offset < byteCount {
            let octet = UInt8(truncatingIfNeeded: bytes &>> UInt64(truncatingIfNeeded: (offset & 3) * 8))
            target.storeBytes(
                of: source.load(fromByteOffset: offset, as: UInt8.self) ^ octet, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
    }
}

extension ByteBuffer {
    /// Appends bytes masked with `key`.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: RawSpan, maskedWith key: MaskingKey) {
        let count = bytes.byteCount
        guard count > 0 else { return }
        let target = reserve(count)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { key.apply(from: base, to: target, byteCount: count) }
        }
        commit(count)
    }
}
