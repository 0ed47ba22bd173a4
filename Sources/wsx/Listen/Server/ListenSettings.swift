import WSCore

/// What the arguments of `wsx listen` mean.
struct ListenSettings {
    /// What was typed, for all that means what it says.
    let arguments: ListenArguments
    /// Where to listen: one place, or the sockets that were handed over.
    private(set) var endpoints: [Server<ListenClient>.Endpoint]
    /// Which requests are accepted.
    let policy: ServerPolicy
    /// Which of several threads it is for; nil: there is but one.
    private(set) var share: Server<ListenClient>.Share?
    /// Whether the lines to be sent are typed into a REPL.
    let isRepl: Bool
    /// What `--replay` answers with; nil: it is not used.
    let replay: ReplayRecording?

    /// What runs for each client; nil: nothing does.
    let program: ProgramCommand?
    /// The files that browsers get; nil: none.
    let files: FileTree?
    /// TLS with the clients; nil: it is not used.
    private(set) var tls: TLSLayer?
    private let tlsSettings: TLSServerSettings?
    /// What clients can pin a certificate by that was made for this run; nil: there is none.
    let selfSignedPin: TLSPin?

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    /// - Parameters:
    ///   - sockets: The sockets that were handed over, which go before the address.
    ///   - secrets: Reads what need not stand on the command line.
    init(
        _ arguments: ListenArguments, sockets: [InheritedSocket] = [],
        secrets: Secrets = Secrets(environment: { _ in nil })
    ) throws(Failure) {
        try OutputPlace(option: "--record", path: arguments.transcript.recordPath).check(against: arguments.readFiles)
        if case .replay(let path) = arguments.mode {
            replay = try ReplayRecording(contentsOf: path, speed: arguments.format.replaySpeed)
        } else {
            replay = nil
            try arguments.checkReplaySpeed()
        }
        let extraFields = try HeaderFiles.fields(arguments.server.headers)
        let access = try AccessComposition(
            credentials: arguments.access.credentials, tokens: arguments.access.tokens, secrets: secrets
        ).policy()
        do throws(ServerPolicyError) {
            policy = try ServerPolicy(
                subprotocols: arguments.server.subprotocols, path: arguments.server.path,
                allowedOrigins: arguments.access.origins,
                access: access, extraFields: extraFields, isSecure: arguments.tls.isUsed)
        } catch {
            throw .badArgument(what: "the server's settings", why: "\(error)")
        }
        self.arguments = arguments
        endpoints = try sockets.isEmpty ? [Self.endpoint(arguments.address)] : sockets.map { .inherited($0) }
        files = try Self.files(arguments)
        let tls = try ServerTLSComposition(
            arguments: arguments.tls, address: endpoints.lazy.compactMap(\.address).first, secrets: secrets
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
        isRepl =
            arguments.format.readsInput && !arguments.mode.answersByItself && arguments.format.input == .lines
            && StandardDescriptors.isTerminal(StandardDescriptors.input)
    }

    /// The same for another thread, which shares nothing that changes.
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

    /// What is accepted from each client, and how connections are closed.
    var connection: Connection<ListenClient>.Settings {
        Connection.Settings(
            role: .server,
            limits: Limits(
                maximumMessageBytes: arguments.limits.maximumMessageBytes,
                maximumFragments: arguments.limits.maximumFragments),
            fragmentBytes: arguments.limits.fragmentBytes, closeTimeout: arguments.limits.closeTimeout,
            pausesReadingWhenFull: arguments.mode == .echo || replay != nil,
            forfeitingReasons: [.gate, .replay], answersPings: arguments.faults.answersPings)
    }

    /// Whether what is sent comes through a pipe or from a file.
    var readsPipe: Bool { arguments.format.readsInput && !arguments.mode.answersByItself && !isRepl }

    /// Whether messages, or events, go to standard output: not while a terminal shows them, and an echo server
    /// writes events alone.
    var writesOutput: Bool {
        if isRepl && StandardDescriptors.isTerminal(StandardDescriptors.output) { return false }
        return !arguments.mode.answersByItself || arguments.format.output == .json
    }

    /// The kind of the messages that are sent.
    var kind: MessageKind { arguments.format.payload.kind(for: arguments.format.input) }

    /// Reads `PORT`, `ADDRESS:PORT` or `unix:PATH`. Loopback unless an address is given: a development server is
    /// nobody else's business.
    private static func endpoint(_ text: String) throws(Failure) -> Server<ListenClient>.Endpoint {
        guard !text.isEmpty else {
            throw .badArgument(
                what: "'wsx listen' needs [ADDRESS:]PORT",
                why: "no socket was handed over (LISTEN_FDS); 'wsx listen -h' shows the usage")
        }
        let what = "address '\(escapingControls(text))'"
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { throw .badArgument(what: what, why: "there is no path after unix:") }
            return .unix(path: path)
        }
        var host = "127.0.0.1"
        var portText = text[...]
        if let colon = text.lastIndex(of: ":") {
            host = String(text[..<colon])
            portText = text[text.index(after: colon)...]
        }
        guard portText.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(portText)
        else {
            throw .badArgument(what: what, why: "the port is not a number from 0 to 65535; write [ADDRESS:]PORT")
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .badArgument(what: what, why: "an IPv6 address stands in brackets: [::1]:8080")
        }
        switch host {
        case "", "localhost": host = "127.0.0.1"
        case "*": host = "0.0.0.0"
        default: break
        }
        guard let address = SocketAddress(numeric: host, port: port) else {
            throw .badArgument(
                what: what, why: "'\(escapingControls(host))' is not an IP address; write one, localhost, or * for all")
        }
        return .tcp(address)
    }
}

// What a browser finds on the port.
extension ListenSettings {
    /// What answers requests that ask for no WebSocket.
    var site: Site { Site(policy: policy, pages: pages, files: files) }

    /// The built-in pages that the arguments ask for.
    private var pages: [WebPage] {
        arguments.web.servesConsole ? [ConsolePage(path: policy.path ?? "/").webPage] : []
    }

    /// The files of `--serve`, or ``Failure/badArgument(what:why:)``.
    static func files(_ arguments: ListenArguments) throws(Failure) -> FileTree? {
        guard let path = arguments.web.servedDirectory else { return nil }
        do throws(IOError) {
            return try FileTree(path)
        } catch {
            throw .badArgument(what: "--serve '\(escapingControls(path))'", why: "\(error); name a directory")
        }
    }
}

extension Server.Endpoint {
    /// The address; nil for a Unix-domain socket.
    fileprivate var address: SocketAddress? {
        switch self {
        case .tcp(let address): address
        case .unix: nil
        case .inherited(let socket): if case .tcp(let address) = socket.place { address } else { nil }
        }
    }
}
