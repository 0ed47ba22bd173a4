import LoadTest
import WSCore

/// One thread of a load test: its loop and its connections. The workload says what is sent.
///
///      open (256 at a time) ─► warm up, load ─► wait for replies ─► close ─► over
///
/// It is confined to its loop and shares nothing with other threads but its ``post``.
final class LoadWorker {
    /// What a worker reports to the thread that directs it.
    struct Reports {
        /// Called when all connections are open, or have failed.
        var didOpen: (() -> Void)?
        /// Called when nothing more is sent, before replies are waited for.
        var didSend: (() -> Void)?
        /// Called when all connections have ended.
        var didEnd: (() -> Void)?
    }

    /// The timers of a load; each is there while it is needed.
    struct Timers {
        /// Ends the phase.
        var phase: Timer?
        /// Ends the warm-up.
        var warmup: Timer?
        /// Gives up replies.
        var replies: Timer?
        /// Reports the progress.
        var progress: Timer?
        /// Goes on in a moment.
        var soon: Timer?
        /// Goes on when the next message is due, or the next connection.
        var pace: PreciseTimer?
    }

    /// The processor time of the thread.
    struct ProcessorMeter {
        private var start = Duration.zero
        /// The time that was used from the last start to the stop.
        private(set) var used = Duration.zero

        /// Measures from now on.
        mutating func begin() {
            start = ProcessorTime.usedByThread
        }

        /// Measures until now.
        mutating func stop() {
            used = ProcessorTime.usedByThread - start
        }
    }

    let settings: BenchSettings
    let loop: EventLoop
    let context: LoadContext
    let workload: any Workload
    let opener: ConnectionOpener
    /// What it tells the thread that directs it.
    let post = Mutex(LoadPost())
    var reports = Reports()
    private(set) var processor = ProcessorMeter()
    /// The first thing that went wrong.
    var failure: Failure?
    var timers = Timers()
    /// Connections that have had their part of the turn.
    lazy var sending = LoadSending(of: self)
    /// Set until it is looked, at the end of the turn, whether replies are missing.
    var isCheckScheduled = false

    private static let progressInterval = Duration.milliseconds(100)

