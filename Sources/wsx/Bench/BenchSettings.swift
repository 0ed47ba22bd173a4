import CommandLine
import Formats
import LoadTest
import WSCore

/// What the arguments of `wsx bench` mean: URL parsed, files read, request composed, passphrases asked for.
struct BenchSettings: Sendable {
    /// What was typed, for all that means what it says.
    let arguments: BenchArguments
    /// Where to connect to.
    let url: WebSocketURL
    /// What to ask for there, and how to get there.
    var connector: Connector.Settings
    /// What is asked of TLS; nil: it cannot be needed.
    let tls: TLSClientSettings?
    /// Whether the threads tell how far they have come.
    let showsProgress: Bool
    /// The load: connections, messages, and pace.
    let plan: LoadPlan

    private static let defaultDuration = Duration.seconds(10)
    /// Descriptors for anything but connections: the loop's, standard ones, files of certificates, the server of `echo:`.
    private static let reservedDescriptors = 64
    /// Those of a thread's loop, its timers and what wakes it.
    private static let descriptorsOfThread = 8

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: BenchArguments, secrets: Secrets) throws(Failure) {
        self.arguments = arguments
        let composition = try ConnectorComposition(arguments.client, secrets: secrets)
        showsProgress = BenchProgress.isWanted(by: arguments)
        url = composition.url
        connector = composition.connector
        tls = composition.tls
        plan = try Self.plan(arguments)
        guard arguments.load.threadCount <= arguments.load.connectionCount else {
            throw .badArgument(
                what: "--threads \(arguments.load.threadCount)",
                why: "there are only \(Phrase.count(arguments.load.connectionCount, "connection")); see --connections")
        }
        if let problem = plan.problem { throw .badArgument(what: problem.option, why: problem.reason) }
        if case .moment(let moment) = arguments.load.start, moment - WallTime.now.sinceEpoch > DurationValue.longest {
            throw .badArgument(what: "--start-at", why: "that is more than 30 years from now")
        }
        try checkDescriptors()
        try checkPorts()
    }

    private static func plan(_ arguments: BenchArguments) throws(Failure) -> LoadPlan {
        let kind: MessageKind = arguments.loadMessages.payload == .binary ? .binary : .text
        var plan = LoadPlan(arguments.load.mode)
        plan.connectionCount = arguments.load.connectionCount
        plan.threadCount = arguments.load.threadCount
        plan.publisherCount = arguments.load.publisherCount
        plan.connectRate = arguments.load.connectRate
        plan.messageCount = arguments.load.messageCount
        plan.rate = arguments.load.rate
        plan.ramp = arguments.load.ramp
        plan.warmup = arguments.load.warmup
        plan.duration = arguments.load.duration ?? (arguments.load.messageCount == nil ? defaultDuration : nil)
        plan.heartbeat = arguments.load.heartbeat
        plan.inFlight = arguments.load.inFlight
        plan.replyTimeout = arguments.load.replyTimeout
        plan.messages.kind = kind
        plan.messages.templates = try arguments.loadMessages.messages.map { (message) throws(Failure) in
            try message.template(as: kind)
        }
        plan.messages.sizeBytes = arguments.loadMessages.sizeBytes
        plan.messages.runNumber = SecureRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        return plan
    }

    /// Each connection to a server has a port of this end's address for itself.
    private func checkPorts() throws(Failure) {
        // The embedded server's connections are to loopback, too.
        if case .unix = url.endpoint { return }
        guard arguments.client.network.unixSocket == nil, let ports = EphemeralPorts.count else { return }
        let most = ports * connectors.count
        guard arguments.load.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.load.connectionCount)",
            why: "there are \(ports) ports for connections from one address; --source-ip adds addresses, "
                + "'sysctl net.ipv4.ip_local_port_range' ports")
    }

    /// What cannot be opened is said before the run, and not after half of it.
    private func checkDescriptors() throws(Failure) {
        let reserved = Self.reservedDescriptors + arguments.load.threadCount * Self.descriptorsOfThread
        let endsHere = url.endpoint == .embeddedEcho ? 2 : 1
        let most = max(0, DescriptorLimit.raise() - reserved) / endsHere
        guard arguments.load.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.load.connectionCount)",
            why:
                "there are descriptors for \(most), beside \(reserved) for the run itself; 'ulimit -n' allows more, or test "
                + "from several machines")
    }

    /// How to reach the server from each of `--source-ip`, which connections take in turn; without any, one way.
    var connectors: [Connector.Settings] {
        let kinds = SocketAddress.Family.allCases.map { family in
            connector.network.sources.filter { $0.family == family }
        }
        return (0..<max(1, kinds.map(\.count).max() ?? 1)).map { number in
            var connector = connector
            connector.network.sources = kinds.filter { !$0.isEmpty }.map { $0[number % $0.count] }
            return connector
        }
    }

    /// The description of the load in results.
    var description: BenchDescription { plan.description(url: "\(url)") }

    /// The close frame that this end sends.
    var closeFrame: CloseFrame {
        CloseFrame(
            code: CloseCode(rawValue: arguments.client.closeFrame.closeCode),
            reason: arguments.client.closeFrame.closeReason)
    }
}

extension MessageSource {
    /// Reads the message; a text in a file may have placeholders, too. Throws ``Failure/badArgument(what:why:)``.
    fileprivate func template(as kind: MessageKind) throws(Failure) -> MessageTemplate {
        switch self {
        case .text(let template): return template
        case .file(let path): return try Self.template(in: path, as: kind)
        }
    }

    /// What is larger was not meant, such as /dev/zero.
    private static let mostBytes = 1 << 30

    private static func template(in path: String, as kind: MessageKind) throws(Failure) -> MessageTemplate {
        let bytes = try HeaderFiles.contents(of: path, for: "--file", maximumBytes: mostBytes)
        func problem(_ why: String) -> Failure {
            .badArgument(what: "--file \(escapingControls(path))", why: why)
        }
        guard !bytes.isEmpty else { throw problem("it is empty") }
        guard kind == .text else { return MessageTemplate(literal: bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem("it is not UTF-8 text; send it with --binary")
        }
        do throws(MessageTemplateError) {
            return try MessageTemplate(text)
        } catch {
            throw problem("\(error)")
        }
    }
}
