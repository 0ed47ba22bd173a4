import CommandLine
import Conversation
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
    /// Whether the progress is shown.
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
        var plan = try Self.plan(arguments)
        plan.exchange = try AutomaticExchange.Plan.make(arguments.exchange, secrets: secrets)
        plan.readinessTimeout = arguments.client.network.connectTimeouts.whole
        self.plan = plan
        guard arguments.load.threadCount <= arguments.load.connectionCount else {
            throw .badArgument(
                what: "--threads \(arguments.load.threadCount)",
                why: "there are only \(Phrase.count(arguments.load.connectionCount, "connection")); raise --connections"
            )
        }
        if let problem = plan.problem { throw .badArgument(what: problem.option, why: problem.reason) }
        if case .moment(let moment) = arguments.load.start, moment - WallTime.now.sinceEpoch > DurationValue.longest {
            throw .badArgument(what: "--start-at", why: "the time is more than 30 years from now; check the year")
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
        plan.replies.field = arguments.replies.field
        plan.replies.expectations = arguments.replies.expectations
        return plan
    }

    /// Checks that there are enough local ports: each connection to a server needs its own.
    private func checkPorts() throws(Failure) {
        // The built-in echo server also uses loopback connections.
        if case .unix = url.endpoint { return }
        guard arguments.client.network.unixSocket == nil, let ports = EphemeralPorts.count else { return }
        let most = ports * connectors.count
        guard arguments.load.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.load.connectionCount)",
            why: "one address has only \(ports) local ports; add addresses with --source-ip, "
                + "or ports with 'sysctl net.ipv4.ip_local_port_range'")
    }

    /// Checks that there are enough descriptors, to fail before the run rather than in the middle of it.
    private func checkDescriptors() throws(Failure) {
        let reserved = Self.reservedDescriptors + arguments.load.threadCount * Self.descriptorsOfThread
        let endsHere = url.endpoint == .embeddedEcho ? 2 : 1
        let most = max(0, DescriptorLimit.raise() - reserved) / endsHere
        guard arguments.load.connectionCount > most else { return }
        let needed = arguments.load.connectionCount * endsHere + reserved
        throw .badArgument(
            what: "--connections \(arguments.load.connectionCount)",
            why:
                "the limit on open files allows \(most); raise it with 'ulimit -n \(needed)', "
                + "or test from several machines"
        )
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
        CloseFrame(
            code: CloseCode(rawValue: arguments.client.closeFrame.closeCode),
            reason: arguments.client.closeFrame.closeReason)
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
        guard !bytes.isEmpty else { throw problem("it is empty; name a file with a message") }
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
