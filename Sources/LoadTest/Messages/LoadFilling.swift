import Formats
import WSCore

/// The filling of generated messages.
enum LoadFilling {
    /// Fills memory with letters, digits, `-`, and `_`, the same each time. They do not compress well.
    static func fill(_ storage: UnsafeMutableRawBufferPointer) {
        if let start = storage.baseAddress { RandomText.write(storage.count, seed: 1, to: start) }
    }

    /// Whether a message equals memory from an offset on. The message must have `byteCount` bytes.
    @inline(__always)
    static func areEqual(
        _ base: UnsafeRawPointer, _ message: RawSpan, from start: Int = 0, byteCount: Int
    ) -> Bool {
        message.withUnsafeBytes { bytes in
            guard let other = bytes.baseAddress else { return byteCount <= start }
            var offset = start
            var difference: UInt64 = 0
            while offset &+ 8 <= byteCount {
                difference |= Self.difference(base, other, at: offset, as: UInt64.self)
                offset &+= 8
            }
            if offset &+ 4 <= byteCount {
                difference |= UInt64(Self.difference(base, other, at: offset, as: UInt32.self))
                offset &+= 4
            }
            while offset < byteCount {
                difference |= UInt64(Self.difference(base, other, at: offset, as: UInt8.self))
                offset &+= 1
            }
            return difference == 0
        }
    }

    /// The differing bits of the integers at an offset.
    @inline(__always)
    private static func difference<Number: FixedWidthInteger & BitwiseCopyable>(
        _ base: UnsafeRawPointer, _ message: UnsafeRawPointer, at offset: Int, as type: Number.Type
    ) -> Number {
        base.loadUnaligned(fromByteOffset: offset, as: type) ^ message.loadUnaligned(fromByteOffset: offset, as: type)
    }
}
