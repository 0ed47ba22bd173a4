/// The text of a close frame.
enum CloseReasonValue {
    // RFC 6455 §5.5: a control frame carries at most 125 bytes, of which the code takes two.
    /// The most bytes of UTF-8 that a reason may have.
    static let longestBytes = 123

    /// Reads a reason of at most ``longestBytes``.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        let byteCount = text.utf8.count
        guard byteCount <= longestBytes else { throw .tooLong(byteCount: byteCount, limit: longestBytes) }
        return text
    }
}
