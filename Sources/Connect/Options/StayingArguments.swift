import CommandLine
import Conversation
import UserInterface

/// The options for staying connected to a server: reconnecting and heartbeats.
package struct StayingArguments: Equatable, Sendable {
    package var reconnection = Reconnection.never
    /// The close codes and statuses after which the run reconnects, too.
    package var codes = RetriedCodes.only([])
    /// The conditions of messages after which the run leaves a connection for the next one.
    package var reconnectConditions: [ScopedCondition] = []
    /// The URL of connections after the first one, as typed and not empty, or `nil` for the same.
    package var reconnectURL: String?
    /// The time without a message after which the run leaves a connection, at least 1 ms, or `nil` for no limit.
    package var staleTime: Duration?
    /// The bounds of the waits before retries, above 0; nil: the default ones.
    package var reconnectDelay: ClosedRange<Duration>?
    package var heartbeats = HeartbeatArguments()
    /// As typed, text or `@FILE`, then the text; only the text of a file may be empty. nil: pings are sent.
    package var heartbeatMessage: String?

    /// Reconnects without a limit, unless `--reconnect` sets one.
    private mutating func reconnect() {
        if reconnection == .never { reconnection = .always }
    }

    /// Any of these asks for reconnecting.
    static let reconnecting: [OptionReference] = [
        "reconnect", "reconnect-on", "reconnect-when", "reconnect-url",
    ]

    @OptionTable<StayingArguments> static var options: [OptionSpecification<StayingArguments>] {
        OptionSpecification(
            "reconnect", value: OptionValue("N", implied: Reconnection.unbounded), heading: .staying,
            summary: "Reconnect, at most N times in a row",
            manual: """
                Reconnect if the connection is lost or cannot be established, unless retrying cannot help. Messages \
                that the peer may have missed are sent again. With *N*, give up after *N* failed retries in a row. See \
                STAYING CONNECTED.
                """,
            example: "--reconnect=10", seeAlso: ["reconnect-delay", "reconnect-on", "heartbeat"]
        ) { arguments, value throws(ValueProblem) in
            arguments.reconnection = try Reconnection.parse(value)
        }
        OptionSpecification(
            "reconnect-on", value: OptionValue("CODES"), repetition: .adds, heading: .staying,
            summary: "Reconnect after these codes, too, or always",
            manual: """
                Reconnect also if the server closes the connection with one of these codes, or refuses the handshake \
                with one of these HTTP statuses: numbers and ranges with commas between them, or `always` for all of \
                both. TLS and protocol errors stay final. Implies `--reconnect`. See STAYING CONNECTED.
                """,
            example: "--reconnect-on 401,1000,4000..4009", seeAlso: ["reconnect", "reconnect-when"]
        ) { arguments, value throws(ValueProblem) in
            arguments.codes = try arguments.codes.adding(RetriedCodesValue.parse(value))
            arguments.reconnect()
        }
        OptionSpecification(
            "reconnect-when", value: OptionValue("REGEX"), repetition: .adds, heading: .staying,
            summary: "Reconnect after a message that matches",
            manual: """
                After a message that matches *REGEX*, or another condition, close the connection and open the next \
                one, the first time without a wait. The message is written and counted, and may meet a goal, which ends the run. Implies \
                `--reconnect`. See CONDITIONS.
                """,
            example: #"--reconnect-when 'json:.op=="reconnect"'"#, seeAlso: ["reconnect", "reconnect-on"]
        ) { arguments, value throws(ValueProblem) in
            arguments.reconnectConditions.append(try ScopedConditionValue.parse(value, allowing: []))
            arguments.reconnect()
        }
        OptionSpecification(
            "reconnect-delay", value: OptionValue("MIN[..MAX]"), requires: Self.reconnecting, heading: .staying,
            summary: "Wait MIN before each retry, at most MAX",
            manual: """
                Wait the duration *MIN* before each retry. With *MAX*, each wait is random, from *MIN* to a ceiling \
                that starts at twice *MIN* and doubles up to *MAX*. A server can ask for a longer wait with \
                `Retry-After`.
                """,
            example: "--reconnect --reconnect-delay 500ms..30s", seeAlso: ["reconnect"]
        ) { arguments, value throws(ValueProblem) in
            let delay = try DelayValue.parse(value)
            guard delay.lowerBound > .zero else { throw .durationOutOfRange(zeroAllowed: false) }
            arguments.reconnectDelay = delay
        }
        OptionSpecification(
            "reconnect-url", value: OptionValue("URL"), startsProgram: SecretReference.isProgram, heading: .staying,
            summary: "Reconnect to URL, with placeholders",
            manual: """
                Connect to *URL* after the first connection. It may contain placeholders, also at its beginning, or be \
                `exec:`*COMMAND*. Implies `--reconnect`. See STAYING CONNECTED.
                """,
            example: "--set next=.reconnect_url --reconnect-url '{{next}}'", seeAlso: ["reconnect", "set"]
        ) { arguments, value throws(ValueProblem) in
            arguments.reconnectURL = try ServerURLValue.parse(value, mayBeProgram: true)
            guard !value.isEmpty else { throw .empty }
            arguments.reconnect()
        }
        HeartbeatArguments.options(
            summary: "Ping every DURATION; drop a silent peer",
            manual: """
                Send a ping every *DURATION*. A server that sends nothing at all for `--heartbeat-misses` heartbeats \
                is considered dead: the run ends with status 6 or, with `--reconnect`, continues on a new connection.
                """
        ).lifted(\.heartbeats)
        OptionSpecification(
            "heartbeat-message", value: OptionValue("TEXT"), about: .heartbeatMessage, requires: ["heartbeat"],
            heading: .staying, summary: "Send TEXT instead of pings",
            manual: """
                Send the text message *TEXT* instead of each ping, for servers that expect heartbeats at the \
                application level. `@`*FILE* is as for `--first-message`. \
                Answers are ordinary messages: they are written to standard output and count for `--count` and \
                `--linger`. With `--request`, also give `--correlate`; otherwise an answer would count as a reply.
                """,
            example: #"--heartbeat 20s --heartbeat-message '{"op":"ping"}'"#, seeAlso: ["heartbeat"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.heartbeatMessage = value
        }
        OptionSpecification(
            "stale", value: OptionValue("DURATION"), heading: .staying,
            summary: "Leave a connection without messages",
            manual: """
                If no message arrives for *DURATION*, close the connection: the run ends with status 6 or, with \
                `--reconnect`, continues on a new connection. Pings, keepalives of `--protocol`, and messages of \
                `--hide` and `--drop` do not count. Without `--linger`, a run without requests goes on after the end \
                of the input.
                """,
            example: "--reconnect --stale 30s", seeAlso: ["heartbeat", "reconnect"]
        ) { arguments, value throws(ValueProblem) in
            let limit = try DurationValue.parse(value, zeroAllowed: false)
            guard limit >= .milliseconds(1) else { throw .unusable(words: "the minimum is 1ms") }
            arguments.staleTime = limit
        }
    }
}

