import Conversation
import Formats
import WSCore

/// Why a record of standard input cannot be sent.
package enum InputProblem: Error, Equatable {
    case notText
    case notHexadecimal(EncodedTextError)
    case notBase64(EncodedTextError)
    /// An event that is not valid UTF-8.
    case notTextEvent
    case notJSON(JSONError)
    case notAnObject
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
    /// A record that exceeds the limit, in bytes.
    case tooLongRecord(limit: Int)
    /// A message that `--encode` cannot convert.
    case notEncodable(CodecError)
    /// A line that cannot be converted to a JSON-RPC call.
    case notACall(JSONRPCCallError)
    /// A message that no reply could be matched to.
    case notARequest(RequestProblem)
    /// A line that the application protocol does not take.
    case notALine(ProtocolInputError)
    /// A message with a placeholder that has no value.
    case notATemplate(TemplateProblem)
}

/// Why a message cannot be evaluated.
package struct TemplateProblem: Error, Equatable {
    /// The problem and its remedy, to follow a colon.
    package let words: String
    /// The redirect to another origin that the message does not follow, because it contains a secret.
    package var redirect: RedirectError?

    package init(words: String, redirect: RedirectError? = nil) {
        self.words = words
        self.redirect = redirect
    }
}

extension InputProblem: CustomStringConvertible {
    /// The cause and a remedy, to follow a colon.
    package var description: String {
        switch self {
        case .notText: "it is not UTF-8 text; convert it, or send it with --binary"
        case .notHexadecimal(.unexpected(let offset)): "byte \(offset + 1) is not a hexadecimal digit"
        case .notHexadecimal: "it has an odd number of hexadecimal digits"
        case .notBase64(.unexpected(let offset)): "byte \(offset + 1) is not a Base64 character"
        case .notBase64(.truncated): "the Base64 text is incomplete"
        case .notBase64(.badPadding): "the Base64 text has the wrong padding for its length"
        case .notTextEvent: "it is not UTF-8, which JSON must be"
        case .notJSON(let error): "it is not valid JSON: \(error)"
        case .notAnObject: "it is not a JSON object"
        case .missingMember(let name): "it has no '\(name)'"
        case .repeatedMember(let name): "it has more than one '\(name)'"
        case .badMember(let name, let expected): "its '\(name)' is not \(expected)"
        case .noPayload: "it has neither 'data' nor 'base64'"
        case .twoPayloads: "it has both 'data' and 'base64'"
        case .halfSurrogate(let name): "its '\(name)' contains half of a surrogate pair"
        case .tooLong(let name, let byteCount, let limit):
            "its '\(name)' has \(byteCount) bytes, but the frame has room for \(limit)"
        case .tooLongRecord(let limit): "it has more than \(Phrase.count(limit, "byte"))"
        case .notEncodable(let error): "\(error)"
        case .notACall(let error): "\(error)"
        case .notARequest(let problem): "\(problem)"
        case .notALine(let error): "\(error)"
        case .notATemplate(let problem): problem.words
        }
    }
}
