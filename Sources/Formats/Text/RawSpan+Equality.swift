extension RawSpan {
    /// Whether two spans contain the same bytes.
    package func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        var offset = 0
        while offset + 8 <= byteCount {
            guard
                unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < byteCount {
            guard
                unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                    == other.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            else { return false }
            offset += 1
        }
        return true
    }
}
