/// How the results of a run are written.
enum ResultFormat: String, OptionChoice {
    case text
    case json

    var summary: String {
        switch self {
        case .text: "a table to be read"
        case .json: "one JSON object"
        }
    }
}
