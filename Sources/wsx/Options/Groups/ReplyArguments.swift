import CommandLine
import Formats

/// The options for requests, and for matching their replies.
struct ReplyArguments: Equatable, Sendable {
    /// Whether a message waits for the reply to the one before.
    var sendsRequests = false
    /// As typed: what ``JSONField`` reads.
    var correlation: String?
    /// The form of the calls that are made of lines; nil: none are.
    var calls: JSONRPCForm?
    /// Whether an error reply to a call makes the run fail.
    var failsOnErrorReply = false
    /// More than 0.
    var replyTimeout = Duration.seconds(30)

    /// Whether messages of the input are requests.
    var hasRequests: Bool { sendsRequests || calls != nil || correlation != nil }

    static let options: [OptionSpecification<ReplyArguments>] = [
        OptionSpecification(
            "request", heading: .requests,
            summary: "Wait for a reply to each message",
            manual: """
                Take each message of the input for a request: the next one is sent when the reply has come. The reply is \
                the next message that is received, or with `--correlate` the one that matches. See REQUESTS AND REPLIES.
                """
        ) { arguments, _ in arguments.sendsRequests = true },
        OptionSpecification(
            "correlate", value: OptionValue("FIELD"), heading: .requests,
            summary: "Match replies by a JSON field",
            manual: """
                Take each message of the input that has *FIELD* for a request; the reply is the message that has the same \
                there. Many may be in flight. *FIELD* is the name of a member of the message's object, or a JSON Pointer \
                (RFC 6901), which begins with a slash: `/params/id`.
                """
        ) { arguments, value throws(ValueProblem) in
            guard JSONField(value) != nil else { throw .notAField }
            arguments.correlation = value
        },
        OptionSpecification(
            "json-rpc",
            value: OptionValue(
                "FORM", .choices(of: JSONRPCForm.self), implied: JSONRPCForm.automatic.rawValue),
            heading: .requests,
            summary: "Make JSON-RPC calls of 'method arg...'",
            manual: """
                Make a JSON-RPC 2.0 call, with an id of its own, of each message of the input that is a method and its \
                arguments: `sum 1 2` or `open url=http://localhost/`. Implies `--correlate id`. *FORM* is `auto` unless it is \
                given:
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.calls = try JSONRPCForm.parse(value)
        },
        OptionSpecification(
            "fail", requires: ["json-rpc"], heading: .requests,
            summary: "Exit with 7 if a call returns an error",
            manual: """
                Exit with 7 if a reply to a JSON-RPC call has an `error`. The reply is written to standard output and the \
                error's code and message to standard error, with or without this option.
                """
        ) { arguments, _ in arguments.failsOnErrorReply = true },
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "30s",
            requires: ["request", "correlate", "json-rpc"], heading: .requests,
            summary: "Time for the reply to a request",
            manual: """
                Give a request up that has had no reply for *DURATION*: an error says so, and the run ends with status 6, \
                at once where replies are told by their order, and at its end where they are told by a field.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.replyTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]
}

/// The form of the calls that `--json-rpc` makes.
enum JSONRPCForm: String, CaseIterable, OptionChoice {
    case automatic = "auto"
    case standard = "2.0"
    case devtools

    var summary: String {
        switch self {
        case .automatic: "devtools for a path under /devtools/, 2.0 elsewhere"
        case .standard: "JSON-RPC 2.0"
        case .devtools: "without the member jsonrpc"
        }
    }

    /// Whether calls have the member `jsonrpc`, at the path that a request asks for.
    func hasVersion(at requestTarget: String) -> Bool {
        switch self {
        case .automatic: !requestTarget.hasPrefix("/devtools/")
        case .standard: true
        case .devtools: false
        }
    }
}
