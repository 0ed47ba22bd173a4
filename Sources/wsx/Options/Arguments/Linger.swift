/// How long the peer may stay silent, once the input has ended, before the connection is closed.
enum Linger: Equatable {
    case duration(Duration)
    case forever

    /// Reads a duration or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Linger {
        if text == "forever" { return .forever }
        do {
            return .duration(try DurationValue.parse(text))
        } catch .notADuration {
            throw .notADuration(orForever: true)
        }
    }
}
