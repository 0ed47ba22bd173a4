import Formats
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
    /// The kind of the messages.
    let kind: MessageKind
    /// What is sent in turn; empty: messages are made up.
    let messages: [MessageTemplate]
    /// Tells the messages that are published from those of another run.
    let runNumber: UInt32
    /// How long messages are sent; nil: until there have been as many as were asked for.
    let duration: Duration?

    /// Messages a second that are published unless another rate is asked for.
    private static let defaultPublishRate = 10
    private static let defaultBytes = 20
    /// Number and hash.
    private static let pingBytes = 16
    private static let defaultDuration = Duration.seconds(10)
    /// Descriptors for anything but connections: the loop's, standard ones, files of certificates, the server of `echo:`.
    private static let reservedDescriptors = 64
    /// Those of a thread's loop, its timers and what wakes it.
    private static let descriptorsOfThread = 8
    /// With more bytes queued for a connection, its messages wait where they take less room.
    private static let queueLimitBytes = 256 << 10
    /// The same where what is queued is all that counts: little, for it has not been sent yet.
    private static let oneWayQueueLimitBytes = 16 << 10

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: BenchArguments, secrets: Secrets) throws(Failure) {
        self.arguments = arguments
        let composition = try ConnectorComposition(arguments, secrets: secrets)
        showsProgress = BenchProgress.isWanted(by: arguments)
        url = composition.url
        connector = composition.connector
        tls = composition.tls
        runNumber = SecureRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        let kind: MessageKind = arguments.payload == .binary ? .binary : .text
        self.kind = kind
        messages = try arguments.messages.map { (message) throws(Failure) in try message.template(as: kind) }
        duration = arguments.duration ?? (arguments.messageCount == nil ? Self.defaultDuration : nil)
        guard arguments.threadCount <= arguments.connectionCount else {
            throw .badArgument(
                what: "--threads \(arguments.threadCount)",
                why: "there are only \(Phrase.count(arguments.connectionCount, "connection")); see --connections")
        }
        if arguments.mode == .broadcast { try checkBroadcast() }
        guard arguments.mode != .connect || arguments.ramp == .zero || arguments.rate != nil else {
            throw .badArgument(what: "--ramp", why: "with --mode connect it is the rate that grows; give --rate, too")
        }
        if case .moment(let moment) = arguments.start, moment - WallTime.now.sinceEpoch > DurationValue.longest {
            throw .badArgument(what: "--start-at", why: "that is more than 30 years from now")
        }
        try checkDescriptors()
        try checkPorts()
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

    private func checkBroadcast() throws(Failure) {
        guard arguments.publisherCount < arguments.connectionCount else {
            let count = Phrase.count(arguments.connectionCount, "connection")
            throw .badArgument(
                what: "--publishers \(arguments.publisherCount)",
                why: "nobody is left to read: there \(arguments.connectionCount == 1 ? "is" : "are") \(count)")
        }
        guard messageBytes >= DeliveryMessage.leastBytes else {
            throw .badArgument(
                what: "--size \(messageBytes)",
                why:
                    "a message that is broadcast says when it was sent, for which it has \(DeliveryMessage.leastBytes) or more bytes"
            )
        }
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

    /// What is accepted from the server, and how connections are closed.
    var connection: Connection<LoadConnection>.Settings {
        Connection.Settings(
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.maximumMessageBytes, maximumFragments: arguments.maximumFragments),
            fragmentBytes: arguments.fragmentBytes, closeTimeout: arguments.closeTimeout,
            queueLimitBytes: arguments.mode == .send ? Self.oneWayQueueLimitBytes : Self.queueLimitBytes)
    }

    /// How long messages are sent before they count.
    var warmup: Duration { arguments.warmup }

    /// How long it takes from the first message until the whole load is there.
    var ramp: Duration { arguments.ramp }

    /// The connections that send, of all threads.
    var senderCount: Int { arguments.mode == .broadcast ? arguments.publisherCount : arguments.connectionCount }

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

    /// When the connections of a thread are to be opened; nil: as soon as can be.
    func openings(for shard: Shard) -> LoadSchedule? {
        arguments.connectRate.map {
            LoadSchedule(rate: Double($0), connectionCount: arguments.connectionCount, shard: shard)
        }
    }

    /// When the messages of a thread are due; nil: each reply has the next one sent.
    func schedule(for shard: Shard) -> LoadSchedule? {
        guard let rate, shard.connectionCount(of: senderCount) > 0 else { return nil }
        return LoadSchedule(rate: rate, ramp: ramp, connectionCount: senderCount, shard: shard)
    }

    /// Messages a second, of all threads; nil: each reply has the next one sent.
    private var rate: Double? {
        switch arguments.mode {
        case .idle: Double(arguments.connectionCount) / (arguments.heartbeat / .seconds(1))
        case .broadcast: Double(arguments.rate ?? Self.defaultPublishRate)
        case .echo, .send, .receive, .connect: arguments.rate.map { Double($0) }
        }
    }

    /// The size of each message; nil: they differ.
    private var commonBytes: Int? {
        guard let first = messages.first else { return messageBytes }
        return messages.allSatisfy { $0.constantBytes == first.constantBytes } ? first.constantBytes : nil
    }

    /// The size of messages that are made up.
    var messageBytes: Int {
        switch arguments.mode {
        case .echo, .send, .receive, .connect: return arguments.sizeBytes ?? Self.defaultBytes
        case .broadcast: return arguments.sizeBytes ?? DeliveryMessage.leastBytes
        case .idle: return Self.pingBytes
        }
    }

    private var hasMessages: Bool {
        switch arguments.mode {
        case .echo, .send, .broadcast: true
        case .receive: !messages.isEmpty
        case .connect, .idle: false
        }
    }

    /// What results tell of it.
    var description: BenchDescription {
        BenchDescription(
            mode: arguments.mode, url: "\(url)", connections: arguments.connectionCount, threads: arguments.threadCount,
            message: hasMessages ? BenchDescription.Message(kind: kind, byteCount: commonBytes) : nil,
            inFlight: arguments.mode == .echo && arguments.rate == nil ? arguments.inFlight : nil,
            rateAsked: arguments.rate)
    }

    /// The close frame that this end sends.
    var closeFrame: CloseFrame {
        CloseFrame(code: CloseCode(rawValue: arguments.closeCode), reason: arguments.closeReason)
    }
}
