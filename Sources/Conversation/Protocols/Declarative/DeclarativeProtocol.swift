import Formats
import WSCore

/// A protocol that a user defines in a JSON file, for `--protocol @FILE`.
///
///     {
///       "name": "home-assistant",
///       "parameters": ["token"],
///       "answers": ["\"auth_required\" => {\"type\":\"auth\",\"access_token\":{{json:token}}}"],
///       "ready": "\"auth_ok\"",
///       "prefix": "{\"id\":{{seq}},", "suffix": "}",
///       "id": "/id"
///     }
///
/// Patterns are regular expressions, texts are ``Template``s, and locations are ``JSONPath``s. All members but the name
/// are optional; ``Member`` describes them.
package struct DeclarativeProtocol: Sendable {
    /// The members of the file.
    enum Member: String, CaseIterable {
        /// The name and one sentence, for the help.
        case name, summary
        /// The subprotocols to offer.
        case subprotocols
        /// The names of `--param`, whose values templates insert. Those with a question mark at the end are optional:
        /// without a value, texts to send that insert it are left out.
        case parameters
        /// Texts to send when a connection opens.
        case first
        /// The messages that end the opening, and those that refuse it.
        case ready, failure
        /// Rules of the form `REGEX => TEXT`; see ``AnswerRule``.
        case answers
        /// The values of messages that become variables: `{"session":"/d/session_id"}`. They are null at first.
        case set
        /// An object of ``HeartbeatMember``.
        case heartbeat
        /// Texts before and after a typed line.
        case prefix, suffix
        /// The location of the id that a request and its reply have in common, as ``Correlation`` describes.
        case id
        /// The messages that are replies, if not all with a value at that location, and the replies that are errors.
        case reply, error
        /// The location of an event's name, and of the payload to show in place of the message.
        case event, unwrap
        /// The messages to hide.
        case hidden
        /// The sent messages to send again after a reconnect, such as subscriptions.
        case renew
    }

    /// The members of `heartbeat`.
    enum HeartbeatMember: String, CaseIterable {
        /// The text to send.
        case send
        /// The interval, such as `30s`, or the location of the number of milliseconds in a message.
        case every
        /// The message that answers it. Without an answer, the connection is considered dead.
        case answer
    }

    /// A message that is sent regularly.
    struct Heartbeat: Sendable {
        enum Interval: Sendable {
            case fixed(Duration)
            /// The location of the number of milliseconds in a message.
            case received(JSONPath)
        }

        var text: Template
        var interval: Interval
        var answer: String?
    }

    /// The regular expressions that classify messages, as text or compiled.
    struct Patterns<Expression> {
        /// Received messages.
        var failure, reply, error, hidden: Expression?
        /// Sent messages.
        var renew: Expression?

        func map<Other>(_ transform: (Expression) -> Other?) -> Patterns<Other> {
            Patterns<Other>(
                failure: failure.flatMap(transform), reply: reply.flatMap(transform), error: error.flatMap(transform),
                hidden: hidden.flatMap(transform), renew: renew.flatMap(transform))
        }
    }

    /// The name in error messages and events.
    package internal(set) var name = ""
    var summary = "a protocol that a file defines"
    var subprotocols: [String] = []
    var parameters: [String] = []
    var optionalParameters: Set<String> = []
    /// The first messages, readiness, and answers.
    var plan = AutoReply.Plan()
    var patterns = Patterns<String>()
    var heartbeat: Heartbeat?
    var prefix = Template(literal: [])
    var suffix = Template(literal: [])
    /// The location of the id of a request.
    var id: JSONPath?
    /// The locations of the id in a reply. In errors, the last one counts first.
    var replyIDs: [JSONPath] = []
    var event: JSONPath?
    var unwrap: [JSONPath] = []

    /// Reads a file.
    /// - Parameters:
    ///   - sink: Receives what texts compute from parameters and environment variables.
    ///   - environment: Returns the value of an environment variable, or `nil` if it is not set.
    ///   - parseDuration: Parses a duration such as `30s`, or returns `nil` for other texts.
    /// - Throws: ``DeclarativeProtocolError``.
    package init(
        _ file: [UInt8], sink: SecretSink? = nil, environment: @escaping (String) -> String?,
        parseDuration: @escaping (String) -> Duration?
    ) throws(DeclarativeProtocolError) {
        var reader = DeclarativeProtocolReader(file, sink: sink, environment: environment, parseDuration: parseDuration)
        self = try reader.read()
    }

    /// A protocol without any rules.
    init() {}

    /// The protocol with its texts and a session.
    package var applicationProtocol: ApplicationProtocol {
        // The help describes only built-in protocols.
        return ApplicationProtocol(
            name: name, summary: summary,
            manual: ApplicationProtocol.Manual(input: "", automatic: "", hidden: "", example: ""),
            endpoint: ApplicationProtocol.Endpoint(subprotocols: subprotocols),
            parameters: parameters.map { ApplicationProtocol.Parameter($0, "a value of the file", isSecret: true) },
            hasReplies: id != nil,
            missingReplyReason: id == nil
                ? nil : "it has no value at the location 'id' of the protocol, so no reply can be matched; use --count",
            makeSession: { [self] (parameters) throws(ProtocolParameterError) in
                for name in self.parameters where parameters[name] == nil && !optionalParameters.contains(name) {
                    throw .missing(name)
                }
                return DeclarativeSession(self, parameters)
            })
    }
}

extension DeclarativeProtocol.Patterns: Sendable where Expression: Sendable {}

/// Why a file does not define a protocol.
package struct DeclarativeProtocolError: Error, Equatable, CustomStringConvertible {
    /// The number of the line, from 1.
    package let line: Int
    /// The number of the character in the line, from 1.
    package let column: Int
    /// The problem and its remedy, to follow a colon.
    package let reason: String

    /// The position and the problem: `line 3, column 14: …`.
    package var description: String { "line \(line), column \(column): \(reason)" }
}
