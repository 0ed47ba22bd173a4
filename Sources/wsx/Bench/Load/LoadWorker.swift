import WSCore

/// One thread of a load test: its loop, its connections, and what it has measured.
///
///      open (256 at a time) ─► warm up, load ─► wait for replies ─► close ─► over
///
/// It is confined to its loop and shares nothing with others but what is on its ``post``.
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
    let shard: Shard
    let loop: EventLoop
    /// What its connections do.
    let workload: any Workload
    /// What it tells the thread that directs it.
    let post = Mutex(LoadPost())
    /// Called when all connections are open, or have failed.
    var didOpen: (() -> Void)?
    /// Called when nothing more is sent, before replies are waited for.
    var didSend: (() -> Void)?
    /// Called when all connections have ended.
    var didEnd: (() -> Void)?

    var phase = Phase.opening
    var measurement = LoadMeasurement()
    /// The first thing that went wrong.
    var failure: Failure?
    /// When the load began, on the loop's clock in nanoseconds.
    var startTime: UInt64 = 0
    /// The processor time of the thread when messages began to count, and what it has used from then until the end.
    var (startProcessorTime, processorTime): (Duration, Duration) = (.zero, .zero)

    /// The connections that are open.
    var connections: [UInt64: LoadConnection] = [:]
    /// Those that send, in the order of their numbers, from the beginning of the load.
    var senders: [LoadConnection] = []
    let opener: ConnectionOpener
    let connectionResources: ConnectionResources
    let connectionSettings: Connection<LoadConnection>.Settings
    /// How many there are to be.
    let connectionCount: Int
    /// Connections that have had their part of the turn.
    lazy var sending = LoadSending(of: self)
    /// How many messages may still be sent.
    var remainingMessages: Int
    /// When connections are to be opened; nil: as soon as can be.
    var openings: Pacer?
    /// What is due, from the beginning of the load; nil: each reply has the next message sent.
    var openLoop: OpenLoop?
    private var hasReportedSent = false
    /// Since when no connection takes or answers anything; nil: that is not so.
    var standstill: Standstill?
    /// How many connections have begun to send, in a closed loop.
    var startedCount = 0
    /// The time that was taken last, on the loop's clock in nanoseconds.
    var now: UInt64 = 0
    var phaseTimer: Timer?
    var warmupTimer: Timer?
    var replyTimer: Timer?
    private var progressTimer: Timer?
    /// Goes on when the next message is due, or the next connection.
    var paceTimer: PreciseTimer?
    /// Goes on in a moment.
    private var soonTimer: Timer?
    /// Set while it is to be looked whether replies are missing.
    var isCheckScheduled = false

    private static let progressInterval = Duration.milliseconds(100)

    /// Prepares a load; throws ``Failure/badArgument(what:why:)`` when TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.shard = shard
        self.loop = loop
        let arguments = settings.arguments
        opener = try ConnectionOpener(settings, shard: shard, on: loop)
        let maskingKeys = MaskingKeySource(fill: RandomGenerator.fill)
        // The first one takes milliseconds, which would be part of the first latencies.
        _ = maskingKeys.next()
        connectionResources = ConnectionResources(on: loop, maskingKeys: maskingKeys)
        connectionSettings = settings.connection
        connectionCount = shard.connectionCount(of: arguments.connectionCount)
        workload = settings.makeWorkload(clockOffset: Self.clockOffset(of: loop))
        remainingMessages =
            arguments.messageCount.map { shard.messageCount(of: $0, connectionCount: settings.senderCount) } ?? .max
        paceTimer = PreciseTimer(on: loop) { [unowned self] in goOn() }
    }

    private static func clockOffset(of loop: EventLoop) -> UInt64 {
        WallTime.now.sinceEpoch.wholeNanoseconds &- loop.nowNanoseconds
    }

    /// Does what is due, and has the timer call again.
    func goOn() {
        switch phase {
        case .opening: openDue()
        case .loading:
            takeTime()
            workload.goOn(for: self)
            drainIfSent()
        case .draining: closeIfAnswered()
        case .ready, .closing, .over: break
        }
    }

    /// Goes on in a moment: not from within, where what fails at once would be as deep as there are connections.
    func goOnSoon() {
        guard soonTimer == nil else { return }
        soonTimer = Timer(on: loop) { [unowned self] in
            soonTimer = nil
            goOn()
        }
        soonTimer?.start(after: .zero)
    }

    // MARK: Load

    /// Begins to send.
    /// - Parameter time: When the load begins, which is now or was just before.
    func start(at time: UInt64) {
        guard phase == .ready else { return }
        phase = .loading
        startTime = time
        openLoop = settings.schedule(for: shard).map { OpenLoop(Pacer($0, at: time)) }
        measurement.begin(
            at: time, warmup: settings.warmup, duration: settings.duration, end: workload.measurementEnd)
        if let duration = settings.duration {
            phaseTimer = Timer(on: loop) { [unowned self] in drain() }
            // The loop's timers may be early by what is left of a millisecond.
            phaseTimer?.start(after: settings.warmup + duration + .milliseconds(1))
        }
        beginCounting()
        if settings.warmup > .zero { startWarmupTimer() }
        startProgressTimer()
        startReplyTimer()
        senders = connections.values.filter(workload.isSender).sorted { $0.number < $1.number }
        takeTime()
        workload.begin(for: self)
        if workload.isDeserted(for: self) { drain() }
        goOn()
    }

    private func startWarmupTimer() {
        warmupTimer = Timer(on: loop) { [unowned self] in beginCounting() }
        warmupTimer?.start(after: settings.warmup)
    }

    private func startProgressTimer() {
        guard settings.showsProgress else { return }
        progressTimer = Timer(on: loop) { [unowned self] in
            if phase == .loading { measurement.advance(to: loop.nowNanoseconds) }
            let tally = measurement.tally
            let progress = LoadProgress(
                sent: tally.sent, received: tally.received, errorCount: tally.errorCount, openCount: connections.count,
                second: measurement.latencies.seconds.last)
            post.withLock { $0.progress = progress }
        }
        progressTimer?.start(after: Self.progressInterval, every: Self.progressInterval)
    }

    /// What went over the connections before is not to be counted, nor the time it took.
    private func beginCounting() {
        warmupTimer = nil
        startProcessorTime = ProcessorTime.usedByThread
        measurement.tally.forgetBytes()
        for case let connection? in connections.values.map(\.connection) {
            measurement.tally.subtractBytes(sent: connection.sentTraffic, received: connection.receivedTraffic)
        }
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
        if phase == .loading {
            // Otherwise the timer is late and about to call; this may be within a message, when traffic is not to be asked for.
            if warmupTimer != nil, !measurement.counts(now) { beginCounting() }
            measurement.stop(at: now, isEarly: limit != nil)
            processorTime = ProcessorTime.usedByThread - startProcessorTime
            endSchedule(isCutShort: limit != nil)
            reportSent()
        }
        phase = .draining
        phaseTimer = Timer(on: loop) { [unowned self] in close(isLate: limit == nil) }
        phaseTimer?.start(after: limit ?? settings.arguments.replyTimeout)
        closeIfAnswered()
    }

    /// Sends until others say that all is sent.
    func leaveSendingToOthers() {
        remainingMessages = .max
        reportSent()
    }

    /// Tells that nothing more is sent, once.
    private func reportSent() {
        guard !hasReportedSent else { return }
        hasReportedSent = true
        post.withLock { $0.sentCount = measurement.tally.sent }
        didSend?()
    }

    /// Closes all connections, as they should be.
    /// - Parameter isLate: Whether replies that are missing have had their time.
    func close(isLate: Bool = false) {
        guard phase != .closing, phase != .over else { return }
        let wasLoaded = phase == .draining
        phase = .closing
        phaseTimer = nil
        paceTimer = nil
        warmupTimer = nil
        replyTimer = nil
        progressTimer = nil
        workload.stopWaiting(isLate: isLate, for: self)
        opener.cancel()
        if wasLoaded { measurement.replyWaitEnded() }
        for connection in connections.values { close(connection) }
        endIfClosed()
    }

    /// Closes a connection, as it should be.
    func close(_ load: LoadConnection) {
        load.isClosing = true
        load.connection?.close(settings.closeFrame)
    }

    /// Waits for nothing any more: what is missing is lost, and connections end without the server's close frame.
    func terminate() {
        drain(limit: .zero)
        close()
        for connection in connections.values { connection.connection?.terminate() }
    }

    /// A connection has ended.
    func ended(_ load: LoadConnection, _ end: ConnectionEnd) {
        guard let connection = load.connection else { return }
        connections[load.number] = nil
        load.connection = nil
        measurement.tally.addBytes(sent: connection.sentTraffic, received: connection.receivedTraffic)
        if load.isClosing { note(end) } else { note(prematureEnd: end) }
        workload.ended(load, for: self)
        switch phase {
        case .opening, .ready: break
        case .loading:
            forget(load)
            if workload.isDeserted(for: self) { drain() } else { drainIfSent() }
        case .draining: closeIfAnswered()
        case .closing, .over: endIfClosed()
        }
    }

    private func endIfClosed() {
        guard phase == .closing, connections.isEmpty else { return }
        phase = .over
        measurement.finish(at: loop.nowNanoseconds)
        didEnd?()
    }
}
