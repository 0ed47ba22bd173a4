import Conversation
import LoadTest
import UserInterface
import WSCore

/// Adds up the results of a running load test, four times per second, and passes them on: to the progress line, standard
/// output, and metrics. Warns about a server that does not echo, and checks the conditions of `--abort`.
final class LiveMonitor {
    private let settings: BenchSettings
    private let pool: WorkerPool
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let progress: BenchProgress?
    private let metrics: MetricsServer?
    private var live: LiveResults
    private var timer: Timer?
    /// The number of seconds that have been written or checked.
    private var reportedCount = 0
    /// The steps whose first failure has been reported.
    private var failedSteps: Set<String> = []
    /// The number of further checks before a missing echo causes a warning, or `nil` if there is nothing to warn about.
    private var checksUntilEchoWarning: Int?
    /// The condition of `--abort` that has ended the run.
    private(set) var unmetCondition: Threshold?
    /// Called once if the run has to end, with the reason. The reason is `nil` if the reader of standard output has closed it.
    var didFail: ((Failure?) -> Void)?

    private static let interval = Duration.milliseconds(250)

    /// Prepares to follow a run.
    init(
        _ settings: BenchSettings, of pool: WorkerPool, metrics: MetricsServer?, on loop: EventLoop,
        diagnostics: Diagnostics
    ) {
        self.settings = settings
        self.pool = pool
        self.loop = loop
        self.diagnostics = diagnostics
        progress =
            settings.showsProgress && diagnostics.terminal != .dumb
            ? BenchProgress(settings, on: loop, diagnostics: diagnostics) : nil
        self.metrics = metrics
        live = LiveResults(settings.description, threadCount: settings.plan.connections.threadCount)
        // Warn within a second, but not because of the first replies of a busy machine.
        checksUntilEchoWarning = settings.plan.mode == .echo ? 2 : nil
    }

    /// Starts with the load.
    /// - Parameter time: The start of the load, on the loop's clock in nanoseconds.
    func start(at time: UInt64) {
        progress?.start(at: time)
        timer = Timer(on: loop) { [unowned self] in check() }
        timer?.start(after: Self.interval, every: Self.interval)
    }

    /// Stops, and erases the progress.
    func stop() {
        timer = nil
        progress?.stop()
    }

    /// Writes the seconds that have not been written, after the end of the run.
    func finish(_ results: BenchResults) {
        reportFailures()
        writeSeconds(of: results)
    }

    /// Whether anything depends on the results so far.
    private var isNeeded: Bool {
        progress != nil || metrics != nil || checksUntilEchoWarning != nil
            || settings.plan.conversation.scenarios != nil
            || settings.arguments.result.output == .jsonl
            || !settings.arguments.abortConditions.isEmpty
    }

    private func check() {
        // Adding up the seconds would cost more than the rest of this thread.
        guard isNeeded else { return timer = nil }
        reportFailures()
        live.update(pool.takeProgress())
        progress?.show(live)
        metrics?.update(live)
        watchEchoes()
        guard live.secondCount > reportedCount else { return }
        writeSeconds(of: live.results)
        checkConditions()
    }

    /// Warns once if the server replies, but not with echoes.
    private func watchEchoes() {
        guard let checks = checksUntilEchoWarning else { return }
        guard live.tally.received == 0 else { return checksUntilEchoWarning = nil }
        guard live.tally.mismatched + live.tally.duplicated > 0 else { return }
        checksUntilEchoWarning = checks == 0 ? nil : checks - 1
        guard checks == 0 else { return }
        progress?.stop()
        diagnostics.notice("wsx: warning: \(Failure.noEchoes)")
    }

    /// Whether a failure of the same step has been reported.
    func hasReported(_ failure: ScenarioFailure) -> Bool { failedSteps.contains(failure.place) }

    /// Reports the first failure of each step.
    private func reportFailures() {
        for failure in pool.takeStepFailures() where failedSteps.insert(failure.place).inserted {
            progress?.stop()
            diagnostics.error("the scenario failed in \(failure)")
        }
    }

    private func writeSeconds(of results: BenchResults) {
        defer { reportedCount = results.secondCount }
        guard settings.arguments.result.output == .jsonl else { return }
        for number in reportedCount..<max(reportedCount, results.secondCount) {
            let line = results.line(ofSecond: number, openCount: live.openCount)
            guard let error = StandardDescriptors.writeAll(line, to: StandardDescriptors.output) else { continue }
            return fail(error == .brokenPipe ? nil : .output(error))
        }
    }

    private func checkConditions() {
        for condition in settings.arguments.abortConditions {
            let verdict = condition.verdict(on: live.results)
            guard !verdict.isMet, verdict.hasValue, !verdict.lacksLatencies else { continue }
            unmetCondition = condition
            return fail(.aborted(verdict, afterSeconds: live.secondCount))
        }
    }

    private func fail(_ failure: Failure?) {
        didFail?(failure)
        didFail = nil
    }
}
