import CommandLine

/// How long to wait for replies between the end of the input and the closing handshake.
package enum Linger: Equatable {
    /// Until no message has arrived for this long.
    case idle(Duration)
    /// The same, but shorter if each message has a reply; see ``InactivityWait``.
    case answered(idle: Duration)
    /// For this long, regardless of what arrives.
    case total(Duration)
    case forever

    /// How long to wait; nil: no limit.
    package var limit: Duration? {
        switch self {
        case .idle(let limit), .answered(idle: let limit), .total(let limit): limit
        case .forever: nil
        }
    }

    /// Whether each received message restarts the wait.
    package var restartsOnArrival: Bool {
        switch self {
        case .idle, .answered: true
        case .total, .forever: false
        }
    }

    /// Parses a duration or the word `forever`.
    package static func parse(_ text: String) throws(ValueProblem) -> Linger {
        if text == "forever" { return .forever }
        do {
            return .idle(try DurationValue.parse(text))
        } catch .notADuration {
            // curl's -w FORMAT.
            if text.utf8.contains(where: { "%\\".utf8.contains($0) }) {
                throw .misplaced(
                    MisplacedValue(kind: "a format of curl", remedy: "use --output json for the status and the timings")
                )
            }
            throw .notADuration(orForever: true)
        }
    }
}
