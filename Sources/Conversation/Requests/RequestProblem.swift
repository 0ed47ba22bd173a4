import Formats
import WSCore

/// Why an input message is not a request, so that nothing could be matched to it. It is not sent: a run that waits for
/// replies would end without one, and report success.
package enum RequestProblem: Error, Equatable, CustomStringConvertible {
    /// The message is not JSON. The value is the field in which a request and its reply are equal.
    case notJSON(field: String)
    /// The message, or one of a batch, does not have the field. It may have one whose name differs only in case.
    case noField(String, similar: String?)
    /// The field is null, an object, or an array.
    case notAScalar(String)
    /// The message, or one of a batch, is neither a JSON-RPC call with an id nor a notification, which has a method.
    case notACall

    /// The problem and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .notJSON(let field): "it is not JSON, so it has no '\(escapingControls(field))' to match its reply"
        case .noField(let field, let similar):
            "it has no '\(escapingControls(field))' to match its reply; "
                + (similar.map { "rename '\(escapingControls($0))'" } ?? "add one")
        case .notAScalar(let field):
            "its '\(escapingControls(field))' is neither a string nor a number, so it cannot match its reply"
        case .notACall: "it is neither a JSON-RPC call with an id nor a notification with a method"
        }
    }

    /// Finds out why a message has no value in a field. Returns `nil` if it has one.
    static func of(_ message: RawSpan, without field: JSONField) -> RequestProblem? {
        guard UTF8Validator.isValid(message) else { return .notJSON(field: field.source) }
        switch field.problem(in: message) {
        case nil: return nil
        case .notJSON: return .notJSON(field: field.source)
        case .notAScalar: return .notAScalar(field.source)
        case .missing: return .noField(field.source, similar: name(like: field.source, in: message))
        }
    }

    /// Finds out why a message is neither a JSON-RPC call, nor a notification, nor a batch of these. Returns `nil` if it
    /// is.
    static func ofCall(_ message: RawSpan) -> RequestProblem? {
        guard UTF8Validator.isValid(message), JSONReader.problem(in: message) == nil else {
            return .notJSON(field: "id")
        }
        guard let calls = JSONText.elements(of: message) else { return ofSingleCall(message) }
        if calls.isEmpty { return .notACall }
        for call in calls {
            if let problem = ofSingleCall(call.span.bytes) { return problem }
        }
        return nil
    }

    private static func ofSingleCall(_ message: RawSpan) -> RequestProblem? {
        guard let members = JSONMembers(message) else { return .notACall }
        if let id = members.json("id") {
            return JSONText.token(of: id).flatMap { JSONScalar($0, in: id.span.bytes) } == nil ? .notAScalar("id") : nil
        }
        // JSON-RPC 2.0 §4.1: "A Notification is a Request object without an "id" member."
        if let similar = name(like: "id", in: message) { return .noField("id", similar: similar) }
        return members.string("method") == nil ? .notACall : nil
    }

    /// The name of a member of the object that differs from a name only in case, or `nil` if there is none.
    private static func name(like name: String, in message: RawSpan) -> String? {
        do throws(JSONError) {
            let members = try JSONReader.members(of: message) ?? []
            let names = members.map { JSONString.decoded(message.extracting($0.name.range)) }
            return names.first { $0.lowercased() == name.lowercased() }
        } catch {
            return nil
        }
    }
}
