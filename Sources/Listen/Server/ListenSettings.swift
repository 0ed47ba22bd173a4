import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The settings derived from the arguments of `wsx listen`.
package struct ListenSettings {
    /// The arguments, for everything that needs no interpretation.
    let arguments: ListenArguments
    /// The listening endpoints: one address, or the inherited sockets.
    private(set) var endpoints: [Server<ListenClient>.Endpoint]
    /// Which requests are accepted.
    let policy: ServerPolicy
    /// The share of one of several threads, or `nil` with a single thread.
    private(set) var share: Server<ListenClient>.Share?
    /// Whether the user types messages at a prompt.
    let hasPrompt: Bool
    /// The recording of `--replay`, or `nil` if there is none.
    let replay: ReplayRecording?
    /// The scenarios whose opposite sides are played.
    let scenarios: [ServedScenario]
    /// The messages that are sent automatically, or `nil` if there are none.
    let exchange: AutoReply.Plan?
    /// The programs that answer messages, by their words.
    let answerCommands: [[String]: ProgramCommand]
    /// The variables of texts.
    let variables: ChosenRow
    /// How to reach the server of `wsx relay`, or `nil` for another command.
    let relay: RelaySettings?
    /// The program run for each client, or `nil` if there is none.
    let program: ProgramCommand?
    /// The files served to browsers, or `nil` if there are none.
    let files: FileTree?
    /// The TLS layer, or `nil` without TLS.
    private(set) var tls: TLSLayer?
    private let tlsSettings: TLSServerSettings?
    /// The pin of a self-signed certificate created for this run, or `nil` if there is none.
    let selfSignedPin: TLSPin?

    /// Derives the settings from the arguments.
    /// - Parameters:
    ///   - sockets: The inherited sockets, which take precedence over the address.
    ///   - secrets: Resolves references to files and environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(
        _ arguments: ListenArguments, sockets: [InheritedSocket] = [],
        secrets: Secrets = Secrets(environment: { _ in nil })
    ) throws(Failure) {
        try OutputPlace(option: "--record", path: arguments.transcript.recordPath).check(against: arguments.readFiles)
        try InputPlace.check(
            arguments.readFiles, isInputRead: arguments.format.readsInput && !arguments.mode.traits.answersByItself)
        if case .replay(let path) = arguments.mode {
            replay = try ReplayRecording(contentsOf: path, speed: arguments.format.replaySpeed)
        } else {
            replay = nil
            try arguments.checkInput(
                limitBytes: arguments.limits.maximumMessageBytes,
                asTextFor: arguments.codecs.encoders.isEmpty ? nil : "--encode")
        }
        var variables = try ChosenRow(
            DataArguments(), arguments.protocols, sets: arguments.exchange.sets, secrets: secrets)
        variables.columns.includesRequest = true
        // A parameter may have this name; a value of messages would take the place of the path unnoticed.
        if arguments.exchange.sets.contains(where: { $0.name == "path" }) {
            throw .badArgument(what: "--set path", why: "\(VariableNameError.placeholder("path"))")
        }
        self.variables = variables
        let scenarios = try arguments.scenarios.map { (choice) throws(Failure) in
            try ServedScenario(choice, arguments, variables: variables.columns, secrets: secrets)
        }
        self.scenarios = scenarios
        exchange = try AutoReply.Plan.make(
            arguments.exchange, allowing: arguments.conditionPrefixes, runsPrograms: true,
            variables: variables.columns, row: variables.row, extractions: variables.extractions, takesData: false,
            secrets: secrets)
        answerCommands = try ProgramCommand.commands(of: exchange, secrets)
        if !arguments.codecs.encoders.isEmpty {
            if let exchange {
                try exchange.check(TextEncoder(arguments.codecs.encoders))
            } else {
                try arguments.checkForTexts()
            }
        }
        if !arguments.transcript.dropped.isEmpty { try arguments.checkEncoding(for: "--drop", changes: false) }
        guard arguments.codecs.canHold || arguments.page.held.isEmpty else { throw LivePage.unableToHold }
        if exchange?.answers.isEmpty == false { try arguments.checkEncoding(for: "--answer", changes: false) }
        endpoints = try sockets.isEmpty ? [Self.endpoint(of: arguments)] : sockets.map { .inherited($0) }
        try arguments.checkRelay(
            isLocal: endpoints.allSatisfy { $0.address?.isLoopback ?? true },
            hasPort: endpoints.allSatisfy { $0.address != nil })
        if case .relay(let mode) = arguments.mode {
            relay = try RelaySettings(mode, isSecure: arguments.tls.isUsed, secrets: secrets)
            if relay?.login == LoginScope.none, mode.isProxy, !arguments.access.origins.isEmpty {
                throw .badArgument(
                    what: "--origin",
                    why: "pages of all origins can use an HTTP proxy that adds no login; omit it, or add a login")
            }
            if relay?.rewriter != nil { try arguments.checkEncoding(for: "--rewrite", changes: true) }
        } else {
            relay = nil
        }
        let extraFields = try HeaderFiles.fields(arguments.server.headers)
        let access = try AccessComposition(
            option: arguments.loginOption, credentials: arguments.access.credentials, tokens: arguments.access.tokens,
            secrets: secrets
        ).policy()
        do throws(ServerPolicyError) {
            policy = try ServerPolicy(
                subprotocols: arguments.server.subprotocols.isEmpty
                    ? scenarios.subprotocols : arguments.server.subprotocols,
                pathSubprotocols: arguments.server.subprotocols.isEmpty ? scenarios.pathSubprotocols : [],
                path: arguments.server.path,
                allowedOrigins: arguments.access.origins,
                role: relay.map { $0.proxy == nil ? .gateway : .proxy } ?? .server, login: relay?.login ?? .none,
                access: access,
                extraFields: extraFields, isSecure: arguments.tls.isUsed
            )
        } catch {
            throw .badArgument(what: error.option, why: "\(error)")
        }
        self.arguments = arguments
        files = try Self.files(arguments)
        let tls = try ServerTLSComposition(
            arguments: arguments.tls, acceptsHTTP2: arguments.server.acceptsHTTP2,
            address: endpoints.lazy.compactMap(\.address).first, secrets: secrets
        ).settings()
        tlsSettings = tls
        do throws(TLSConfigurationError) {
            self.tls = try tls.map { (settings) throws(TLSConfigurationError) in try TLSLayer(server: settings) }
            selfSignedPin = arguments.tls.isSelfSigned ? try tls?.certificate.pin() : nil
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
        if case .exec(let words) = arguments.mode {
            program = try ProgramCommand(words, environment: secrets.environment)
        } else {
            program = nil
        }
        share = arguments.server.threadCount > 1 ? .init(index: 0, count: arguments.server.threadCount) : nil
        if share != nil { try Self.checkThreads(arguments, endpoints) }
        hasPrompt =
            arguments.format.readsInput && arguments.mode.traits.hasPrompt && arguments.format.input == .lines
            && StandardDescriptors.isTerminal(StandardDescriptors.input)
        if relay?.reportsHTTP == true, !hasPrompt, arguments.transcript.recordPath == nil,
            arguments.format.output != .json,
            arguments.page.address == nil
        {
            throw .badArgument(
                what: "--http", why: "its events have no place; add --record FILE, --output json, or --page PORT")
        }
    }

    /// The same settings for another thread, which shares no mutable state with the others.
    func forThread(
        _ share: Server<ListenClient>.Share, listeningOn address: SocketAddress
    ) throws(Failure) -> ListenSettings {
        var settings = self
        settings.share = share
        settings.endpoints = [.tcp(address)]
        do throws(TLSConfigurationError) {
            settings.tls = try tlsSettings.map { (tls) throws(TLSConfigurationError) in try TLSLayer(server: tls) }
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
        return settings
    }

    /// The limits and the behavior of each connection.
    var connection: Connection<ListenClient>.Settings {
        Connection.Settings(
            role: .server, limits: arguments.limits.ofMessages,
            fragmentBytes: arguments.limits.fragmentBytes, closeTimeout: arguments.limits.closeTimeout,
            pausesReadingWhenFull: arguments.mode == .echo || replay != nil || exchange != nil || !scenarios.isEmpty,
            queueLimitBytes: relay == nil ? 16 << 20 : Relay.queueLimitBytes,
            forfeitingReasons: [.gate, .replay], answersPings: relay == nil && arguments.faults.answersPings,
            answersCloses: relay == nil)
    }

    /// How the messages of clients, or of the server of a relay, are decoded, or `nil` if they are not.
    func codecs(of side: RelaySide) -> MessageCodecs? {
        let decoders = side == .client ? arguments.codecs.decoders : arguments.codecs.serverDecoders
        guard !decoders.isEmpty else { return nil }
        return MessageCodecs(
            decoders: decoders, limitBytes: arguments.limits.maximumMessageBytes,
            keepsOriginals: arguments.format.output.keepsOriginals && arguments.format.pick == nil,
            areReversed: exchange != nil || relay?.rewriter != nil || !arguments.transcript.dropped.isEmpty
                || (arguments.page.address != nil && CodecChain.irreversible(decoders, changes: true) == nil))
    }

    /// What all clients together may hold in incomplete messages and unsent output, in bytes: by default 256 MiB, but at
    /// least four of the largest messages.
    var maximumHeldBytes: Int {
        let (largest, isTooLarge) = arguments.limits.maximumMessageBytes.multipliedReportingOverflow(by: 4)
        return arguments.access.maximumHeldBytes ?? max(256 << 20, isTooLarge ? .max : largest)
    }

    /// Whether a rule answers messages of the server of a relay.
    var answersServer: Bool { exchange?.answers.contains { $0.condition.scope.side == .server } ?? false }

    /// The maximum number of programs that answer messages at once, on one of several threads.
    var maximumAnswerPrograms: Int {
        guard relay == nil else { return AnswerPrograms.usualCount }
        return max(1, ProgramPool.limit(for: arguments.programs.maximumProcesses) / (share?.count ?? 1))
    }

    /// Whether messages are read from a pipe or a file.
    var readsPipe: Bool { arguments.format.readsInput && !arguments.mode.traits.answersByItself && !hasPrompt }

    /// Whether messages or events go to standard output. They do not if the prompt shows them on a terminal. An echo
    /// server writes only events.
    var writesOutput: Bool {
        guard relay?.command == nil else { return false }
        if hasPrompt && StandardDescriptors.isTerminal(StandardDescriptors.output) { return false }
        return !arguments.mode.traits.answersByItself || arguments.format.output == .json
    }

    /// The kind of messages to send.
    var kind: MessageKind { arguments.format.payload.kind(for: arguments.format.input) }

    /// Parses `PORT`, `ADDRESS:PORT`, or `unix:PATH`. The default address is loopback, because a development server
    /// should not be reachable from other hosts.
    private static func endpoint(of arguments: ListenArguments) throws(Failure) -> Server<ListenClient>.Endpoint {
        let text = arguments.address
        guard !text.isEmpty else { throw .missingAddress(command: arguments.mode.isRelay ? "wsx relay" : "wsx listen") }
        let what = "[ADDRESS:]PORT '\(escapingControls(text))'"
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { throw .badArgument(what: what, why: "the path is missing; write unix:PATH") }
            return .unix(path: path)
        }
        return .tcp(try ListeningAddress.parse(text, what: what))
    }
}

