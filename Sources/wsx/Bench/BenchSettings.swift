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
        guard arguments.threadCount <= arguments.connectionCount else {
            throw .badArgument(
                what: "--threads \(arguments.threadCount)",
                why: "there are only \(Phrase.count(arguments.connectionCount, "connection")); see --connections")
        }
        if let problem = plan.problem { throw .badArgument(what: problem.option, why: problem.reason) }
        if case .moment(let moment) = arguments.start, moment - WallTime.now.sinceEpoch > DurationValue.longest {
            throw .badArgument(what: "--start-at", why: "that is more than 30 years from now")
        }
        try checkDescriptors()
        try checkPorts()
    }

    private static func plan(_ arguments: BenchArguments) throws(Failure) -> LoadPlan {
        let kind: MessageKind = arguments.payload == .binary ? .binary : .text
        var plan = LoadPlan(arguments.mode)
        plan.connectionCount = arguments.connectionCount
        plan.threadCount = arguments.threadCount
        plan.publisherCount = arguments.publisherCount
        plan.connectRate = arguments.connectRate
        plan.messageCount = arguments.messageCount
        plan.rate = arguments.rate
        plan.ramp = arguments.ramp
        plan.warmup = arguments.warmup
        plan.duration = arguments.duration ?? (arguments.messageCount == nil ? defaultDuration : nil)
        plan.heartbeat = arguments.heartbeat
        plan.inFlight = arguments.inFlight
        plan.replyTimeout = arguments.replyTimeout
        plan.messages.kind = kind
        plan.messages.templates = try arguments.messages.map { (message) throws(Failure) in
            try message.template(as: kind)
        }
        plan.messages.sizeBytes = arguments.sizeBytes
        plan.messages.runNumber = SecureRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        return plan
    }

    /// Each connection to a server has a port of this end's address for itself.
    private func checkPorts() throws(Failure) {
        // The embedded server's connections are to loopback, too.
        if case .unix = url.endpoint { return }
        guard arguments.unixSocket == nil, let ports = EphemeralPorts.count else { return }
        let most = ports * connectors.count
        guard arguments.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.connectionCount)",
            why: "there are \(ports) ports for connections from one address; --source-ip adds addresses, "
                + "'sysctl net.ipv4.ip_local_port_range' ports")
    }

    /// What cannot be opened is said before the run, and not after half of it.
    private func checkDescriptors() throws(Failure) {
        let reserved = Self.reservedDescriptors + arguments.threadCount * Self.descriptorsOfThread
        let endsHere = url.endpoint == .embeddedEcho ? 2 : 1
        let most = max(0, DescriptorLimit.raise() - reserved) / endsHere
        guard arguments.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.connectionCount)",
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
        CloseFrame(code: CloseCode(rawValue: arguments.closeCode), reason: arguments.closeReason)
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