/// The value of `--reconnect-on`.
enum RetriedCodesValue {
    /// Parses numbers, or the word `always`. HTTP statuses are from 200, close codes from 1000.
    static func parse(_ text: String) throws(ValueProblem) -> RetriedCodes {
        if text == "always" { return .all }
        var codes: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = DelayValue.parts(of: String(part)).map(code)
            guard bounds.count <= 2, let first = bounds[0], let last = bounds[bounds.count - 1],
                first <= last, (first < 1000) == (last < 1000)
            else {
                throw .unusable(
                    words: "expected HTTP statuses (200 to 599) and close codes (1000 to 4999), such as "
                        + "401,4000..4009, or 'always'")
            }
            codes.formUnion(first...last)
        }
        return .only(codes)
    }

    private static func code(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let code = Int(text) else {
            return nil
        }
        return 200...599 ~= code || 1000...4999 ~= code ? code : nil
    }
}

/// How often to reconnect if a connection is lost or cannot be established.
package enum Reconnection: Equatable {
    case never
    /// At most this many retries in a row, 1 or more.
    case times(Int)
    case always

    /// The value of `--reconnect` without a number.
    static let unbounded = "forever"

    /// Parses a number of retries or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Reconnection {
        text == unbounded ? .always : .times(try CountValue.parse(text))
    }
}
