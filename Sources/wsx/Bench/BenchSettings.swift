import CommandLine
import Formats
import LoadTest
import WSCore

/// The settings derived from the arguments of `wsx bench`: the URL is parsed, files are read, the request is built, and
/// passphrases have been entered.
struct BenchSettings: Sendable {
    /// The arguments, for everything that needs no interpretation.
    let arguments: BenchArguments
    /// The URL to connect to.
    let url: WebSocketURL
    /// The request and the way to the server.
    var connector: Connector.Settings
    /// The TLS settings, or `nil` if TLS cannot be needed.
    let tls: TLSClientSettings?
    /// Whether the threads report their progress.
    let showsProgress: Bool
    /// The load: connections, messages, and pace.
    let plan: LoadPlan

    private static let defaultDuration = Duration.seconds(10)
    /// The descriptors reserved for purposes other than connections: standard streams, the loop, certificates, and the
    /// echo server.
    private static let reservedDescriptors = 64
    /// The descriptors per thread: its loop, timers, and wakers.
    private static let descriptorsOfThread = 8

    /// Derives the settings from the arguments.
    /// - Throws: ``Failure/badArgument(what:why:)``.
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

    /// Checks that there are enough local ports: each connection to a server needs its own.
    private func checkPorts() throws(Failure) {
        // The embedded server also uses loopback connections.
        if case .unix = url.endpoint { return }
        guard arguments.unixSocket == nil, let ports = EphemeralPorts.count else { return }
        let most = ports * connectors.count
        guard arguments.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.connectionCount)",
            why: "there are \(ports) ports for connections from one address; --source-ip adds addresses, "
                + "'sysctl net.ipv4.ip_local_port_range' ports")
    }

    /// Checks that there are enough descriptors, to fail before the run rather than in the middle of it.
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

    /// The connector settings for each address of `--source-ip`, used in rotation. Without the option, there is one
    /// element.
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

    /// The description of the load for the results.
    var description: BenchDescription { plan.description(url: "\(url)") }

    /// The close frame to send at the end.
    var closeFrame: CloseFrame {
        CloseFrame(code: CloseCode(rawValue: arguments.closeCode), reason: arguments.closeReason)
    }
}

extension MessageSource {
    /// Parses the message. A text file may also contain placeholders.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate func template(as kind: MessageKind) throws(Failure) -> MessageTemplate {
        switch self {
        case .text(let template): return template
        case .file(let path): return try Self.template(in: path, as: kind)
        }
    }

    /// The maximum file size. A larger file, such as /dev/zero, is a mistake.
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
