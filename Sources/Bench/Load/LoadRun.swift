import Formats
import LoadTest
import Peer
import UserInterface
import WSCore

/// One load of a run: opens connections, sends, and adds up the measurements.
final class LoadRun {
    private let settings: BenchSettings
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let pool: WorkerPool
    /// The workers, after their threads have ended.
    private var workers: [LoadWorker] = []
    private let monitor: LiveMonitor
    private var startTime = WallTime.now
    private let launchTime: Duration
    /// The failure to open some connections, which has already been reported.
    private var reportedFailure: Failure?
    private var hasReportedRedirect = false
    /// The signal or time limit that ended the run early.
    private(set) var earlyFailure: Failure?
    private var timers = Timers()

    /// The timers of a run, each set while it is needed.
    private struct Timers {
        /// Starts the load.
        var start: Timer?
        /// Ends a run that is ending early.
        var hurry: Timer?
    }

    /// Prepares a load.
    init(
        _ settings: BenchSettings, metrics: MetricsServer?, on loop: EventLoop, diagnostics: Diagnostics
    ) {
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
        launchTime = loop.now
        pool = WorkerPool(on: loop)
        monitor = LiveMonitor(settings, of: pool, metrics: metrics, on: loop, diagnostics: diagnostics)
    }

    /// Runs until the end, and returns the results.
    /// - Throws: ``Failure`` if a thread cannot start.
    func run() throws(Failure) -> BenchResults {
        pool.didOpen = { [unowned self] in didOpen() }
        pool.didEnd = { [unowned self] in loop.stop() }
        monitor.didFail = { [unowned self] failure in endEarly(failure) }
        try pool.open(settings)
        loop.run()
        monitor.stop()
        timers = Timers()
        workers = pool.join()
        let patterns = workers.flatMap(\.workload.patterns)
        for source in Set(patterns.lazy.filter(\.hasGivenUp).map(\.source)).sorted() {
            diagnostics.reportLimit(ofSearching: source)
        }
        report(redirect: workers.lazy.compactMap(\.opener.redirectNotice).first)
        let results = results(of: workers)
        judgeAbort(results)
        results.reasons = reasons(of: results.tally).map(diagnostics.secrets.masking(line:))
        return results
    }

    /// The failures of all workers.
    private var noted: LoadFailures { workers.reduce(into: LoadFailures()) { $0.add($1.failures) } }
    /// The most important failure of any worker.
    var failure: Failure? { noted.first }

    /// Reports the first redirect to another origin.
    private func report(redirect notice: String?) {
        guard let notice, !hasReportedRedirect else { return }
        hasReportedRedirect = true
        diagnostics.notice(notice)
    }

    private func didOpen() {
        report(redirect: pool.redirectNotice)
        let openCount = pool.openCount
        guard openCount > 0 || !settings.plan.opensConnectionsFirst else { return pool.drain() }
        if let failure = pool.openingFailure, let message = failure.message {
            reportedFailure = failure
            diagnostics.error(
                "\(message); continuing with \(openCount) of \(settings.plan.connections.count) connections")
        }
        let delay = startDelay
        if delay < .zero {
            diagnostics.notice(
                "wsx: warning: starting late: --start-at passed \(Phrase.duration(.zero - delay)) ago, before all "
                    + "connections were open; choose a later time")
        }
        startTime = WallTime.now + max(.zero, delay)
        let time = loop.nowNanoseconds + delay.nanoseconds
        timers.start = Timer(on: loop) { [unowned self] in
            pool.start(at: time)
            monitor.start(at: time)
        }
        timers.start?.start(at: time)
    }

    /// The time until the load starts; negative if that time has passed. An absolute start time refers to the system's
    /// clock.
    private var startDelay: Duration {
        switch settings.arguments.load.start {
        case .soon: .zero
        case .moment(let moment): moment - WallTime.now.sinceEpoch
        case .after(let time): launchTime + time - loop.now
        }
    }

