import Formats
import WSCore

extension ApplicationProtocol {
    /// JSON-RPC 2.0.
    static let jsonRPC = ApplicationProtocol(
        name: "json-rpc",
        summary: "JSON-RPC 2.0: calls and their results, separate from notifications",
        manual: Manual(
            input: """
                METHOD [ARGUMENT...] calls a method: eth_getBalance 0xb60e latest, or with named arguments: \
                move x=1 y=2. An argument that is not JSON is a string. A single object or array becomes the \
                parameters. A line that begins with a brace or bracket is already a call and is sent unchanged.
                """,
            automatic: "Numbers the calls.",
            hidden: "Nothing.",
            example: "wsx --protocol json-rpc :8545 'eth_getBalance 0xb60e latest'"),
        makeSession: { _ in JSONRPCSession(.standard) })

    /// The DevTools protocol of Chromium.
    static let devTools = ApplicationProtocol(
        name: "devtools",
        summary: "The DevTools protocol of Chromium: commands and their results, separate from events",
        manual: Manual(
            input: """
                METHOD [ARGUMENT...] sends a command: Page.navigate url=https://example.com/. An argument that is not \
                JSON is a string. A line that begins with a brace is already a command and is sent unchanged, such as \
                one with a sessionId.
                """,
            automatic: "Numbers the commands.",
            hidden: "Nothing.",
            example: "wsx --protocol devtools \"$url\" 'Page.navigate url=http://h/'"),
        makeSession: { _ in JSONRPCSession(.devTools) })
}

/// A session of JSON-RPC 2.0, or of protocols like it without the member `jsonrpc`.
///
/// Sections refer to the JSON-RPC 2.0 specification. The key of a reply is its id as JSON: §5 "It MUST be the same as the
/// value of the id member in the Request Object". So 1.0 is the id 1, and "1" is another one.
final class JSONRPCSession: ProtocolSession {
    /// The maximum number of replies to batches that are outstanding. Beyond it, any reply ends the wait for its batch.
    private static let maximumBatchedCount = 65_536

    private let form: JSONRPCCall.Form
    private var nextID = 1
    /// The outstanding replies to the calls of batches, with the key of the batch: that of its first call.
    private var batches: [String: String] = [:]
    /// The number of outstanding replies to each batch, by its key.
    private var outstandingCounts: [String: Int] = [:]

    init(_ form: JSONRPCCall.Form) {
        self.form = form
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        (batches, outstandingCounts) = ([:], [:])
        output.append(.ready)
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        guard kind == .text || UTF8Validator.isValid(payload) else {
            return output.append(.unknown(reason: "binary data that is not JSON"))
        }
        // §6: a batch is an array of replies. Servers send arrays of notifications, too.
        if let messages = JSONText.elements(of: payload), !messages.isEmpty {
            let events = messages.compactMap { JSONMembers($0).flatMap(event) }
            for event in events { output.append(event) }
            if events.count < messages.count {
                output.append(.unknown(reason: "a batch with an element that is not a message of JSON-RPC"))
            }
        } else if let event = JSONMembers(payload).flatMap(event) {
            output.append(event)
        } else {
            output.append(.unknown(reason: "not a message of JSON-RPC: an object with a method, or an id and a result"))
        }
    }

    /// The event for a message, or `nil` if it is not one.
    private func event(_ message: JSONMembers) -> ProtocolEvent? {
        if let method = message.string("method") {
            // §4.1: a notification. With an id, it is a call by the server.
            let parameters = message.json("params") ?? []
            let subscription = JSONMembers(parameters)?.json("subscription") ?? message.json("sessionId")
            return ProtocolEvent(
                .event(), name: method, id: (message.json("id") ?? subscription).flatMap(JSONText.text),
                payload: parameters)
        }
        // §5: "Either the result member or error member MUST be included".
        let error = message.json("error")
        let hasError = error.map { !["null", "false", "\"\""].contains(String(decoding: $0, as: UTF8.self)) } ?? false
        guard message.has("id") || hasError, hasError || message.has("result") else { return nil }
        let payload = (hasError ? error : message.json("result")) ?? []
        // §5: "If there was an error in detecting the id in the Request object …, it MUST be Null." So this is the reply to
        // one of the calls, and nothing says to which.
        guard !message.isNull("id"), let id = message.json("id") else {
            return ProtocolEvent(.reply(nil, isError: true), name: "error", payload: payload)
        }
        return ProtocolEvent(
            .reply(answeredKey(JSONText.key(of: id)), isError: hasError), id: JSONText.text(id), payload: payload)
    }

    /// The key of the request that a reply answers. A batch is answered by the last of its replies; the others have keys
    /// that answer nothing.
    private func answeredKey(_ key: String) -> String {
        guard let batch = batches.removeValue(forKey: key), let count = outstandingCounts[batch] else { return key }
        outstandingCounts[batch] = count > 1 ? count - 1 : nil
        return count > 1 ? "\(key) of \(batch)" : batch
    }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let call: [UInt8]
        do throws(JSONRPCCallError) {
            call = try JSONRPCCall.compose(line, id: nextID, form: form)
        } catch {
            throw ProtocolInputError("\(error)\(error == .noMethod ? ", as in: eth_getBalance 0xb60e latest" : "")")
        }
        // Otherwise it would wait for nothing.
        if wantsReply, let problem = RequestProblem.ofCall(call.span.bytes) {
            throw ProtocolInputError(
                "\(problem), as in: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sum\",\"params\":[1,2]}")
        }
        let key = try key(of: call)
        output.send(call)
        // A call with an id of its own must not share it with a later call.
        if let number = key.flatMap({ Int($0) }), number >= nextID, number < Int.max { nextID = number + 1 }
        return key
    }

    /// The key of the reply to a call, or to a batch. `nil` for notifications.
    private func key(of call: [UInt8]) throws(ProtocolInputError) -> String? {
        guard let text = JSONText.compact(call) else {
            throw ProtocolInputError(
                "a line that begins with a brace or bracket must be a JSON-RPC call, as in: "
                    + "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sum\",\"params\":[1,2]}")
        }
        let calls = JSONText.elements(of: text) ?? [text]
        let keys = calls.compactMap { JSONMembers($0)?.json("id").map { JSONText.key(of: $0) } }
        if let first = keys.first, keys.count > 1, batches.count + keys.count <= Self.maximumBatchedCount {
            for key in Set(keys) where batches.updateValue(first, forKey: key) == nil {
                outstandingCounts[first, default: 0] += 1
            }
        }
        return keys.first
    }
}
