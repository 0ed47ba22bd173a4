import Formats
import WSCore

/// An error object in a reply to a JSON-RPC call (JSON-RPC 2.0 §5.1).
package struct JSONRPCError: Equatable {
    /// The request's id as written in the reply; `null` if the server could not read it.
    package let id: String
    /// The code as written in the reply, or `nil` if it is missing.
    package let code: String?
    /// The error message from the peer.
    package let message: String

    /// The maximum length of a shown message, in characters. The reply itself is written in full.
    private static let maximumCharacters = 200

    /// The errors in a message: at most one, or one per reply in a batch. A message that is not JSON has none.
    package static func errors(in payload: RawSpan) -> [JSONRPCError] {
        guard UTF8Validator.isValid(payload) else { return [] }
        do throws(JSONError) {
            switch try JSONValue(parsing: payload) {
            case .array(let replies): return replies.compactMap { JSONRPCError(reply: $0) }
            case let reply: return JSONRPCError(reply: reply).map { [$0] } ?? []
            }
        } catch {
            return []
        }
    }

    /// Returns the error on one line.
    /// - Parameters:
    ///   - number: The number of the request, or `nil` if the server could not read the call's id.
    ///   - masking: Hides the secrets of the run, which the server may repeat.
    package func description(asReplyTo number: Int?, masking: (String) -> String) -> String {
        let call = number.map { "request \($0)" + (id == "\($0)" ? "" : " (id \(Self.shown(id)))") }
        return "\(call ?? "reply without an id"): \(masking(shortDescription))"
    }

    /// The code and the message: `error -32601: Method not found`.
    package var shortDescription: String {
        "error \(code.map { "\(Self.shown($0)): " } ?? "")\(Self.shown(message))"
    }

    private static func shown(_ text: String) -> String {
        let beginning = String(text.unicodeScalars.prefix(maximumCharacters))
        return escapingControls(beginning) + (beginning.utf8.count < text.utf8.count ? "…" : "")
    }

    /// Finds the error in a reply. Servers without a version, such as DevTools, use the same member. JSON-RPC 1.0
    /// allows any value in it, and null for success.
    private init?(reply: JSONValue) {
        // With a method, it is a call or a notification from the server rather than a reply.
        guard case .object(let members) = reply, members["method"] == nil, let error = members["error"] else {
            return nil
        }
        if members["id"] == nil {
            // Events may have a member with this name, too.
            guard case .object = error else { return nil }
        }
        self.id = members["id"].flatMap { Self.text(of: $0) } ?? "null"
        switch error {
        case .null, .bool(false), .string(""): return nil
        case .object(let members):
            code = members["code"].flatMap { Self.text(of: $0) }
            message = members["message"].flatMap { Self.text(of: $0) } ?? "no message"
        // WebDriver BiDi, §3: {"type":"error","id":…,"error":"no such frame","message":"…"}
        case .string(let text):
            let words = members["type"] == .string("error") ? members["message"].flatMap { Self.text(of: $0) } : nil
            (code, message) = words.map { (text, $0) } ?? (nil, text)
        case .array, .number, .bool: (code, message) = (nil, "see the reply")
        }
    }

    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