    /// Ends the run early, with a short wait for replies and close frames. A second call ends it at once.
    func endEarly(_ failure: Failure?) {
        guard timers.hurry == nil else { return pool.terminate() }
        earlyFailure = failure
        timers.start = nil
        pool.drain()
        timers.hurry = Timer(on: loop) { [unowned self] in pool.terminate() }
        timers.hurry?.start(after: WorkerPool.hurriedLimit * 2)
    }

    /// The failures of a run that came to its end, the most important one first.
    private func failures(of tally: LoadTally) -> [Failure] {
        var failures: [Failure] = []
        if let failure {
            failures.append(isReported(failure) ? .reported(failure) : failure)
        }
        if !tally.isFlawless {
            let reply = workers.lazy.compactMap { $0.context.measurement.mismatchedReply }.first
            failures.append(
                .badReplies(tally, in: settings.plan.mode, mismatched: reply.map { diagnostics.secrets.masking($0) }))
        }
        if failures.isEmpty, let failure = lateReplies(tally) { failures.append(failure.failure) }
        return failures
    }

    /// Finds whether only the delay of wsx has missed the condition of `--abort` that ended the run, or latencies that have
    /// been left out since. The run is then inconclusive.
    private func judgeAbort(_ results: BenchResults) {
        for condition in settings.arguments.abortConditions {
            let verdict = condition.verdict(on: results)
            if verdict.lacksLatencies { results.findings.doubts.append("--abort was not checked: \(verdict.reason)") }
        }
        guard case .aborted? = earlyFailure, let verdict = monitor.unmetCondition?.verdict(on: results),
            verdict.isInconclusive
        else { return }
        earlyFailure = nil
        results.findings.doubts.append("stopped by --abort: \(verdict.reason)")
    }

    private func isReported(_ failure: Failure) -> Bool {
        // Its step has been reported, unless the run ended before the load.
        if case .scenarioFailed(let step) = failure { return monitor.hasReported(step) }
        guard let reportedFailure else { return false }
        return reportedFailure.status == failure.status && reportedFailure.cause == failure.cause
    }

    /// Replies that arrived after their time limit.
    private func lateReplies(_ tally: LoadTally) -> (count: Int, failure: Failure)? {
        let count = tally.errors[.timeout] - noted.count(of: .timeout) - tally.lost
        return count > 0 ? (count, .lateReplies(count, after: settings.plan.replies.timeout)) : nil
    }

    /// Why the run failed, the most frequent reason first, after what ended it early.
    private func reasons(of tally: LoadTally) -> [String] {
        var reasons = noted.reasons
        reasons += zip(
            CountGroup.faults.map { tally[keyPath: $0.path] }.filter { $0 > 0 }, tally.reasons(in: settings.plan.mode)
        )
        .map { ($0, $1) }
        if let (count, failure) = lateReplies(tally) { reasons.append((count, failure.loadTestReason)) }
        let sorted = reasons.sorted { ($1.count, $0.words) < ($0.count, $1.words) }.map(\.words)
        let end = earlyFailure ?? noted.end
        return [end?.loadTestReason].compactMap(\.self) + sorted
    }

    // MARK: Results

    /// Reports what is left to report. Returns the most important failure, or `nil` if there was none.
    func finish(_ results: BenchResults) -> Failure? {
        monitor.finish(results)
        return earlyFailure ?? failures(of: results.tally).first
    }

    /// Adds up the measurements of all threads.
    private func results(of workers: [LoadWorker]) -> BenchResults {
        let results = BenchResults(
            settings.description, startTime: startTime + settings.plan.warmup, processorTime: ProcessorTime.used)
        for worker in workers {
            results.add(
                worker.context.measurement, processorTime: worker.processor.used, waited: worker.processor.waited)
        }
        results.countMissingDeliveries(to: workers.reduce(0) { $0 + $1.workload.readerCount })
        return results
    }
}
