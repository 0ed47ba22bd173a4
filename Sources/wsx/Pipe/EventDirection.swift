/// The direction of a frame in events.
enum EventDirection {
    case incoming
    case outgoing

    /// The word used in events.
    var word: StaticString {
        switch self {
        case .incoming: "in"
        case .outgoing: "out"
        }
    }

    /// Parses the word of an event. Returns `nil` for other words.
    init?(word: String) {
        switch word {
        case "in": self = .incoming
        case "out": self = .outgoing
        default: return nil
        }
    }
}