// HTTP resources on the listening port.
extension ListenSettings {
    /// The site that answers requests other than upgrades.
    var site: Site {
        Site(policy: policy, pages: pages, files: files, acceptsPosts: arguments.web.deliversPosts)
    }

    /// The built-in pages that the arguments request.
    private var pages: [WebPage] {
        arguments.web.servesConsole ? [ConsolePage(path: policy.path ?? "/").webPage] : []
    }

    /// Returns the files of `--serve`.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func files(_ arguments: ListenArguments) throws(Failure) -> FileTree? {
        guard let path = arguments.web.servedDirectory else { return nil }
        do throws(IOError) {
            return try FileTree(path)
        } catch {
            throw .badArgument(what: "--serve '\(escapingControls(path))'", why: "\(error); use an existing directory")
        }
    }
}

extension ListenArguments {
    /// Checks that messages of which a part is left out, or changed, can be encoded again to be passed on.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate func checkEncoding(for option: String, changes: Bool) throws(Failure) {
        switch mode {
        case .echo, .broadcast, .relay: break
        case .conversation, .replay, .scenario, .exec: return
        }
        for codecs in [codecs.decoders, codecs.serverDecoders] {
            if codecs.contains(.zlibStream) {
                throw .badArgument(
                    what: option,
                    why: "a message that is not passed on as received would damage the stream of --decode zlib-stream")
            }
            if let codec = CodecChain.irreversible(codecs, changes: changes) {
                throw .badArgument(
                    what: option, why: "messages cannot be encoded again for --decode \(codec.name), to be passed on")
            }
        }
    }

    /// Checks that a server without first messages and answers sends texts that can be encoded.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate func checkForTexts() throws(Failure) {
        let why: String? =
            switch mode {
            case .echo: web.deliversPosts ? nil : "--echo sends messages back as they are"
            case .conversation, .broadcast:
                format.readsInput || web.deliversPosts ? nil : "with --no-stdin, the server sends no text"
            case .replay, .scenario, .exec, .relay: nil
            }
        guard let why else { return }
        throw .badArgument(what: "--encode", why: "\(why); add --first-message or --answer, or omit it")
    }
}

extension ServerPolicyError {
    /// The option to correct.
    fileprivate var option: String {
        switch self {
        case .invalidSubprotocol, .repeatedSubprotocol: "--subprotocol"
        case .invalidPath: "--path"
        case .invalidOrigin, .originPattern: "--origin"
        case .reservedField: "--header"
        }
    }
}

extension Server.Endpoint {
    /// The address, or `nil` for a Unix domain socket.
    fileprivate var address: SocketAddress? {
        switch self {
        case .tcp(let address): address
        case .unix: nil
        case .inherited(let socket): if case .tcp(let address) = socket.place { address } else { nil }
        }
    }
}
