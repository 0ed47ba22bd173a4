import WSCore

/// One run of `wsx bench`: has connections opened and loaded, and writes what was measured.
final class BenchRun {
    private let settings: BenchSettings
    private let loop: EventLoop
    private let console: Console
    private let worker: LoadWorker
    /// The server behind `echo:`.
    private let embeddedEcho: ListenRun?
    private let outputs: ResultOutputs
    private var startTime = WallTime.now
    /// What the processors had spent by then.
    private var startProcessorTime = Duration.zero
    /// Whether what went wrong first has been told.
    private var hasToldFailure = false
    /// The signal that ended the run.
    private var signalFailure: Failure?
    private var hurryTimer: Timer?
    private var signals: [SignalWatcher] = []

    /// How long replies, and then the closing handshakes, may take when a signal ends the run.
    private static let hurriedLimit = Duration.seconds(1)

    /// Prepares a run.
    init(_ settings: BenchSettings, on loop: EventLoop, console: Console) throws(Failure) {
        var settings = settings
        if settings.url.endpoint == .embeddedEcho {
            let echo = try ListenRun(.embeddedEcho(for: settings.connector.request), on: loop, console: console)
            let address = try echo.start()
            settings.connector.destination = .tcp(host: address?.host ?? "", port: address?.port ?? 0)
            embeddedEcho = echo
        } else {
            embeddedEcho = nil
        }
        self.settings = settings
        self.loop = loop
        self.console = console
        worker = try LoadWorker(settings, on: loop)
        outputs = try ResultOutputs(settings.arguments, console: console)
        try outputs.check(settings.description)
    }

    /// Runs, and returns why it did not end as asked, if it did not.
    func run() -> Failure? {
        signals = [
            SignalWatcher(.interrupt, on: loop) { [unowned self] in signalled(.interrupted) },
            SignalWatcher(.terminate, on: loop) { [unowned self] in signalled(.terminated) },
            SignalWatcher(.hangUp, on: loop) { [unowned self] in signalled(.hungUp) },
            SignalWatcher(.quit, on: loop) { [unowned self] in signalled(.quit) },
        ].compactMap { $0 }
        if settings.arguments.tls.isInsecure {
            console.notice("wsx: warning: certificates are not verified (--insecure)")
        }
        worker.didOpen = { [unowned self] in didOpen() }
        worker.didEnd = { [unowned self] in loop.stop() }
        worker.open()
        loop.run()
        hurryTimer = nil
        // Without a connection there is nothing to tell but why.
        guard worker.handshakes.totalCount > 0 else { return signalFailure ?? worker.failure }
        return report()
    }

    private func didOpen() {
        guard !worker.connections.isEmpty else { return worker.close() }
        if let failure = worker.failure?.message {
            hasToldFailure = true
            let openCount = worker.connections.count
            console.error("\(failure); going on with \(openCount) of \(settings.arguments.connectionCount) connections")
        }
        startTime = WallTime.now
        startProcessorTime = ProcessorTime.used
        worker.start()
    }

    /// Ends early: replies have a moment to come, and so have close frames. A second signal ends at once.
    private func signalled(_ failure: Failure) {
        guard signalFailure == nil else { return worker.terminate() }
        signalFailure = failure
        worker.drain(limit: Self.hurriedLimit)
        hurryTimer = Timer(on: loop) { [unowned self] in worker.terminate() }
        hurryTimer?.start(after: Self.hurriedLimit * 2)
    }

    /// Why a run that came to its end is not as it should be.
    private func verdict() -> Failure? {
        if let failure = worker.failure { return hasToldFailure ? .told(failure) : failure }
        if !worker.tally.isFlawless { return .badReplies(worker.tally) }
        guard worker.tally.timeouts > 0 else { return nil }
        return .lateReplies(worker.tally.timeouts, after: settings.arguments.replyTimeout)
    }

    // MARK: Results

    /// Writes the results and judges them; returns the worst of what went wrong.
    private func report() -> Failure? {
        var latencies = Histogram()
        latencies.add(worker.latencies.total)
        var handshakes = Histogram()
        handshakes.add(worker.handshakes)
        let processorTime = ProcessorTime.used
        let results = BenchResults(
            description: settings.description, tally: worker.tally, latencies: latencies, handshakes: handshakes,
            // A message is sent for each reply.
            seconds: worker.latencies.seconds.map {
                BenchSecond(sent: $0.received, received: $0.received, histogram: $0.histogram)
            },
            duration: .nanoseconds(Int64(clamping: worker.endTime &- worker.startTime)),
            processorTime: processorTime, loadProcessorTime: processorTime - startProcessorTime, startTime: startTime)
        let judgement = outputs.judgement(on: results)
        let problem = outputs.write(results, judgement)
        let verdict = outputs.failure(of: judgement)
        return problem ?? signalFailure ?? self.verdict() ?? verdict
    }
}
