/// The size of a compression window, as a power of 2 in bytes.
enum WindowBitsValue {
    /// What RFC 7692 §7.1.2 allows.
    static let range = 8...15

    /// Reads a number of ``range``.
    static func parse(_ text: String) throws(ValueProblem) -> Int {
        guard let bits = Int(text), String(bits) == text, range.contains(bits) else { throw .outOfRange(range) }
        return bits
    }
}
