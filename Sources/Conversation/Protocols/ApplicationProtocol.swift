import Formats
import WSCore

/// An application protocol on top of WebSocket, identified by its name in `--protocol`.
///
/// Each protocol has a file in this folder with its descriptor and its session, and an entry in ``all``.
package struct ApplicationProtocol: Sendable {
    /// A parameter of a protocol: `--param NAME=VALUE`.
    package struct Parameter: Equatable, Sendable {
        /// The name.
        package let name: String
        /// The meaning of the value, as a noun phrase.
        package let summary: String
        /// Whether the value must be JSON.
        package let isJSON: Bool
        /// Whether the value is a secret.
        package let isSecret: Bool
        /// Whether the value belongs to a login: a secret, or the user whose secret it is. Some services take a token as
        /// the user name.
        package let isLogin: Bool

        init(_ name: String, _ summary: String, isJSON: Bool = false, isSecret: Bool = false, isLogin: Bool? = nil) {
            self.name = name
            self.summary = summary
            self.isJSON = isJSON
            self.isSecret = isSecret
            self.isLogin = isLogin ?? isSecret
        }
    }

    /// What the protocol expects of the URL and the request.
    package struct Endpoint: Equatable, Sendable {
        /// The path for a URL without one.
        package var path: String?
        /// A suffix that the path needs, such as `/websocket`.
        package var pathSuffix: String?
        /// The query parameters that the URL needs.
        package var query: [(name: String, value: String)] = []
        /// The subprotocols to offer, unless the user names some.
        package var subprotocols: [String] = []
        /// Whether the server expects the origin of its own pages.
        package var needsOrigin = false
        /// The HTTP request that the server may require before the WebSocket.
        package var negotiation: Negotiation?

        /// The expectations of a server whose protocol is to be detected: Action Cable, which its first message reveals,
        /// rejects requests without an origin.
        package static let undetected = Endpoint(needsOrigin: true)

        /// The expectations of a server with which a connection was recorded.
        /// - Parameter subprotocol: The selected subprotocol.
        package static func recorded(_ subprotocol: String) -> Endpoint { Endpoint(subprotocols: [subprotocol]) }

        /// Whether both are equal.
        package static func == (one: Endpoint, other: Endpoint) -> Bool {
            one.path == other.path && one.pathSuffix == other.pathSuffix && one.subprotocols == other.subprotocols
                && one.needsOrigin == other.needsOrigin && one.negotiation == other.negotiation
                && one.query.elementsEqual(other.query, by: ==)
        }
    }

    /// A POST request without a body, whose response says how to connect; see ``SignalRNegotiation``.
    package struct Negotiation: Equatable, Sendable {
        /// The suffix of the URL's path.
        package let pathSuffix: String
        /// A query parameter.
        package let queryName: String
        /// Its value.
        package let queryValue: String
    }

    /// The texts for `wsx help protocol NAME`.
    package struct Manual: Equatable, Sendable {
        /// What to type, with examples.
        package let input: String
        /// What wsx sends by itself.
        package let automatic: String
        /// What wsx hides.
        package let hidden: String
        /// A command line that works.
        package let example: String
    }

    /// The name in `--protocol`.
    package let name: String
    /// One sentence for the list of protocols.
    package let summary: String
    /// The texts of the help.
    package let manual: Manual
    /// What the protocol expects of the URL.
    package let endpoint: Endpoint
    /// The parameters.
    package let parameters: [Parameter]
    /// The first words of lines that are not topics or names, for completion at the prompt.
    package let commands: [String]
    /// Whether a line may begin with `@FILE`, which the caller replaces by the contents of the file.
    package let readsFiles: Bool
    /// Whether replies can be matched to lines.
    package let hasReplies: Bool
    /// Why a line that has no reply is a mistake if its reply is awaited, or `nil` if the protocol has such lines.
    package let missingReplyReason: String?
    /// Creates the session of a connection. The parameters have been checked.
    let makeSession: @Sendable (ProtocolParameters) throws(ProtocolParameterError) -> any ProtocolSession

    /// All protocols, in the order of the help.
    package static let all: [ApplicationProtocol] = [
        socketIO, graphQL, phoenix, signalR, stomp, mqtt, actionCable, jsonRPC, devTools,
    ]

    /// Other versions of these protocols, which a URL asks for in its query.
    private static let otherVersions = [socketIO2]

    /// The version of the protocol that a URL asks for; the protocol itself if it is none of the others.
    /// - Parameter url: The URL as typed, or the path and query.
    package func version(askedBy url: String) -> ApplicationProtocol {
        Self.otherVersions.first { $0.name == name && $0.endpoint.isAsked(by: url) } ?? self
    }

    /// Finds a protocol by name. Returns `nil` for an unknown name.
    package init?(named name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    init(
        name: String, summary: String, manual: Manual, endpoint: Endpoint = Endpoint(), parameters: [Parameter] = [],
        commands: [String] = [], readsFiles: Bool = false, hasReplies: Bool = true, missingReplyReason: String? = nil,
        makeSession: @escaping @Sendable (ProtocolParameters) throws(ProtocolParameterError) -> any ProtocolSession
    ) {
        self.name = name
        self.summary = summary
        self.manual = manual
        self.endpoint = endpoint
        self.parameters = parameters
        self.commands = commands
        self.readsFiles = readsFiles
        self.hasReplies = hasReplies
        self.missingReplyReason = missingReplyReason
        self.makeSession = makeSession
    }

    /// The HTTP request to send before the WebSocket, or `nil` if there is none.
    package func negotiation(_ parameters: ProtocolParameters) -> Negotiation? {
        parameters["negotiate"] == "false" ? nil : endpoint.negotiation
    }

    /// Creates the session of a connection.
    /// - Throws: ``ProtocolParameterError``.
    package func session(_ parameters: ProtocolParameters) throws(ProtocolParameterError) -> any ProtocolSession {
        for (name, value) in parameters.values {
            guard let parameter = self.parameters.first(where: { $0.name == name }) else {
                throw .unknown(name, known: self.parameters.map(\.name))
            }
            if parameter.isJSON, let error = value.withUTF8Bytes({ JSONReader.problem(in: $0) }) {
                throw .notJSON(name, error)
            }
        }
        return try makeSession(parameters)
    }
}

/// The values of `--param`, and the settings of a session.
package struct ProtocolParameters: Equatable, Sendable {
    /// The values by name.
    package var values: [String: String]
    /// The offset from the clock of the session to the time since 1970, in nanoseconds, for `{{time}}`.
    package var clockOffset: UInt64 = 0
    /// Determines random placeholders.
    package var seed: UInt64 = 0
    /// Whether a line whose reply is wanted is a request even if it starts a stream of events. The reply is then the end
    /// of the stream. Otherwise the session renews the stream after a reconnect.
    package var awaitsStreams = true
    /// The number of the session's connection, from 1, for `{{connection}}`.
    package var connection: UInt64 = 1

    /// Creates parameters.
    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }
}

/// Why parameters are invalid.
package enum ProtocolParameterError: Error, Equatable {
    /// The protocol has no parameter with this name.
    case unknown(String, known: [String])
    /// The value is not JSON.
    case notJSON(String, JSONError)
    /// The value is invalid for this reason.
    case invalid(String, reason: String)
    /// The protocol needs the parameter.
    case missing(String)
}

extension ProtocolParameterError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .unknown(let name, known: []): "unknown parameter \(quoted(name)); the protocol has none"
        case .unknown(let name, let known):
            "unknown parameter \(quoted(name)); expected \(known.joined(separator: ", "))"
        case .notJSON(let name, let error): "the parameter \(name) is not JSON: \(error)"
        case .missing(let name): "the parameter \(name) is missing; add --param \(name)=VALUE"
        case .invalid(let name, let reason): "the parameter \(name) is invalid: \(reason)"
        }
    }
}

extension String {
    /// Passes the UTF-8 bytes to `body`.
    func withUTF8Bytes<R>(_ body: (RawSpan) -> R) -> R {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0).bytes) }
    }
}
