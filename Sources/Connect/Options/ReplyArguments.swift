import CommandLine
import Conversation
import Formats
import UserInterface
import WSCore

/// The options for requests and the matching of replies.
package struct ReplyArguments: Equatable, Sendable {
    /// Whether each message waits for the reply to the previous one.
    package var sendsRequests = false
    /// The id that a request and its reply have in common, or `nil` if there is none.
    package var correlation: Correlation?
    /// The form of the JSON-RPC calls to make from input lines; nil: lines are sent unchanged.
    package var calls: JSONRPCForm?
    /// Whether an error reply makes the run fail.
    package var failsOnErrorReply = false
    /// More than 0.
    package var replyTimeout = Duration.seconds(30)

    /// Whether input messages are requests.
    package var hasRequests: Bool { sendsRequests || calls != nil || correlation != nil }

    static let options: [OptionSpecification<ReplyArguments>] = [
        OptionSpecification(
            "request", about: .requests, heading: .requests,
            summary: "Wait for the reply to each message",
            manual: """
                Treat each input message as a request, and send the next one only after the reply: the next message \
                received, or with `--correlate` the one that matches. See REQUESTS AND REPLIES.
                """,
            seeAlso: ["correlate", "json-rpc", "reply-timeout"]
        ) { arguments, _ in arguments.sendsRequests = true },
        OptionSpecification(
            "correlate", value: OptionValue("FIELD"), about: [.requests, .matching], heading: .requests,
            summary: "Match replies to requests by a JSON field",
            manual: """
                Treat each input message as a request. It must be JSON and contain *FIELD*. The reply is the received \
                message with the same value in *FIELD*. Many requests can be in flight.
                """,
            CorrelationValue.manual, example: "--correlate id", seeAlso: ["request"]
        ) { arguments, value throws(ValueProblem) in
            arguments.correlation = try CorrelationValue.parse(value)
        },
        OptionSpecification(
            "json-rpc",
            value: OptionValue(
                "FORM", .choices(of: JSONRPCForm.self), implied: JSONRPCForm.automatic.rawValue),
            about: [.requests, .matching], heading: .requests,
            summary: "Turn 'method arg...' into JSON-RPC calls",
            manual: """
                Turn each input message, such as `sum 1 2`, into a JSON-RPC 2.0 call with a unique id. Implies \
                `--correlate id`. See REQUESTS AND REPLIES.
                """,
            "*FORM* is the form of the calls and defaults to `auto`:",
            example: "--json-rpc --execute 'eth_getBalance 0xb60e latest'",
            seeAlso: ["fail"]
        ) { arguments, value throws(ValueProblem) in
            arguments.calls = try JSONRPCForm.parse(value)
        },
        OptionSpecification(
            "fail", requires: ["json-rpc", "protocol"], heading: .requests,
            summary: "Exit with 7 if the server reports an error",
            manual: """
                Exit with 7 if a reply to a JSON-RPC call has an `error`, or if a server with `--protocol` reports an \
                error. Even without this option, the reply is written to standard output, and the error's code and \
                message to standard error.
                """,
            example: "--json-rpc --fail --execute system.health", seeAlso: ["json-rpc"]
        ) { arguments, _ in arguments.failsOnErrorReply = true },
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "30s",
            requires: ["request", "correlate", "json-rpc", "protocol"], heading: .requests,
            summary: "Give up on a reply after DURATION",
            manual: """
                Give up on a request that has no reply after *DURATION*, report an error, and exit with 6: with \
                `--request` alone, immediately, otherwise after the other requests.
                """,
            example: "--request --reply-timeout 5s", seeAlso: ["request"]
        ) { arguments, value throws(ValueProblem) in
            arguments.replyTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]
}

/// The values of `--json-rpc`: the form of its calls.
package enum JSONRPCForm: String, CaseIterable, OptionChoice {
    case automatic = "auto"
    case standard = "2.0"
    case devtools
    case bidi

    package var summary: String {
        switch self {
        case .automatic: "devtools or bidi for the URLs of browsers and Node, otherwise 2.0"
        case .standard: "JSON-RPC 2.0"
        case .devtools: "without the member jsonrpc, for the DevTools of browsers"
        case .bidi: "like devtools, with params in each call, for WebDriver BiDi"
        }
    }

    /// The form of calls to a URL.
    package func form(at url: WebSocketURL) -> JSONRPCCall.Form {
        switch self {
        case .automatic:
            ApplicationProtocol.isDevTools(url) ? .devTools : ApplicationProtocol.isBiDi(url) ? .biDi : .standard
        case .standard: .standard
        case .devtools: .devTools
        case .bidi: .biDi
        }
    }
}
