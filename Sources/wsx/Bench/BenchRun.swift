import WSCore

/// One run of `wsx bench`: has connections opened and loaded, and writes what was measured.
final class BenchRun {
    private let settings: BenchSettings
    private let loop: EventLoop
    private let console: Console
    private let crew: LoadCrew
    /// Those whose threads have ended.
    private var workers: [LoadWorker] = []
    /// The server behind `echo:`.
    private let embeddedEcho: ListenRun?
    private let outputs: ResultOutputs
    private var startTime = WallTime.now
    /// Whether what went wrong first has been told.
    private var hasToldFailure = false
    /// The signal that ended the run.
    private var signalFailure: Failure?
    private var hurryTimer: Timer?
    private var signals: [SignalWatcher] = []

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
        crew = LoadCrew(on: loop)
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
        crew.didOpen = { [unowned self] in didOpen() }
        crew.didEnd = { [unowned self] in loop.stop() }
        do throws(Failure) {
            try crew.open(settings)
        } catch {
            return error
        }
        loop.run()
        hurryTimer = nil
        workers = crew.join()
        // Without a connection there is nothing to tell but why.
        guard workers.contains(where: { $0.handshakes.totalCount > 0 }) else { return signalFailure ?? failure }
        return report()
    }

    /// The first thing that went wrong.
    private var failure: Failure? { workers.lazy.compactMap(\.failure).first }

    private func didOpen() {
        let openCount = crew.openCount
        guard openCount > 0 || settings.arguments.mode == .connect else { return crew.drain() }
        if let failure = crew.openingFailure?.message {
            hasToldFailure = true
            console.error("\(failure); going on with \(openCount) of \(settings.arguments.connectionCount) connections")
        }
        startTime = WallTime.now
        crew.start(at: loop.nowNanoseconds)
    }

    /// Ends early: replies have a moment to come, and so have close frames. A second signal ends at once.
    private func signalled(_ failure: Failure) {
        guard signalFailure == nil else { return crew.terminate() }
        signalFailure = failure
        crew.drain()
        hurryTimer = Timer(on: loop) { [unowned self] in crew.terminate() }
        hurryTimer?.start(after: LoadCrew.hurriedLimit * 2)
    }

    /// Why a run that came to its end is not as it should be.
    private func verdict(on tally: LoadTally) -> Failure? {
        if let failure { return hasToldFailure ? .told(failure) : failure }
        if !tally.isFlawless { return .badReplies(tally) }
        guard tally.timeouts > 0 else { return nil }
        return .lateReplies(tally.timeouts, after: settings.arguments.replyTimeout)
    }

    // MARK: Results

    /// Writes the results and judges them; returns the worst of what went wrong.
    private func report() -> Failure? {
        let results = BenchResults(settings.description, of: workers, startTime: startTime + settings.warmup)
        let judgement = outputs.judgement(on: results)
        let problem = outputs.write(results, judgement)
        let verdict = outputs.failure(of: judgement)
        return problem ?? signalFailure ?? self.verdict(on: results.tally) ?? verdict
    }
}
