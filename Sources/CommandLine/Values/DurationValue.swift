/// A duration: `500us`, `250ms`, `5s`, `1.5s`, `2m`, `1h`. A bare number is in seconds.
public enum DurationValue {
    /// The maximum, about 31 years: longer than any run, and far from overflow in milliseconds or nanoseconds.
    public static let longest = Duration.seconds(1_000_000_000)

    /// Parses a duration from 0 (exclusive unless `zeroAllowed`) through ``longest``.
    /// - Throws: ``ValueProblem/notADuration(orForever:)`` or ``ValueProblem/durationOutOfRange(zeroAllowed:)``.
    public static func parse(_ text: String, zeroAllowed: Bool = true) throws(ValueProblem) -> Duration {
        guard let duration = scan(text) else { throw .notADuration(orForever: false) }
        guard duration <= longest, zeroAllowed || duration > .zero else {
            throw .durationOutOfRange(zeroAllowed: zeroAllowed)
        }
        return duration
    }

    /// Parses a duration, or returns `nil` for another form. Very large numbers are clamped above ``longest``.
    private static func scan(_ text: String) -> Duration? {
        var number = text[...]
        var unit = Duration.seconds(1)
        for (suffix, duration) in units where number.hasSuffix(suffix) {
            number.removeLast(suffix.count)
            unit = duration
            break
        }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let wholeNumber = decimal(whole) else { return nil }
        var duration = unit * wholeNumber
        if parts.count == 2 {
            guard parts[1].utf8.count <= mostFractionDigits, let numerator = decimal(parts[1]) else { return nil }
            let denominator = (0..<parts[1].utf8.count).reduce(1) { power, _ in power * 10 }
            duration += unit * numerator / denominator
        }
        return duration
    }

    /// Parses decimal digits, or returns `nil` for other characters. Larger numbers are clamped to ``largestWhole``.
    private static func decimal(_ digits: Substring) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits.utf8 {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            number = min(number * 10 + Int(byte - UInt8(ascii: "0")), largestWhole)
        }
        return number
    }

    /// `us` and `ms` precede `s`, which is their suffix.
    private static let units: [(suffix: String, duration: Duration)] = [
        ("us", .microseconds(1)), ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)),
        ("h", .seconds(3600)),
    ]
    private static let mostFractionDigits = 9
    /// Larger than ``longest`` in any unit, without overflow even in hours.
    private static let largestWhole = 10_000_000_000_000
}
