/// When a client is closed: after a number of messages, `5` or `1k`, or after a time with its unit, `500ms` or `5s`.
enum CloseLimitValue {
    /// Reads a time where there is the unit of one, and a count elsewhere: `5m` is minutes, and `5M` are millions.
    static func parse(_ text: String) throws(ValueProblem) -> CloseLimit {
        do throws(ValueProblem) {
            let isTime = text.hasSuffix("s") || text.hasSuffix("m") || text.hasSuffix("h")
            return isTime
                ? .time(try DurationValue.parse(text, zeroAllowed: false)) : .messages(try CountValue.parse(text))
        } catch {
            switch error {
            case .notADuration, .notACount: throw .notACloseLimit
            default: throw error
            }
        }
    }
}
