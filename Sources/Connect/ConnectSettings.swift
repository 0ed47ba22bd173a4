import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The settings derived from the arguments of `wsx connect`: the URL is parsed, files are read, the request is built,
/// and passphrases have been entered.
package struct ConnectSettings {
    /// The arguments, for everything that needs no interpretation.
    let arguments: ConnectArguments
    /// Resolves references to files and environment variables.
    let secrets: Secrets
    /// The URL to connect to.
    var url: WebSocketURL
    /// The URL of the latest request. It differs from ``url`` if the user has asked for another one of the origin.
    var requestedURL: WebSocketURL
    /// The request and the way to the server.
    var connector: Connector.Settings
    /// TLS with the server and with proxies, and cookies.
    let connectorResources: ConnectorResources
    /// The messages to send as soon as the connection is open, in order.
    var messages: [InitialMessage]
    /// The initial state of the goals that received messages have to meet.
    let conditions: EndConditions
    /// The request for each connection. The outputs of programs in it are renewed.
    var requestTemplate: RequestTemplate
    /// The application protocol, or `nil` if there is none, or if it is to be detected.
    var protocolSelection: ProtocolSelection?
    /// The messages that are sent automatically, or `nil` if there are none.
    let exchange: AutoReply.Plan?
    /// The row of the data file, whose columns are variables.
    let data: ChosenRow
    /// Whether the message of `--heartbeat-message` is the content of a file.
    private(set) var heartbeatIsFile = false
    /// The messages of `--define`.
    let saved: [SavedMessage]
    /// The scenario to play, or `nil` if there is none.
    let scenario: Scenario?
    /// How lines are sent and matched to replies.
    var lines: LineQueue.Settings
    /// Where messages come from after those of the command line.
    var source: Source

    /// A source of messages.
    enum Source {
        case none
        /// A pipe or a file.
        case pipe
        /// The user types them.
        case prompt
        /// A program in place of standard input and output.
        case program(ProgramCommand)

        fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }
    }

    /// Derives the settings from the arguments.
    /// - Parameters:
    ///   - data: The row of the data file, if it has already been read.
    ///   - cookies: The cookies, if the cookie files have already been read.
    ///   - notice: Receives notices about ignored parts of cookie files.
    /// - Throws: ``Failure/badArgument(what:why:)`` or ``Failure/badInput(what:why:)``.
    package init(
        _ arguments: ConnectArguments, secrets: Secrets = Secrets(environment: { _ in nil }), data: ChosenRow? = nil,
        cookies: CookieStore? = nil, notice: (String) -> Void = { _ in }
    ) throws(Failure) {
        var arguments = arguments.withFormatsOfProgram
        let program =
            arguments.messages.program.isEmpty
            ? nil : try ProgramCommand(arguments.messages.program, environment: secrets.environment)
        if arguments.scenario.path != nil { arguments.format.readsInput = false }
        try arguments.checkInput(
            limitBytes: arguments.client.limits.maximumMessageBytes, asTextFor: arguments.textOption)
        guard !arguments.ending.isOne || arguments.ending.until.isEmpty else {
            throw .badArgument(
                what: "--one with --until",
                why:
                    "--one ends after the reply; --expect REGEX fails if no message matches, --until alone waits for one"
            )
        }
        try OutputPlace(option: "--record", path: arguments.transcript.recordPath).check(against: arguments.readFiles)
        try OutputPlace(option: "--junit", path: arguments.scenario.junitPath).check(against: arguments.readFiles)
        try arguments.checkCookieJar()
        guard arguments.scenario.path == nil || arguments.messages.hasNoTexts else {
            throw .badArgument(
                what: "MESSAGE with --scenario",
                why: "the scenario contains all messages; add the message to the file")
        }
        self.secrets = secrets
        secrets.record.removeMessageSources()
        let readsInput = arguments.readsInput
        try InputPlace.check(
            arguments.readFiles, isInputRead: readsInput && program == nil)
        heartbeatIsFile = arguments.staying.heartbeatMessage?.hasPrefix("@") ?? false
        arguments.staying.heartbeatMessage = try arguments.staying.heartbeatMessage.map { (text) throws(Failure) in
            try Self.text(of: text, for: "--heartbeat-message", secrets)
        }
        // Not again for another server: the file may be a pipe.
        let row =
            if let data {
                data
            } else {
                try ChosenRow(arguments.data, arguments.protocols, sets: arguments.exchange.sets, secrets: secrets)
            }
        self.data = row
        if let values = row.row { secrets.record.add(values, row.columns) }
        if let text = arguments.messages.input.lastMessage {
            arguments.messages.input.lastMessage = try Self.lastMessage(text, row.columns, secrets)
        }
        let templates = arguments.data.usesTemplates ? row : nil
        protocolSelection = try ProtocolSelection.make(
            arguments.protocols, for: arguments.client.url, templates: templates, secrets: secrets)
        arguments.protocols.hasReplies = protocolSelection?.descriptor.hasReplies ?? true
        self.arguments = arguments
        scenario = try Scenario.make(
            arguments.scenario, variables: row.columns, codecs: arguments.codecs,
            limitBytes: arguments.client.limits.maximumMessageBytes, lineCheck: protocolSelection?.lineCheck,
            secrets: secrets)
        let composition = try ConnectorComposition(
            arguments.client, secrets: secrets, templates: templates,
            later: arguments.staying.reconnectURL.map { ($0, row) }, protocolSelection: protocolSelection,
            detectsProtocol: arguments.protocols.choice == .automatic, recordedSubprotocol: scenario?.subprotocol)
        url = composition.url
        requestedURL = url
        connector = composition.connector
        requestTemplate = composition.requests
        if let cookies {
            connectorResources = try ConnectorResources.make(composition.tls, cookies: cookies)
        } else {
            let (cookies, notices) = try CookieFiles.read(
                arguments.client.request.cookieFiles, jar: arguments.client.request.cookieJar)
            connectorResources = try ConnectorResources.make(composition.tls, cookies: cookies)
            notices.forEach(notice)
        }
        saved = try Self.savedMessages(arguments.messages.definitions, row.columns, secrets)
        let writer = TemplateWriter(row, saved: saved, usesLastMessage: false, secrets: secrets)
        messages = try Self.messages(arguments, writer)
        try row.columns.checkPatterns(arguments.ending.until, of: "--until")
        try row.columns.checkPatterns(arguments.ending.expectations, of: "--expect")
        try row.columns.checkPatterns(arguments.transcript.hidden.map(\.source), of: "--hide")
        try row.columns.checkPatterns(arguments.transcript.dropped.map(\.source), of: "--drop")
        conditions = EndConditions(arguments)
        // Lines with placeholders may depend on their values.
        if !arguments.data.usesTemplates,
            let (index, problem) = protocolSelection?.firstInvalid(
                of: messages.filter { !$0.isPiece }.map(\.payload), wantsReplies: arguments.matchesReplies)
        {
            throw .badInput(what: "message \(index + 1)", why: "\(problem)")
        }
        exchange = try AutoReply.Plan.make(
            arguments.exchange, runsPrograms: true, variables: row.columns, row: row.row, extractions: row.extractions,
            secrets: secrets)
        let isTerminal = StandardDescriptors.isTerminal(StandardDescriptors.input)
        if !readsInput {
            source = .none
        } else if let program {
            source = .program(program)
        } else if !isTerminal || arguments.format.input != .lines {
            source = .pipe
        } else {
            source = arguments.ending.isOne || arguments.format.format != nil ? .none : .prompt
        }
        try arguments.messages.input.check(source, hasFile: arguments.messages.file != nil)
        lines = try LineQueue.Settings.make(arguments, url: url, hasPrompt: source.isPrompt)
        connector.redirects.secretMessages = secrets.record.messageSources
    }
}

