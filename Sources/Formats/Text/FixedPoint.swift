/// Numbers with a fixed number of decimals.
package enum FixedPoint {
    /// Formats a number, rounded to the nearest: `12.50` with 2 digits. Numbers that are not finite or have more than
    /// 15 integer digits become 0.
    /// - Parameter digits: The number of decimals, 0 through 9.
    package static func text(_ value: Double, digits: Int) -> String {
        guard value.magnitude < 1e15 else { return text(0, digits: digits) }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        // Format the integer part separately: scaled together, a large number would lose digits.
        var whole = Int(value.magnitude.rounded(.down))
        var fraction = Int(((value.magnitude - Double(whole)) * Double(scale)).rounded())
        if fraction == scale {
            whole += 1
            fraction = 0
        }
        let sign = value < 0 && (whole > 0 || fraction > 0) ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(padded(fraction, to: digits))"
    }
}

/// Formats a number with leading zeros.
package func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Pads a text on the left with spaces to `width` characters.
package func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
