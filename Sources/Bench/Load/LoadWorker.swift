import LoadTest
import UserInterface
import WSCore

/// A thread of a load test with its loop and its connections. The workload decides what to send.
///
///      open (256 at once) ─► warm up, load ─► wait for replies ─► close ─► over
///
/// A worker is confined to its loop and shares only its ``post`` with other threads.
final class LoadWorker {
    /// Notifications to the main thread.
    struct Reports {
        /// Called when all connections are open or have failed.
        var didOpen: (() -> Void)?
        /// Called when sending has ended, before the wait for replies.
        var didSend: (() -> Void)?
        /// Called when all connections have ended.
        var didEnd: (() -> Void)?
    }

    /// The timers of a load, each set while it is needed.
    struct Timers {
        /// Ends the phase.
        var phase: Timer?
        /// Ends the warm-up.
        var warmup: Timer?
        /// Gives up on servers that do not become ready.
        var readiness: Timer?
        /// Times out replies.
        var replies: Timer?
        /// Reports the progress.
        var progress: Timer?
        /// Continues in the next turn.
        var soon: Timer?
        /// Continues when the next message or connection is due.
        var pace: Timer?
        /// Measures the delay of the thread.
        var lag: Timer?
        /// Continues at the deadline of a step.
        var deadline: Timer?
    }

    /// Measures the processor time of a thread, and its waits for a processor.
    struct ProcessorMeter {
        private var start = (used: Duration.zero, waited: Duration.zero)
        /// The time used from ``begin()`` to ``stop()``.
        private(set) var used = Duration.zero
        /// The time waited from ``begin()`` to ``stop()``.
        private(set) var waited = Duration.zero

        /// Starts measuring.
        mutating func begin() {
            start = (ProcessorTime.usedByThread, ProcessorTime.waitedByThread)
        }

        /// Stops measuring.
        mutating func stop() {
            (used, waited) = (
                ProcessorTime.usedByThread - start.used, ProcessorTime.waitedByThread - start.waited
            )
        }
    }

    let settings: BenchSettings
    let loop: EventLoop
    let context: LoadContext
    let workload: any Workload
    let opener: ConnectionOpener
    /// The state shared with the main thread.
    let post = Mutex(LoadPost())
    var reports = Reports()
    private(set) var processor = ProcessorMeter()
    var failures = LoadFailures()
    var timers = Timers()
    /// The steps whose first failure has been reported.
    var failedSteps: Set<String> = []
    /// The connections that continue sending in the next turn.
    lazy var sending = LoadSending(of: self)
    /// Opens connections during the load.
    lazy var reopener = ConnectionReopener(of: self)
    private var standstill = StandstillDetector()
    /// Whether a check for outstanding replies is scheduled for the end of the turn.
    var isCheckScheduled = false

    private static let progressInterval = Duration.milliseconds(100)

