/// A number of bytes: `512`, `64k`, `16M`, `1G`, in powers of 1024.
enum SizeValue {
    /// 1 TiB: beyond any message, and far from overflow in sums.
    static let largestBytes = 1 << 40

    /// Reads a size from 1 byte through ``largestBytes``.
    static func parse(_ text: String) throws(ValueProblem) -> Int {
        guard let bytes = ScaledInteger.parse(text, base: 1024) else { throw .notASize }
        guard 1...largestBytes ~= bytes else { throw .outOfRange(1...largestBytes) }
        return bytes
    }
}
