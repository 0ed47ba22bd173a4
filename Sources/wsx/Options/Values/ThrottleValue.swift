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
