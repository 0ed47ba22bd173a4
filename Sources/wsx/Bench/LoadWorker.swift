import WSCore

/// One thread of a load test: its loop, its connections, and what it has measured.
///
///      open (256 at a time) ─► load ─► wait for replies ─► close ─► over
///
/// It is confined to its loop and shares nothing with others.
final class LoadWorker {
    /// How far it has come.
    enum Phase {
        case opening
        case ready
        case loading
        /// Nothing more is sent; replies are missing.
        case draining
        case closing
        case over
    }

    let settings: BenchSettings
    let loop: EventLoop
    /// Called when all connections are open, or have failed.
    var didOpen: (() -> Void)?
    /// Called when all connections have ended.
    var didEnd: (() -> Void)?

    var phase = Phase.opening
    var tally = LoadTally()
    var latencies: LatencyRecorder
    /// How long connections took to open, in nanoseconds.
    var handshakes = Histogram()
    /// The first thing that went wrong.
    var failure: Failure?
    /// When the first message was sent, and when sending was over, on the loop's clock in nanoseconds.
    var (startTime, endTime): (UInt64, UInt64) = (0, 0)

    /// Nothing is sent from then on.
    var sendEnd: UInt64 = .max

    /// The connections that are open.
    var connections: [UInt64: LoadConnection] = [:]
    let connectorResources: ConnectorResources
    let connectionResources: ConnectionResources
    let connectionSettings: Connection<LoadConnection>.Settings
    /// Those that are being opened, by their number.
    var connectors: [UInt64: Connector] = [:]
    /// How many have been begun to be opened.
    var begunCount = 0
    let connectionCount: Int
    let kind: MessageKind
    let inFlight: Int
    var message: EchoMessage
    /// How many messages may still be sent.
    var remainingMessages: Int
    /// The time that was taken last, on the loop's clock in nanoseconds.
    var now: UInt64 = 0
    /// When the last right reply came.
    var lastReplyTime: UInt64 = 0
    var phaseTimer: Timer?
    var replyTimer: Timer?
    /// Goes on opening connections.
    var openTimer: Timer?
    /// Set while it is to be looked whether replies are missing.
    var isCheckScheduled = false

    /// Prepares a load; throws ``Failure/badArgument(what:why:)`` when TLS cannot be set up.
    init(_ settings: BenchSettings, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.loop = loop
        let arguments = settings.arguments
        latencies = LatencyRecorder(keepsHistograms: true)
        connectorResources = try ConnectorResources.make(settings.tls)
        connectionResources = ConnectionResources(on: loop)
        connectionSettings = settings.connection
        connectionCount = arguments.connectionCount
        kind = settings.kind
        inFlight = arguments.inFlight
        message = settings.makeMessage()
        remainingMessages = arguments.messageCount ?? .max
    }

    // MARK: Load

    /// Sends the first messages on all connections.
    func start() {
        guard phase == .ready else { return }
        phase = .loading
        takeTime()
        startTime = now
        lastReplyTime = now
        if let duration = settings.duration {
            sendEnd = now + UInt64(duration / .nanoseconds(1))
            phaseTimer = Timer(on: loop) { [unowned self] in drain() }
            // The loop's timers may be early by what is left of a millisecond.
            phaseTimer?.start(after: duration + .milliseconds(1))
        }
        latencies.start(at: now, until: sendEnd)
        startReplyTimer()
        for connection in connections.values.sorted(by: { $0.number < $1.number }) { refill(connection) }
        drainIfSent()
    }

    /// Sends no more, and waits for the replies that are missing.
    /// - Parameter limit: How long at most; nil: for as long as a reply may take.
    func drain(limit: Duration? = nil) {
        switch phase {
        case .opening, .ready: return close()
        case .closing, .over: return
        case .draining where limit == nil: return
        case .loading, .draining: break
        }
        takeTime()
        if phase == .loading { endTime = min(now, sendEnd) }
        phase = .draining
        phaseTimer = Timer(on: loop) { [unowned self] in
            if limit == nil { tally.timeouts += connections.values.reduce(0) { $0 + $1.ledger.expectedCount } }
            close()
        }
        phaseTimer?.start(after: limit ?? settings.arguments.replyTimeout)
        closeIfAnswered()
    }

    /// Closes all connections, as they should be.
    func close() {
        guard phase != .closing, phase != .over else { return }
        let wasLoaded = phase == .draining
        phase = .closing
        phaseTimer = nil
        replyTimer = nil
        for connector in connectors.values { connector.cancel() }
        connectors = [:]
        if wasLoaded {
            // A number of messages is over with the last reply, whatever was waited for after it.
            if settings.duration == nil { endTime = max(lastReplyTime, startTime) }
            latencies.end(at: endTime)
            latencies.finish()
        }
        for connection in connections.values { connection.connection?.close(settings.closeFrame) }
        endIfClosed()
    }

    /// Ends connections whose server does not answer the close frame any more.
    func terminate() {
        for connection in connections.values { connection.connection?.terminate() }
    }

    /// A connection has ended.
    func ended(_ connection: LoadConnection, _ end: ConnectionEnd) {
        guard let ended = connection.connection else { return }
        connections[connection.number] = nil
        connection.connection = nil
        tally.sentBytes += ended.sentTraffic.messageBytes
        tally.sentWireBytes += ended.sentTraffic.wireBytes
        tally.receivedBytes += ended.receivedTraffic.messageBytes
        tally.receivedWireBytes += ended.receivedTraffic.wireBytes
        tally.lost += connection.ledger.unansweredCount
        if phase != .closing { note(prematureEnd: end) } else { note(end) }
        switch phase {
        case .opening, .ready: break
        case .loading where connections.isEmpty: drain()
        case .loading, .draining: closeIfAnswered()
        case .closing, .over: endIfClosed()
        }
    }

    private func endIfClosed() {
        guard phase == .closing, connections.isEmpty else { return }
        phase = .over
        didEnd?()
    }

    // MARK: Errors

    func note(_ failure: Failure, counting count: WritableKeyPath<LoadTally, Int>) {
        tally[keyPath: count] += 1
        if self.failure == nil { self.failure = failure }
    }

    /// A connection ended that should not have.
    private func note(prematureEnd end: ConnectionEnd) {
        guard end.violation == nil else { return note(end) }
        let failure = end.closing.received.map { Failure.closed($0) } ?? .lost(end.failure)
        note(failure, counting: \.closedErrors)
    }

    private func note(_ end: ConnectionEnd) {
        let closeTimeout = settings.arguments.closeTimeout
        guard let failure = Failure.failure(of: end, closeTimeout: closeTimeout) else { return }
        switch failure {
        case .violation: note(failure, counting: \.protocolErrors)
        case .closingTimedOut: note(failure, counting: \.timeouts)
        default: note(failure, counting: \.closedErrors)
        }
    }
}
