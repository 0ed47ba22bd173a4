/// How standard input is cut into messages.
enum InputFormat: String, CaseIterable, OptionChoice {
    case lines
    case nul
    case message
    case chunks
    case hex
    case base64
    case json

    var summary: String {
        switch self {
        case .lines: "a message ends at LF and travels byte for byte"
        case .nul: "a message ends at a NUL byte"
        case .message: "all of the input is one message"
        case .chunks: "bytes as they come, as binary messages"
        case .hex: "hexadecimal digits, one binary message a line"
        case .base64: "Base64, one binary message a line"
        case .json: "one JSON event a line, see JSON EVENTS in the manual"
        }
    }
}
