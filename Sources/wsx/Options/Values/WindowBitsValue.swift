import WSCore

/// The size of a compression window, as a power of 2 in bytes.
enum WindowBitsValue {
    /// Reads a number that RFC 7692 §7.1.2 allows.
    static func parse(_ text: String) throws(ValueProblem) -> Int {
        let range = DeflateParameters.windowBitsRange
        guard let bits = Int(text), String(bits) == text, range.contains(bits) else { throw .outOfRange(range) }
        return bits
    }
}
