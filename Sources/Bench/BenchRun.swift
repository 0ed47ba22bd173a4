import Formats
import LoadTest
import Peer
import UserInterface
import WSCore

/// A run of `wsx bench`: applies the load, and writes the results.
package final class BenchRun {
    private let settings: BenchSettings
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let embeddedEcho: EmbeddedEcho
    private let metrics: MetricsServer?
    private let outputs: ResultOutputs
    private var load: LoadRun
    private var stopRequests: StopRequests?

    /// Prepares a run.
    package init(_ settings: BenchSettings, on loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        var settings = settings
        embeddedEcho = EmbeddedEcho(on: loop, diagnostics: diagnostics)
        settings.connector = try embeddedEcho.resolving(settings.connector, for: settings.url)
        settings.sampleFile = try SampleFile.make(settings.arguments)
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
        metrics = try settings.arguments.metricsAddress.map { (address) throws(Failure) in
            try MetricsServer(on: address, loop: loop, diagnostics: diagnostics)
        }
        load = LoadRun(settings, metrics: metrics, on: loop, diagnostics: diagnostics)
        outputs = try ResultOutputs(settings.arguments, diagnostics: diagnostics)
        try outputs.check(settings.description)
    }

    /// Runs until the end. Returns the failure, or `nil` if there was none.
    package func run() -> Failure? {
        diagnostics.warnIfInsecure(settings.arguments.client.tls, mayUseTLS: settings.connector.mayUseTLS)
        if settings.plan.publishedTime != nil {
            diagnostics.notice(
                "wsx: warning: --latency-from compares the clocks of the publishers with the one of this machine; "
                    + "synchronize them, for example with NTP")
        }
        let arguments = settings.arguments
        for condition in arguments.result.thresholds + arguments.abortConditions + arguments.goals {
            guard let step = condition.step(among: settings.plan.conversation.scenarios?.names) else { continue }
            diagnostics.notice("wsx: \(condition.metricName) is about the step '\(step)' of the scenario")
        }
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: arguments.timeout, on: loop) { [unowned self] request in
                load.endEarly(request.failure)
            }
            return arguments.goals.isEmpty ? report(try load.run()) : try search(for: arguments.goals)
        } catch {
            return error
        }
    }

    /// Measures rates until the highest one that holds is known, and writes the results of the last measurement at it.
    /// - Parameter goals: The conditions that have to hold.
    /// - Throws: ``Failure`` if a thread cannot start.
    private func search(for goals: [Threshold]) throws(Failure) -> Failure? {
        let mode = settings.plan.mode
        var report = RateSearchReport(from: settings.description.rateAsked ?? 1, for: goals, in: mode)
        // By rate.
        var held: [Int: BenchResults] = [:]
        var last: BenchResults?
        while let rate = report.search.next {
            if last != nil { load = LoadRun(settings.at(rate), metrics: metrics, on: loop, diagnostics: diagnostics) }
            let results = try load.run()
            last = results
            let hasConnections = results.times[.handshake].totalCount > 0 || !mode.load.needsConnections
            if let verdict = goals.lazy.map({ $0.verdict(on: results) }).first(where: \.lacksLatencies) {
                // No rate is known without them.
                results.findings.doubts.append(
                    "the search ended at \(Phrase.grouped(rate)) per second: \(verdict.reason)")
                return self.report(results)
            }
            guard load.earlyFailure == nil, hasConnections else {
                // Nothing is known about this rate.
                guard !report.steps.isEmpty else { return self.report(results) }
                let best = report.search.best.flatMap { held[$0] } ?? results
                best.reasons = results.reasons.map { "at \(Phrase.grouped(rate)) per second: \($0)" }
                return self.report(best, load.earlyFailure ?? load.failure, report)
            }
            _ = load.finish(results)
            let step = report.record(results)
            diagnostics.notice("wsx: step \(report.steps.count): \(step.line)")
            if step.outcome == .held { held[rate] = results }
        }
        guard let results = report.search.best.flatMap({ held[$0] }) ?? last else { return nil }
        results.reasons = [report.failure].compactMap(\.self)
        if let failure = report.failure { diagnostics.error(failure) }
        return self.report(results, report.failure == nil ? nil : .unmetThresholds, report)
    }

    /// Reports on a run without a search. Returns the most important failure.
    private func report(_ results: BenchResults) -> Failure? {
        let hasResults = results.times[.handshake].totalCount > 0 || load.earlyFailure != nil
        guard hasResults || !settings.plan.mode.load.needsConnections || settings.arguments.result.output != .text
        else {
            // Without any connection, only the reason is worth reporting. The files still list the errors.
            results.description.notes = outputs.notes
            let problem = outputs.writeFiles(results, outputs.judgement(on: results))
            return load.failure ?? problem ?? finishSamples(of: results)
        }
        return report(results, load.finish(results), nil)
    }

    private func finishSamples(of results: BenchResults) -> Failure? {
        settings.sampleFile?.finish(omittedCount: results.tally.samplesOmitted, diagnostics)
    }

    /// Writes and judges the results. Returns the most important failure.
    private func report(_ results: BenchResults, _ failure: Failure?, _ search: RateSearchReport?) -> Failure? {
        results.description.notes = outputs.notes
        let judgement = outputs.judgement(on: results, search)
        let problem = outputs.write(results, judgement)
        let verdict = outputs.failure(of: judgement)
        let outcome = finishSamples(of: results) ?? problem ?? failure ?? verdict
        // With results, a line is enough: the server's response would hide them.
        guard results.times[.handshake].totalCount > 0, let failure = outcome, failure.refusal != nil,
            let message = failure.message
        else { return outcome }
        diagnostics.error(message)
        return .reported(failure)
    }
}
