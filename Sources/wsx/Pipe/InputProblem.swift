import Formats
import WSCore

/// Why a record of standard input cannot be sent.
enum InputProblem: Error, Equatable {
    case notText
    case notHexadecimal(EncodedTextError)
    case notBase64(EncodedTextError)
    /// An event that is not valid UTF-8.
    case notTextEvent
    case notJSON(JSONError)
    case notAnObject
    case unknownType(String)
    case missingMember(String)
    case repeatedMember(String)
    /// A member with a value other than the `expected` form.
    case badMember(String, expected: String)
    /// Neither `data` nor `base64`.
    case noPayload
    /// Both of them.
    case twoPayloads
    /// A string contains an escape for an unpaired surrogate.
    case halfSurrogate(String)
    /// A payload that exceeds the size of a control frame.
    case tooLong(String, byteCount: Int, limit: Int)
}

extension InputProblem: CustomStringConvertible {
    /// The cause and a remedy, to follow a colon.
    var description: String {
        switch self {
        case .notText: "it is not UTF-8 text; send it with --binary"
        case .notHexadecimal(.unexpected(let offset)): "byte \(offset + 1) is no hexadecimal digit"
        case .notHexadecimal: "it has an odd number of digits"
        case .notBase64(.unexpected(let offset)): "byte \(offset + 1) of it is not Base64"
        case .notBase64(.truncated): "it is not Base64: it ends too early"
        case .notBase64(.badPadding): "it is not Base64: its padding is not that of so many characters"
        case .notTextEvent: "it is not UTF-8, as JSON has to be"
        case .notJSON(let error): "\(error)"
        case .notAnObject: "it is no JSON object"
        case .unknownType(let type): "there is no type '\(escapingControls(type))' of events"
        case .missingMember(let name): "it has no '\(name)'"
        case .repeatedMember(let name): "it has more than one '\(name)'"
        case .badMember(let name, let expected): "its '\(name)' is not \(expected)"
        case .noPayload: "it has neither 'data' nor 'base64'"
        case .twoPayloads: "it has both 'data' and 'base64'"
        case .halfSurrogate(let name): "its '\(name)' has one half of a surrogate pair"
        case .tooLong(let name, let byteCount, let limit):
            "its '\(name)' has \(byteCount) bytes, and at most \(limit) fit into the frame"
        }
    }
}
