/// Why a text is no message with placeholders.
enum MessageTemplateError: Error, Equatable {
    /// Two braces are not closed.
    case notClosed
    /// What is between the braces, as it was typed.
    case unknownPlaceholder(String)
    /// `random` without a number that is allowed.
    case badLength
}

extension MessageTemplateError: CustomStringConvertible {
    /// What is expected, to follow a colon.
    var description: String {
        switch self {
        case .notClosed: "'{{' begins a placeholder, which '}}' ends; '{{{{' stands for the two braces"
        case .unknownPlaceholder(let text):
            "'{{\(text)}}' is none of {{seq}}, {{connection}}, {{time}} and {{random N}}; "
                + "'{{{{' stands for two braces"
        case .badLength: "expected {{random N}} with an N from 1 to \(MessageTemplate.mostRandomBytes)"
        }
    }
}
