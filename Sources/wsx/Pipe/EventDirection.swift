/// Which way a frame went, as events call it.
enum EventDirection {
    case incoming
    case outgoing

    /// What stands in an event.
    var word: StaticString {
        switch self {
        case .incoming: "in"
        case .outgoing: "out"
        }
    }

    /// Reads the word of an event; nil: it is none of the two.
    init?(word: String) {
        switch word {
        case "in": self = .incoming
        case "out": self = .outgoing
        default: return nil
        }
    }
}
