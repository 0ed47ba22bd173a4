import CommandLine

/// How long messages are held back: `250ms`, or a range such as `100ms-2s`.
enum DelayValue {
    /// Reads a duration above 0, or two with a hyphen between them, of which the second is no less than the first.
    static func parse(_ text: String) throws(ValueProblem) -> ClosedRange<Duration> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        do throws(ValueProblem) {
            let upper = try DurationValue.parse(String(parts[parts.count - 1]), zeroAllowed: false)
            guard parts.count > 1 else { return upper...upper }
            let lower = try DurationValue.parse(String(parts[0]))
            guard parts.count == 2, lower <= upper else { throw .notADelay }
            return lower...upper
        } catch {
            throw error == .notADuration(orForever: false) ? .notADelay : error
        }
    }
}

/// A number of bytes a second: `64k`, `1M`, in powers of 1024.
enum ThrottleValue {
    /// With less, an upgrade would take longer than it may.
    static let smallest = 64

    /// Reads a rate from ``smallest`` through that of ``SizeValue/largestBytes``.
    static func parse(_ text: String) throws(ValueProblem) -> Int {
        let rate = try SizeValue.parse(text)
        guard rate >= smallest else { throw .outOfRange(smallest...SizeValue.largestBytes) }
        return rate
    }
}

/// Which requests are refused: all with `503`, the first three with `503x3`.
enum RejectionValue {
    /// What a refusal may say: a redirect or an error.
    private static let statuses = 300...599

    /// Reads a status, and a count of 1 or more behind an `x`.
    static func parse(_ text: String) throws(ValueProblem) -> Rejection {
        let parts = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts[0].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard isNumber, let status = Int(parts[0]), statuses ~= status else { throw .notARejection }
        guard parts.count > 1 else { return Rejection(status: status) }
        guard let count = try? CountValue.parse(String(parts[1])) else { throw .notARejection }
        return Rejection(status: status, count: count)
    }
}
