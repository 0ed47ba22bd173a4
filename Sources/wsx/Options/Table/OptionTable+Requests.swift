import Formats

extension OptionTable {
    /// Messages that are requests, and how replies are told.
    static let requests = [
        OptionSpecification(
            "request", group: .requests,
            summary: "Wait for a reply to each message",
            manual: """
                Take each message of the input for a request: the next one is sent when the reply has come. The reply is \
                the next message that is received, or with `--correlate` the one that matches. See REQUESTS AND REPLIES.
                """,
            effect: .update(.connect { arguments, _ in arguments.sendsRequests = true })),
        OptionSpecification(
            "correlate", value: OptionValue("FIELD"), group: .requests,
            summary: "Match replies by a JSON field",
            manual: """
                Take each message of the input that has *FIELD* for a request; the reply is the message that has the same \
                there. Many may be in flight. *FIELD* is the name of a member of the message's object, or a JSON Pointer \
                (RFC 6901), which begins with a slash: `/params/id`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    guard JSONField(value) != nil else { throw .notAField }
                    arguments.correlation = value
                })),
        OptionSpecification(
            "json-rpc",
            value: OptionValue(
                "FORM", .choices(of: JSONRPCForm.self), implied: JSONRPCForm.automatic.rawValue),
            group: .requests,
            summary: "Make JSON-RPC calls of 'method arg...'",
            manual: """
                Make a JSON-RPC 2.0 call, with an id of its own, of each message of the input that is a method and its \
                arguments: `sum 1 2` or `open url=http://localhost/`. Implies `--correlate id`. *FORM* is `auto` unless it is \
                given:
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.calls = try JSONRPCForm.parse(value)
                })),
        OptionSpecification(
            "fail", requires: ["json-rpc"], group: .requests,
            summary: "Exit with 7 if a call returns an error",
            manual: """
                Exit with 7 if a reply to a JSON-RPC call has an `error`. The reply is written to standard output and the \
                error's code and message to standard error, with or without this option.
                """,
            effect: .update(.connect { arguments, _ in arguments.failsOnErrorReply = true })),
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "30s",
            requires: ["request", "correlate", "json-rpc"], group: .requests,
            summary: "Time for the reply to a request",
            manual: """
                Give a request up that has had no reply for *DURATION*: an error says so, and the run ends with status 6, \
                at once where replies are told by their order, and at its end where they are told by a field.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.replyTimeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
    ]
}