extension ConnectSettings {
    /// Whether the user types messages at a prompt.
    var hasPrompt: Bool { source.isPrompt }

    /// Whether messages are written to standard output. By default, a scenario reports its steps there.
    var writesMessages: Bool { scenario == nil || arguments.format.asksForOutput }

    /// Whether messages are read from a pipe, a file, or a program.
    var readsPipe: Bool {
        switch source {
        case .pipe, .program: true
        case .none, .prompt: false
        }
    }

    /// The program in place of standard input and output, or `nil` if there is none.
    var program: ProgramCommand? { if case .program(let program) = source { program } else { nil } }

    /// The close frame to send at the end.
    var closeFrame: CloseFrame { arguments.client.closeFrame.frame }

    /// The history file of the prompt, or `nil` if there is none.
    var historyPath: String? {
        switch arguments.history {
        case .host: HistoryLocation.path(for: url, environment: secrets.environment)
        case .file(let path): path
        case .none: nil
        }
    }

    /// How long to wait for messages after the end of the input. The default is longer with `--until`, `--count`, and
    /// `--one`, which name what to wait for, and with `--stale`, which bounds the wait. With requests, the wait begins after all replies have arrived.
    var linger: Linger {
        if let linger = arguments.ending.linger { return linger }
        // The program decides how long to wait for replies.
        if !arguments.messages.program.isEmpty { return .forever }
        if !arguments.ending.until.isEmpty { return .forever }
        if arguments.staying.staleTime != nil, !arguments.matchesReplies { return .forever }
        if arguments.ending.count != nil || arguments.countsReplies {
            return arguments.ending.timeout == nil ? .total(.seconds(30)) : .forever
        }
        return arguments.matchesReplies ? .idle(.zero) : .answered(idle: .seconds(1))
    }

    /// Whether the wait after the end of the input depends on the number of replies.
    var countsReplies: Bool {
        // A protocol sends messages of its own, which have other replies.
        guard case .answered = linger, arguments.protocols.choice == nil else { return false }
        return !hasPrompt && arguments.format.readsInput
    }

    /// Whether greetings must be told from replies.
    var tellsGreetings: Bool {
        !hasPrompt && arguments.tellsGreetings
    }

