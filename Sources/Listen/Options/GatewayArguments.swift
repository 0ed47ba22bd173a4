import CommandLine
import UserInterface
import WSCore

/// The options of `wsx relay` about HTTP: the heads that it passes on, and what it reports of them.
package struct GatewayArguments: Equatable, Sendable {
    /// The name in Via, or `nil` for no such field.
    package var name: String?
    /// Whether requests that are no WebSockets, and the heads of those that are, are written as events.
    package var reportsHTTP = false

    static let options: [OptionSpecification<GatewayArguments>] = [
        OptionSpecification(
            "http", heading: .server, summary: "Record heads of HTTP requests, too",
            manual: """
                Write an `http` event for each request that opens no WebSocket, such as a login before it: the heads of \
                request and response as the client sends and gets them, the status, the sizes of the bodies, and the \
                time. `open` events have the heads, too. Values of Authorization, Cookie, Set-Cookie, and other secrets \
                become `•••`. Bodies are not recorded.
                """,
            example: "--http --record session.jsonl", seeAlso: ["record", "output"]
        ) { arguments, _ in arguments.reportsHTTP = true },
        OptionSpecification(
            "via", value: OptionValue("NAME", implied: "wsx"), heading: .server,
            summary: "Add Via with this name [wsx]",
            manual: """
                Add `Via: 1.1 `*NAME* to requests and responses that the relay passes on, after the names of others (RFC \
                9110 §7.6.3), with the version of HTTP in which it got them. *NAME* is a word such as `wsx`, the \
                default, or `HOST:PORT`.
                """,
            example: "--via=gateway-1"
        ) { arguments, value throws(ValueProblem) in
            guard Gateway.isName(value) else {
                throw .unusable(words: "expected a word without blanks, or HOST:PORT")
            }
            arguments.name = value
        },
    ]
}
