/// How long to wait for replies after the end of the input before the connection is closed.
enum Linger: Equatable {
    /// Until no message has arrived for this long.
    case idle(Duration)
    /// For this long, whatever arrives.
    case total(Duration)
    case forever

    /// How long to wait; nil: without a limit.
    var limit: Duration? {
        switch self {
        case .idle(let limit), .total(let limit): limit
        case .forever: nil
        }
    }

    /// Whether each message starts the wait anew.
    var restartsOnArrival: Bool {
        if case .idle = self { true } else { false }
    }

    /// Reads a duration or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Linger {
        if text == "forever" { return .forever }
        do {
            return .idle(try DurationValue.parse(text))
        } catch .notADuration {
            throw .notADuration(orForever: true)
        }
    }
}