    /// The kind of messages to send.
    var kind: MessageKind { arguments.format.payload.kind(for: arguments.format.input) }

    /// The kind of the messages that `--wrap` makes of the input, or `nil` without it.
    var wrapKind: MessageKind? {
        arguments.messages.input.wrap.map { _ in arguments.format.payload == .binary ? .binary : .text }
    }
}

extension ConnectArguments {
    /// The same arguments with the formats of a program's standard input and output.
    fileprivate var withFormatsOfProgram: ConnectArguments {
        guard !messages.program.isEmpty else { return self }
        var arguments = self
        if programs.exchangesEvents {
            (arguments.format.input, arguments.format.output) = (.json, .json)
        } else if format.payload == .binary {
            (arguments.format.input, arguments.format.output) = (.chunks, .raw)
        }
        return arguments
    }

    /// Whether messages are read from standard input or a program.
    fileprivate var readsInput: Bool {
        format.readsInput && (messages.isEmpty || messages.isInteractive || !messages.program.isEmpty)
    }

    /// Whether `--one` counts messages. Requests know their replies.
    fileprivate var countsReplies: Bool { ending.isOne && !matchesReplies }

    /// Whether replies end the run, and have no other mark than their order. Greetings must be told from them then.
    fileprivate var tellsGreetings: Bool {
        guard exchange.ready == nil, protocols.choice == nil else { return false }
        return countsReplies || replies.sendsRequests && replies.correlation == nil && replies.calls == nil
    }

    /// Whether replies are matched to requests. In a protocol that has replies, `--one` waits for them.
    fileprivate var matchesReplies: Bool {
        if ending.isOne, !protocols.hasReplies { return false }
        return replies.hasRequests || ending.isOne && protocols.choice != nil
    }
}

extension EndConditions {
    /// Creates the conditions that the arguments request.
    init(_ arguments: ConnectArguments) {
        self.init(
            count: arguments.ending.count, countsReplies: arguments.countsReplies,
            hasRequests: arguments.matchesReplies, tellsGreetings: arguments.tellsGreetings,
            requiredPath: arguments.ending.isOne ? arguments.format.pick?.source : nil,
            until: arguments.ending.until.map { MessageCondition(valid: $0) },
            expectations: arguments.ending.expectations.map { MessageCondition(valid: $0) })
    }
}
extension LineQueue.Settings {
    /// Returns the settings of lines.
    /// - Parameters:
    ///   - url: The URL of the first connection.
    ///   - hasPrompt: Whether a user types messages at a prompt, which shows the replies of a protocol beside them.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func make(
        _ arguments: ConnectArguments, url: WebSocketURL, hasPrompt: Bool
    ) throws(Failure) -> LineQueue.Settings {
        LineQueue.Settings(
            try matching(arguments, url: url, hasPrompt: hasPrompt), isSequential: arguments.replies.sendsRequests,
            replyTimeout: arguments.replies.replyTimeout,
            // Lines at the prompt need no reply, so they are kept until a pong confirms them.
            needsReplies: !hasPrompt || arguments.replies.hasRequests,
            keepsLines: arguments.staying.reconnection != .never)
    }

    private static func matching(
        _ arguments: ConnectArguments, url: WebSocketURL, hasPrompt: Bool
    ) throws(Failure) -> Matching? {
        if arguments.protocols.choice != nil {
            try checkDetection(arguments)
            return hasPrompt || arguments.matchesReplies ? .keys : nil
        }
        guard arguments.replies.hasRequests else { return nil }
        if let calls = arguments.replies.calls {
            guard arguments.replies.correlation.map({ $0.source == "id" }) ?? true else {
                throw .badArgument(
                    what: "--correlate with --json-rpc",
                    why: "JSON-RPC replies already contain the 'id' of their request; omit --correlate")
            }
            return .calls(calls.form(at: url))
        }
        if let correlation = arguments.replies.correlation { return .id(correlation) }
        guard arguments.staying.heartbeatMessage == nil else {
            throw .badArgument(
                what: "--request with --heartbeat-message",
                why: "a reply to the heartbeat would count as a reply to a request; use --correlate")
        }
        return .order
    }

    private static func checkDetection(_ arguments: ConnectArguments) throws(Failure) {
        guard arguments.protocols.choice == .automatic,
            let option = arguments.replies.sendsRequests ? "--request" : arguments.ending.isOne ? "--one" : nil
        else { return }
        throw .badArgument(
            what: "\(option) with --protocol auto",
            why: "replies belong to a protocol; name the protocol, or use --count")
    }
}

extension ConnectSettings {
    /// Remembers the URL of a prompt for completion by shells, if its history is in the usual place.
    func rememberURL() {
        guard hasPrompt, arguments.history == .host else { return }
        // Completion is a convenience. The history, which has the same directory, reports errors.
        try? RecentURLs(environment: secrets.environment)
            .record(url, policy: HistoryPolicy(secrets: secrets.record))
    }
}
