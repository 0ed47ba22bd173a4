/// How a received message is written to standard output.
enum OutputFormat: String, CaseIterable, OptionChoice {
    case text
    case raw
    case nul
    case hex
    case base64
    case json

    var summary: String {
        switch self {
        case .text: "each message and a newline"
        case .raw: "the bytes of the messages and nothing else"
        case .nul: "each message and a NUL byte"
        case .hex: "each message as hexadecimal digits, and a newline"
        case .base64: "each message as Base64, and a newline"
        case .json: "one JSON event a line, see JSON EVENTS in the manual"
        }
    }
}
