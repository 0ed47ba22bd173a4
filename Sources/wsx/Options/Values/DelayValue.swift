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