    /// Prepares a load; throws ``Failure/badArgument(what:why:)`` when TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.loop = loop
        let clockOffset = WallTime.now.sinceEpoch.wholeNanoseconds &- loop.nowNanoseconds
        opener = try ConnectionOpener(settings, shard: shard, on: loop)
        context = LoadContext(settings.plan, shard: shard, clockOffset: clockOffset)
        workload = context.makeWorkload()
        timers.pace = PreciseTimer(on: loop) { [unowned self] in goOn() }
        context.host = self
    }

    /// Takes the present time, for all that is done next.
    func takeTime() {
        context.now = loop.nowNanoseconds
    }

    /// Goes on with the present phase when a timer fires.
    func goOn() {
        switch context.phase {
        case .opening: openDue()
        case .loading:
            takeTime()
            workload.goOn()
            context.drainIfSent()
        case .draining: closeIfAnswered()
        case .ready, .closing, .over: break
        }
    }

    // MARK: Opening

    /// Opens the connections, unless opening them is what is measured.
    func open() {
        opener.start(at: loop.nowNanoseconds)
        openDue()
    }

    private func openDue() {
        takeTime()
        let count = settings.plan.mode.load.needsConnections ? context.connectionCount : 0
        while opener.begunCount < count, !opener.isFull {
            if let time = opener.dueTime(by: context.now) {
                timers.pace?.start(at: time)
                break
            }
            openConnection(countsTime: true) { _ in }
        }
        guard opener.begunCount == count, opener.openingCount == 0 else { return }
        context.phase = .ready
        post.withLock { $0 = LoadPost(openCount: context.connections.count, failure: failure) }
        reports.didOpen?()
    }

    // MARK: Load

    /// Begins to send.
    /// - Parameter time: When the load begins, which is now or was just before.
    func start(at time: UInt64) {
        guard context.phase == .ready else { return }
        context.begin(workload, at: time)
        let plan = settings.plan
        if let duration = plan.duration {
            timers.phase = Timer(on: loop) { [unowned self] in drain() }
            // The loop's timers may be early by what is left of a millisecond.
            timers.phase?.start(after: plan.warmup + duration + .milliseconds(1))
        }
        beginCounting()
        if plan.warmup > .zero {
            timers.warmup = Timer(on: loop) { [unowned self] in beginCounting() }
            timers.warmup?.start(after: plan.warmup)
        }
        startProgressTimer()
        startReplyTimer()
        takeTime()
        workload.begin()
        if workload.isDeserted { drain() }
        goOn()
    }

    private func startProgressTimer() {
        guard settings.showsProgress else { return }
        timers.progress = Timer(on: loop) { [unowned self] in
            let progress = context.progress(at: loop.nowNanoseconds)
            post.withLock { $0.progress = progress }
        }
        timers.progress?.start(after: Self.progressInterval, every: Self.progressInterval)
    }

    /// Has replies given up that are not there in time.
    private func startReplyTimer() {
        let timeout = settings.plan.replyTimeout
        timers.replies = Timer(on: loop) { [unowned self] in giveUpReplies() }
        timers.replies?.start(after: timeout, every: timeout / 4)
    }

    private func giveUpReplies() {
        takeTime()
        let timeout = settings.plan.replyTimeout.wholeNanoseconds
        guard context.now > timeout else { return }
        context.giveUpReplies(before: context.now - timeout)
        if context.phase == .loading {
            if context.findsStandstill() { drain() }
            context.drainIfSent()
        } else {
            closeIfAnswered()
        }
    }

    /// Leaves out what went over the connections before, and the time it took.
    private func beginCounting() {
        timers.warmup = nil
        processor.begin()
        context.beginCountingBytes()
    }

    /// Sends no more, and waits for the replies that are missing.
    /// - Parameter limit: The longest wait; nil: as long as a reply may take.
    func drain(limit: Duration?) {
        switch context.phase {
        case .opening, .ready: return close()
        case .closing, .over: return
        case .draining where limit == nil: return
        case .loading, .draining: break
        }
        takeTime()
        if context.phase == .loading {
            // Otherwise the timer is late and about to call; this may be within a message, when traffic is not to be asked for.
            if timers.warmup != nil, !context.measurement.counts(context.now) { beginCounting() }
            processor.stop()
            timers.pace = nil
            context.endSending(isCutShort: limit != nil)
        }
        context.phase = .draining
        timers.phase = Timer(on: loop) { [unowned self] in close(isLate: limit == nil) }
        timers.phase?.start(after: limit ?? settings.plan.replyTimeout)
        closeIfAnswered()
    }

    // MARK: End

    /// Closes all connections with closing handshakes.
    /// - Parameter isLate: Whether replies that are missing have had their time.
    func close(isLate: Bool = false) {
        guard context.phase != .closing, context.phase != .over else { return }
        let wasLoaded = context.phase == .draining
        context.phase = .closing
        timers = Timers()
        workload.stopWaiting(isLate: isLate)
        opener.cancel()
        if wasLoaded { context.measurement.replyWaitEnded() }
        for connection in context.connections.values { close(connection) }
        endIfClosed()
    }

    /// Waits for nothing any more: what is missing is lost, and connections end without the server's close frame.
    func terminate() {
        drain(limit: .zero)
        close()
        for connection in context.connections.values { connection.port?.terminate() }
    }

    /// Ends the run of the thread when the last connection has ended.
    func endIfClosed() {
        guard context.phase == .closing, context.connections.isEmpty else { return }
        context.phase = .over
        context.measurement.finish(at: loop.nowNanoseconds)
        reports.didEnd?()
    }
}
