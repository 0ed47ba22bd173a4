import Conversation
import Formats
import WSCore

/// The settings derived from the arguments of `wsx connect`: the URL is parsed, files are read, the request is built,
/// and passphrases have been entered.
struct ConnectSettings {
    /// The arguments, for everything that needs no interpretation.
    let arguments: ConnectArguments
    /// Resolves references to files and environment variables.
    let secrets: Secrets
    /// The URL to connect to.
    var url: WebSocketURL
    /// The request and the way to the server.
    var connector: Connector.Settings
    /// TLS with the server and with proxies, and cookies.
    let connectorResources: ConnectorResources
    /// The messages to send as soon as the connection is open, in order.
    var messages: [(payload: [UInt8], kind: MessageKind)]
    /// The initial state of the goals that received messages have to meet.
    let conditions: EndConditions
    /// The messages that are sent automatically, or `nil` if there are none.
    let exchange: AutomaticExchange.Plan?
    /// The scenario to play, or `nil` if there is none.
    let scenario: Scenario?
    /// How replies are matched to requests, or `nil` if messages are not requests.
    var requests: RequestQueue.Settings?
    /// The close frame to send at the end.
    let closeFrame: CloseFrame
    /// Whether the user types messages at a prompt.
    var isRepl: Bool
    /// The history file of the prompt, or `nil` if there is none.
    let historyPath: String?
    /// Whether messages are read from a pipe or a file.
    let readsPipe: Bool

    /// Derives the settings from the arguments.
    /// - Throws: ``Failure/badArgument(what:why:)`` or ``Failure/badInput(what:why:)``.
    init(
        _ arguments: ConnectArguments, secrets: Secrets = Secrets(environment: { _ in nil })
    ) throws(Failure) {
        self.arguments = arguments
        try arguments.checkReplaySpeed()
        try OutputPlace(option: "--record", path: arguments.transcript.recordPath).check(against: arguments.readFiles)
        self.secrets = secrets
        let composition = try ConnectorComposition(arguments.client, secrets: secrets)
        url = composition.url
        connector = composition.connector
        connectorResources = try ConnectorResources.make(composition.tls)
        messages = try Self.messages(arguments)
        conditions = try EndConditions(arguments)
        linger = Self.linger(arguments)
        scenario = try Scenario.make(arguments.scenario, secrets: secrets)
        exchange = try AutomaticExchange.Plan.make(arguments.exchange, secrets: secrets)
        requests = try RequestQueue.Settings.make(arguments, requestTarget: url.requestTarget)
        closeFrame = CloseFrame(
            code: CloseCode(rawValue: arguments.client.closeFrame.closeCode),
            reason: arguments.client.closeFrame.closeReason)
        let readsInput = arguments.format.readsInput && (messages.isEmpty || arguments.isInteractive)
        let isTyped = StandardDescriptors.isTerminal(StandardDescriptors.input) && arguments.format.input == .lines
        isRepl = readsInput && isTyped && !arguments.ending.isOne
        readsPipe = readsInput && !isTyped
        historyPath =
            switch arguments.history {
            case .host: HistoryLocation.path(for: url, environment: secrets.environment)
            case .file(let path): path
            case .none: nil
            }
        secrets.record.add(url.userInfo)
        secrets.record.add(connector.request)
    }

    /// How long to wait for messages after the end of the input. The default is longer with `--until`, `--count`, and
    /// `--one`, which name what to wait for. With requests, the wait begins after all replies have arrived.
    var linger: Linger

    /// Whether the wait after the end of the input depends on the number of replies.
    var countsReplies: Bool {
        guard case .answered = linger else { return false }
        return !isRepl && arguments.format.readsInput
    }

    private static func linger(_ arguments: ConnectArguments) -> Linger {
        if let linger = arguments.ending.linger { return linger }
        if !arguments.ending.until.isEmpty { return .forever }
        if arguments.ending.count != nil || arguments.countsReplies {
            return arguments.ending.timeout == nil ? .total(.seconds(30)) : .forever
        }
        return arguments.replies.hasRequests ? .idle(.zero) : .answered(idle: .seconds(1))
    }

    /// The kind of messages to send.
    var kind: MessageKind { arguments.format.payload.kind(for: arguments.format.input) }

    private static func messages(
        _ arguments: ConnectArguments
    ) throws(Failure) -> [(payload: [UInt8], kind: MessageKind)] {
        let kind: MessageKind = arguments.format.payload == .binary ? .binary : .text
        var messages = arguments.messages.map { (payload: Array($0.utf8), kind: kind) }
        if let path = arguments.file {
            let contents = try HeaderFiles.contents(of: path == "-" ? "/dev/stdin" : path, for: "--file")
            let isText = contents.withUnsafeBytes { UTF8Validator.isValid($0.bytes) }
            guard kind == .binary || isText else {
                throw .badInput(
                    what: "--file \(escapingControls(path))", why: "it is not UTF-8 text; send it with --binary")
            }
            messages.append((contents, kind))
        }
        return messages
    }
}

extension ConnectArguments {
    /// Whether `--one` counts messages. Requests know their replies.
    fileprivate var countsReplies: Bool { ending.isOne && !replies.hasRequests }
}

extension EndConditions {
    /// Creates the conditions that the arguments request.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: ConnectArguments) throws(Failure) {
        self.init(
            count: arguments.ending.count, countsReplies: arguments.countsReplies,
            requiredPath: arguments.ending.isOne ? arguments.format.pick?.source : nil,
            until: try Self.patterns(arguments.ending.until, for: "--until"),
            expectations: try Self.patterns(arguments.ending.expectations, for: "--expect"))
    }

    private static func patterns(_ sources: [String], for option: String) throws(Failure) -> [Pattern] {
        var patterns: [Pattern] = []
        do throws(PatternError) {
            for source in sources { patterns.append(try Pattern(source)) }
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
        return patterns
    }
}
extension RequestQueue.Settings {
    /// Returns the request settings, or `nil` if messages are not requests.
    /// - Parameter requestTarget: The path and query of the URL.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func make(
        _ arguments: ConnectArguments, requestTarget: String
    ) throws(Failure) -> RequestQueue.Settings? {
        guard arguments.replies.hasRequests else { return nil }
        if arguments.replies.calls != nil, let name = arguments.replies.correlation, name != "id" {
            throw .badArgument(
                what: "--correlate with --json-rpc",
                why: "JSON-RPC replies already contain the 'id' of their request; omit --correlate")
        }
        let name = arguments.replies.calls != nil ? "id" : arguments.replies.correlation
        if name == nil, arguments.staying.heartbeatMessage != nil {
            throw .badArgument(
                what: "--request with --heartbeat-message",
                why: "a reply to the heartbeat would count as a reply to a request; use --correlate")
        }
        return RequestQueue.Settings(
            field: name.flatMap { JSONField($0) }, isSequential: arguments.replies.sendsRequests,
            makesCalls: arguments.replies.calls != nil,
            callsHaveVersion: arguments.replies.calls?.hasVersion(at: requestTarget) ?? true,
            replyTimeout: arguments.replies.replyTimeout,
            keepsRequests: arguments.staying.reconnection != .never)
    }
}
