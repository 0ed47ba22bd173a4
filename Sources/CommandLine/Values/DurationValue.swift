/// A span of time: `500us`, `250ms`, `5s`, `1.5s`, `2m`, `1h`; a bare number is seconds.
public enum DurationValue {
    /// About 31 years: longer than a run, and far from overflow in milliseconds or nanoseconds.
    public static let longest = Duration.seconds(1_000_000_000)

    /// Reads a duration from 0 (or, unless `zeroAllowed`, just above it) through ``longest``.
    /// - Throws: ``ValueProblem/notADuration(orForever:)`` or ``ValueProblem/durationOutOfRange(zeroAllowed:)``.
    public static func parse(_ text: String, zeroAllowed: Bool = true) throws(ValueProblem) -> Duration {
        guard let duration = scan(text) else { throw .notADuration(orForever: false) }
        guard duration <= longest, zeroAllowed || duration > .zero else {
            throw .durationOutOfRange(zeroAllowed: zeroAllowed)
        }
        return duration
    }

    /// The duration that `text` states, cut off above ``longest``, or nil when it has another form.
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

    /// The number that the digits state, or ``largestWhole`` when it is larger.
    private static func decimal(_ digits: Substring) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits.utf8 {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            number = min(number * 10 + Int(byte - UInt8(ascii: "0")), largestWhole)
        }
        return number
    }

    /// `us` and `ms` stand before `s`, which they end in.
    private static let units: [(suffix: String, duration: Duration)] = [
        ("us", .microseconds(1)), ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)),
        ("h", .seconds(3600)),
    ]
    private static let mostFractionDigits = 9
    /// More milliseconds than ``longest`` has, and no overflow when there are as many hours.
    private static let largestWhole = 10_000_000_000_000
}
