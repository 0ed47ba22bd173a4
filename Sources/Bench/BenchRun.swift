import Formats
import LoadTest
import Peer
import UserInterface
import WSCore

/// A run of `wsx bench`: opens connections, applies the load, and writes the results.
package final class BenchRun {
    private let settings: BenchSettings
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let pool: WorkerPool
    /// The workers, after their threads have ended.
    private var workers: [LoadWorker] = []
    private let embeddedEcho: EmbeddedEcho
    private let monitor: LiveMonitor
    private let outputs: ResultOutputs
    private var startTime = WallTime.now
    private let launchTime: Duration
    /// The failure to open some connections, which has already been reported.
    private var reportedFailure: Failure?
    private var hasReportedRedirect = false
    /// The signal or time limit that ended the run early.
    private var earlyFailure: Failure?
    private var timers = Timers()
    private var stopRequests: StopRequests?

    /// The timers of a run, each set while it is needed.
    private struct Timers {
        /// Starts the load.
        var start: Timer?
        /// Ends a run that is ending early.
        var hurry: Timer?
    }

    /// Prepares a run.
    package init(_ settings: BenchSettings, on loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        var settings = settings
        embeddedEcho = EmbeddedEcho(on: loop, diagnostics: diagnostics)
        settings.connector = try embeddedEcho.resolving(settings.connector, for: settings.url)
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
        launchTime = loop.now
        pool = WorkerPool(on: loop)
        monitor = try LiveMonitor(settings, of: pool, on: loop, diagnostics: diagnostics)
        outputs = try ResultOutputs(settings.arguments, diagnostics: diagnostics)
        try outputs.check(settings.description)
    }

    /// Runs until the end. Returns the failure, or `nil` if there was none.
    package func run() -> Failure? {
        diagnostics.warnIfInsecure(settings.arguments.client.tls.isInsecure && settings.connector.mayUseTLS)
        if settings.plan.publishedTime != nil {
            diagnostics.notice(
                "wsx: warning: --latency-from compares the clocks of the publishers with the one of this machine; "
                    + "synchronize them, for example with NTP")
        }
        for condition in settings.arguments.result.thresholds + settings.arguments.abortConditions {
            guard let step = condition.step(among: settings.plan.conversation.scenario?.stepNames) else { continue }
            diagnostics.notice("wsx: \(condition.metricName) is about the step '\(step)' of the scenario")
        }
        pool.didOpen = { [unowned self] in didOpen() }
        pool.didEnd = { [unowned self] in loop.stop() }
        monitor.didFail = { [unowned self] failure in endEarly(failure) }
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: settings.arguments.timeout, on: loop) { [unowned self] request in
                endEarly(request.failure)
            }
            try pool.open(settings)
        } catch {
            return error
        }
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
        results.reasons = reasons(of: results.tally).map(diagnostics.secrets.masking(line:))
        let hasResults = results.times[.handshake].totalCount > 0 || earlyFailure != nil
        guard hasResults || !settings.plan.mode.load.needsConnections || settings.arguments.result.output != .text
        else {
            // Without any connection, only the reason is worth reporting. The files still list the errors.
            let problem = outputs.writeFiles(results, outputs.judgement(on: results))
            return earlyFailure ?? failure ?? problem
        }
        return report(results)
    }

    /// The failures of all workers.
    private var noted: LoadFailures { workers.reduce(into: LoadFailures()) { $0.add($1.failures) } }
    /// The most important failure of any worker.
    private var failure: Failure? { noted.first }

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
    private func endEarly(_ failure: Failure?) {
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

    /// Adds up the measurements of all threads.
    private func results(of workers: [LoadWorker]) -> BenchResults {
        var description = settings.description
        description.notes = outputs.notes
        let results = BenchResults(
            description, startTime: startTime + settings.plan.warmup, processorTime: ProcessorTime.used)
        for worker in workers {
            results.add(
                worker.context.measurement, processorTime: worker.processor.used, waited: worker.processor.waited)
        }
        results.countMissingDeliveries(to: workers.reduce(0) { $0 + $1.workload.readerCount })
        return results
    }

    /// Writes and judges the results. Returns the most important failure.
    private func report(_ results: BenchResults) -> Failure? {
        monitor.finish(results)
        let judgement = outputs.judgement(on: results)
        let problem = outputs.write(results, judgement)
        let verdict = outputs.failure(of: judgement)
        let outcome = problem ?? earlyFailure ?? failures(of: results.tally).first ?? verdict
        // With results, a line is enough: the server's response would hide them.
        guard results.times[.handshake].totalCount > 0, let failure = outcome, failure.refusal != nil,
            let message = failure.message
        else { return outcome }
        diagnostics.error(message)
        return .reported(failure)
    }
}
