/// Numbers with a fixed number of digits after the point.
public enum FixedPoint {
    /// A number as text, rounded to the nearest: `12.50` with 2 digits. One that is not finite or has more than 15 digits
    /// before the point is as good as none, and becomes 0.
    /// - Parameter digits: 0 through 9.
    public static func text(_ value: Double, digits: Int) -> String {
        guard value.magnitude < 1e15 else { return text(0, digits: digits) }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        // The whole part by itself: scaled as one, a large number would lose digits.
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

/// A number with leading zeros.
public func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The text with leading spaces that make it `width` characters wide.
public func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
