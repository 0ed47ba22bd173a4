import Conversation
import Formats
import WSCore

/// What the arguments of `wsx connect` mean: URL parsed, files read, request composed, passphrases asked for.
struct ConnectSettings {
    /// What was typed, for all that means what it says.
    let arguments: ConnectArguments
    /// Reads what need not stand on the command line.
    let secrets: Secrets
    /// Where to connect to.
    var url: WebSocketURL
    /// What to ask for there, and how to get there.
    var connector: Connector.Settings
    /// TLS with the server and with proxies, and cookies.
    let connectorResources: ConnectorResources
    /// What is sent as soon as the connection is open, in order.
    var messages: [(payload: [UInt8], kind: MessageKind)]
    /// What the messages that come decide about the end of the run, before any has come.
    let conditions: EndConditions
    /// How replies are told from other messages; nil: what is sent are no requests.
    var requests: RequestQueue.Settings?
    /// The close frame that this end sends.
    let closeFrame: CloseFrame
    /// Whether the lines to be sent are typed into a REPL.
    var isRepl: Bool
    /// The file in which lines are kept that are typed; nil: there is none.
    let historyPath: String?
    /// Whether they come through a pipe, or from a file.
    let readsPipe: Bool

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
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
        requests = try RequestQueue.Settings.make(arguments, requestTarget: url.requestTarget)
        closeFrame = CloseFrame(
            code: CloseCode(rawValue: arguments.client.closeFrame.closeCode),
            reason: arguments.client.closeFrame.closeReason)
        let readsInput = arguments.format.readsInput && (messages.isEmpty || arguments.isInteractive)
        let isTyped = StandardDescriptors.isTerminal(StandardDescriptors.input) && arguments.format.input == .lines
        isRepl = readsInput && isTyped
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

    /// What is accepted from the peer, and how the connection is closed.
    var connection: Connection<ConnectRun>.Settings {
        Connection.Settings(
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.client.limits.maximumMessageBytes,
                maximumFragments: arguments.client.limits.maximumFragments),
            fragmentBytes: arguments.client.limits.fragmentBytes, closeTimeout: arguments.client.limits.closeTimeout)
    }

    /// When a connection is tried again; nil: never.
    var backoff: Backoff? {
        switch arguments.staying.reconnection {
        case .never: nil
        case .times(let count): Backoff(maximumTries: count)
        case .always: Backoff()
        }
    }

    /// What a heartbeat is; nil: there is none.
    var heartbeat: HeartbeatTimer<ConnectRun>.Settings? {
        arguments.staying.heartbeats.heartbeat.map { interval in
            HeartbeatTimer.Settings(
                interval: interval, maximumMisses: arguments.staying.heartbeats.heartbeatMisses,
                message: arguments.staying.heartbeatMessage.map { Array($0.utf8) })
        }
    }

    /// How long to wait for messages after the end of the input. `--until` and `--count` name what to wait for, so they
    /// wait longer. Requests have had all their replies.
    let linger: Linger

    private static func linger(_ arguments: ConnectArguments) -> Linger {
        if let linger = arguments.ending.linger { return linger }
        if !arguments.ending.until.isEmpty { return .forever }
        if arguments.ending.count != nil { return arguments.ending.timeout == nil ? .total(.seconds(30)) : .forever }
        return .idle(arguments.replies.hasRequests ? .zero : .seconds(1))
    }

    /// The kind of the messages that are sent.
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

extension EndConditions {
    /// What the arguments ask for, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: ConnectArguments) throws(Failure) {
        self.init(
            count: arguments.ending.count, until: try Self.patterns(arguments.ending.until, for: "--until"),
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
    /// What the arguments say about requests; nil: there are none. Or throws ``Failure/badArgument(what:why:)``.
    /// - Parameter requestTarget: The path that is connected to.
    static func make(
        _ arguments: ConnectArguments, requestTarget: String
    ) throws(Failure) -> RequestQueue.Settings? {
        guard arguments.replies.hasRequests else { return nil }
        if arguments.replies.calls != nil, let name = arguments.replies.correlation, name != "id" {
            throw .badArgument(
                what: "--correlate with --json-rpc",
                why: "the replies of JSON-RPC have the 'id' of their request; leave --correlate out")
        }
        let name = arguments.replies.calls != nil ? "id" : arguments.replies.correlation
        if name == nil, arguments.staying.heartbeatMessage != nil {
            throw .badArgument(
                what: "--request with --heartbeat-message",
                why: "an answer to the heartbeat would be taken for a reply; tell replies by --correlate")
        }
        return RequestQueue.Settings(
            field: name.flatMap { JSONField($0) }, isSequential: arguments.replies.sendsRequests,
            makesCalls: arguments.replies.calls != nil,
            callsHaveVersion: arguments.replies.calls?.hasVersion(at: requestTarget) ?? true,
            replyTimeout: arguments.replies.replyTimeout,
            keepsRequests: arguments.staying.reconnection != .never)
    }
}
