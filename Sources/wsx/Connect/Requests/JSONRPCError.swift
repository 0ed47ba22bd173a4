import WSCore

/// An error object in a reply to a JSON-RPC call (JSON-RPC 2.0 §5.1).
struct JSONRPCError: Equatable {
    /// As it stands in the reply; nil: it is missing, or no number.
    let code: String?
    let message: String

    /// The errors in a message: at most one, or one for each reply in a batch. A message that is not JSON has none.
    static func errors(in payload: RawSpan) -> [JSONRPCError] {
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

    /// What the user is told, on one line.
    /// - Parameter number: The number of the request; nil: it is not known, as for a call that the server cannot parse.
    func description(asReplyTo number: Int?) -> String {
        let call = number.map { "request \($0)" } ?? "reply without a request"
        return "\(call): error \(code.map { "\($0): " } ?? "")\(escapingControls(message))"
    }

    /// Finds the error in a reply. Servers without a version, such as DevTools, use the same member; JSON-RPC 1.0 allows
    /// any value in it, and null where there is no error.
    private init?(reply: JSONValue) {
        guard case .object(let members) = reply, members["method"] == nil, let error = members["error"] else {
            return nil
        }
        switch error {
        case .null: return nil
        case .object(let members):
            if case .number(let number)? = members["code"] { code = number } else { code = nil }
            if case .string(let text)? = members["message"] { message = text } else { message = "no message" }
        case .string(let text): (code, message) = (nil, text)
        case .array, .number, .bool: (code, message) = (nil, "see the reply")
        }
    }
}
