import CommandLine

/// A delay, or a time chosen at random: `250ms`, or a range such as `100ms-2s` or `100ms..2s`.
package enum DelayValue {
    /// Parses a duration above 0, or two durations in ascending order with a hyphen or two periods between them.
    /// - Parameter zeroAllowed: Whether the whole delay may be 0. Defaults to `false`.
    package static func parse(_ text: String, zeroAllowed: Bool = false) throws(ValueProblem) -> ClosedRange<Duration> {
        let parts = parts(of: text)
        do throws(ValueProblem) {
            let upper = try DurationValue.parse(String(parts[parts.count - 1]), zeroAllowed: zeroAllowed)
            guard parts.count > 1 else { return upper...upper }
            let lower = try DurationValue.parse(String(parts[0]))
            guard parts.count == 2, lower <= upper else { throw .notADelay }
            return lower...upper
        } catch {
            throw error == .notADuration(orForever: false) ? .notADelay : error
        }
    }

    /// The bounds of a range, with a hyphen or two periods between them.
    package static func parts(of text: String) -> [Substring] {
        guard let periods = text.indices.first(where: { text[$0...].hasPrefix("..") }) else {
            return text.split(separator: "-", omittingEmptySubsequences: false)
        }
        return [text[..<periods], text[periods...].dropFirst(2)]
    }
}

/// A number of bytes per second: `64k`, `1M`, in powers of 1024.
package enum ThrottleValue {
    /// A lower rate could not complete an upgrade within its time limit.
    package static let smallest = 64

    /// Parses a rate from ``smallest`` to ``SizeValue/largestBytes``.
    package static func parse(_ text: String) throws(ValueProblem) -> Int {
        let rate = try SizeValue.parse(text)
        guard rate >= smallest else { throw .outOfRange(smallest...SizeValue.largestBytes) }
        return rate
    }
}

/// The requests that `wsx listen` rejects.
package struct Rejection: Equatable, Sendable {
    /// The HTTP status, 300 through 599.
    package var status: Int
    /// The number of requests to reject before accepting others; nil: all.
    package var count: Int?
}

/// The requests to reject: all with `503`, the first three with `503x3`.
package enum RejectionValue {
    /// The status of a rejection: a redirect or an error.
    private static let statuses = 300...599

    /// Parses a status, optionally with an `x` and a count of 1 or more.
    package static func parse(_ text: String) throws(ValueProblem) -> Rejection {
        let parts = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts[0].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard isNumber, let status = Int(parts[0]), statuses ~= status else { throw .notARejection }
        guard parts.count > 1 else { return Rejection(status: status) }
        guard let count = try? CountValue.parse(String(parts[1])) else { throw .notARejection }
        return Rejection(status: status, count: count)
    }
}