    /// Prepares a load.
    /// - Throws: ``Failure/badArgument(what:why:)`` if TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.loop = loop
        context = LoadContext(settings.plan, shard: shard, clockOffset: loop.clockOffset)
        opener = try ConnectionOpener(settings, shard: shard, rows: context.factory.rows, on: loop)
        context.measurement.samples = settings.sampleFile?.samples(of: shard)
        workload = context.makeWorkload()
        timers.pace = Timer(on: loop) { [unowned self] in continuePhase() }
        context.host = self
    }

    /// Reads the clock for the following work.
    func takeTime() {
        context.now = loop.nowNanoseconds
    }

    /// Continues the current phase when a timer fires.
    func continuePhase() {
        switch context.phase {
        case .opening: openDue()
        case .loading:
            takeTime()
            reopener.openDue()
            workload.sendDue()
            context.drainIfSent()
        case .draining: closeIfAnswered()
        case .ready: reopener.openDue()
        case .closing, .over: break
        }
    }

    // MARK: Opening

    /// Opens the connections, unless the workload opens them as part of the load.
    func open() {
        opener.start(at: loop.nowNanoseconds)
        if settings.plan.hasLogin { startReadinessTimer() }
        openDue()
    }

    /// Starts the timer that gives up on servers that do not become ready.
    func startReadinessTimer() {
        let limit = settings.plan.conversation.readinessTimeout
        timers.readiness = Timer(on: loop) { [unowned self] in
            takeTime()
            guard context.now > limit.nanoseconds else { return }
            for connection in context.connections.lateLogins(before: context.now - limit.nanoseconds) {
                let failure =
                    settings.arguments.exchange.ready.map { Failure.notReady($0, after: limit) }
                    ?? application(.notReady(after: limit))
                note(failure, as: .timeout)
                context.stopAwaiting(connection)
                close(connection)
            }
            wakeSoon()
        }
        timers.readiness?.start(after: limit, every: limit / 4)
    }

    private func openDue() {
        takeTime()
        let count = settings.plan.opensConnectionsFirst ? context.connectionCount : 0
        while opener.begunCount < count, !opener.isFull {
            if let time = opener.dueTime(by: context.now) {
                timers.pace?.start(at: time)
                break
            }
            _ = openConnection(countsTime: true) { _ in }
        }
        guard opener.begunCount == count, opener.openingCount == 0, context.connections.unready.isEmpty else { return }
        timers.readiness = nil
        context.phase = .ready
        post.withLock {
            $0.openCount = context.connections.usableCount
            $0.failure = failures.first
            $0.redirectNotice = opener.redirectNotice
        }
        reports.didOpen?()
    }

    // MARK: Load

    /// Starts the load.
    /// - Parameter time: The start of the load, which is now or just before.
    func start(at time: UInt64) {
        guard context.phase == .ready else { return }
        context.begin(workload, at: time)
        let plan = settings.plan
        if let duration = plan.duration {
            timers.phase = Timer(on: loop) { [unowned self] in drain() }
            timers.phase?.start(after: plan.warmup + duration)
        }
        beginCounting()
        if plan.warmup > .zero {
            timers.warmup = Timer(on: loop) { [unowned self] in beginCounting() }
            timers.warmup?.start(after: plan.warmup)
        }
        startProgressTimer()
        startReplyTimer()
        measureLag()
        takeTime()
        workload.begin()
        if workload.isDeserted { drain() }
        continuePhase()
    }

    private func startProgressTimer() {
        timers.progress = Timer(on: loop) { [unowned self] in
            let progress = context.takeProgress(at: loop.nowNanoseconds)
            post.withLock { $0.progress.update(progress) }
        }
        timers.progress?.start(after: Self.progressInterval, every: Self.progressInterval)
    }

    private func measureLag() {
        var time = loop.nowNanoseconds
        timers.lag = Timer(on: loop) { [unowned self] in
            guard context.phase == .loading else { return }
            time = context.measurement.awake(since: time, now: loop.nowNanoseconds)
            timers.lag?.start(at: time)
        }
        timers.lag?.start(at: time)
    }

    /// Starts the timer that times out replies.
    private func startReplyTimer() {
        let timeout = settings.plan.replies.timeout
        timers.replies = Timer(on: loop) { [unowned self] in giveUpReplies() }
        timers.replies?.start(after: timeout, every: timeout / 4)
    }

    private func giveUpReplies() {
        takeTime()
        let timeout = settings.plan.replies.timeout.nanoseconds
        guard context.now > timeout else { return }
        context.giveUpReplies(before: context.now - timeout)
        if context.phase == .loading {
            if standstill.check(context) { drain() }
            context.drainIfSent()
        } else {
            closeIfAnswered()
        }
    }

    /// Resets the byte counts and the processor time, to exclude everything before this point.
    private func beginCounting() {
        timers.warmup = nil
        processor.begin()
        context.beginCountingBytes()
    }

    /// Stops sending and waits for outstanding replies.
    /// - Parameter limit: The maximum wait, or `nil` to wait for the reply timeout.
    func drain(limit: Duration?) {
        switch context.phase {
        case .opening, .ready: return close()
        case .closing, .over: return
        case .draining where limit == nil: return
        case .loading, .draining: break
        }
        takeTime()
        if context.phase == .loading {
            // Otherwise the warm-up timer is only late and about to fire. This may run within a message callback, where
            // traffic must not be read.
            if timers.warmup != nil, !context.measurement.counts(context.now) { beginCounting() }
            processor.stop()
            timers.pace = nil
            reopener.cancel()
            context.endSending(isCutShort: limit != nil)
            context.phase = .draining
            workload.sendingEnded(isTimed: limit != nil || settings.plan.duration != nil)
        }
        let wait = limit ?? settings.plan.replies.drain.map { min($0, workload.replyWait) } ?? workload.replyWait
        timers.phase = Timer(on: loop) { [unowned self] in close(isLate: wait == workload.replyWait) }
        timers.phase?.start(after: wait)
        closeIfAnswered()
    }

    // MARK: End

    /// Closes all connections with closing handshakes.
    /// - Parameter isLate: Whether outstanding replies have timed out.
    func close(isLate: Bool = false) {
        guard context.phase != .closing, context.phase != .over else { return }
        let wasLoaded = context.phase == .draining
        context.phase = .closing
        takeTime()
        workload.stopWaiting(isLate: isLate)
        timers = Timers()
        reopener.cancel()
        opener.cancel()
        if wasLoaded { context.measurement.replyWaitEnded() }
        context.endCountingBytes()
        for connection in context.connections.values { close(connection) }
        endIfClosed()
    }

    /// Ends at once: outstanding replies are lost, and connections end without the server's close frame.
    func terminate() {
        drain(limit: .zero)
        close()
        for connection in context.connections.values { connection.port?.terminate() }
    }

    /// Ends the thread's run when the last connection has ended.
    func endIfClosed() {
        guard context.phase == .closing, context.connections.isEmpty else { return }
        context.phase = .over
        context.measurement.finish(at: loop.nowNanoseconds)
        context.measurement.tally.openings.requestedSeconds = opener.requestedSeconds
        context.endCountingBytes()
        context.releaseConnections()
        reports.didEnd?()
    }
}
