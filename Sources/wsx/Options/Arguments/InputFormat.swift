/// How standard input is cut into messages.
enum InputFormat: String, CaseIterable, OptionChoice {
    case lines
    case nul
    case message
    case chunks

    var summary: String {
        switch self {
        case .lines: "a message ends at LF and travels byte for byte"
        case .nul: "a message ends at a NUL byte"
        case .message: "all of the input is one message"
        case .chunks: "bytes as they come, as binary messages"
        }
    }
}
