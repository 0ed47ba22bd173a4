import LoadTest
import UserInterface
import WSCore

/// Shows the progress of a run on the terminal.
final class BenchProgress {
    private let settings: BenchSettings
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    private var isShown = false
    private var startTime: UInt64?
    private var endTime: UInt64?
    private var samples: [(time: UInt64, count: Int)] = []
    private var rates: [Double] = []

    /// The number of calls of ``show(_:)`` over which the shown rate is averaged.
    private static let intervalsOfRate = 4
    /// The assumed width of a terminal that does not report its size.
    private static let usualColumns = 80
    /// Moves to the beginning of the line, and erases the rest of it.
    private static let lineStart = "\r"
    private static let eraseRest = "\u{1B}[K"

    /// Whether progress is shown: standard error is a terminal and the run is not quiet.
    static func isWanted(by arguments: BenchArguments) -> Bool {
        !arguments.display.isQuiet && StandardDescriptors.isTerminal(StandardDescriptors.error)
    }

    /// Prepares to show the progress of a run.
    init(_ settings: BenchSettings, on loop: EventLoop, diagnostics: Diagnostics) {
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
    }

    /// Starts showing the progress.
    /// - Parameter time: The start of the load, on the loop's clock in nanoseconds.
    func start(at time: UInt64) {
        startTime = time
        endTime = settings.plan.duration.map { time + settings.plan.warmup.nanoseconds + $0.nanoseconds }
        samples = [(max(time, loop.nowNanoseconds), 0)]
    }

    /// Erases the line.
    func stop() {
        guard isShown else { return }
        isShown = false
        diagnostics.show(Self.lineStart + Self.eraseRest)
    }

    /// Shows the results so far; to be called at regular intervals.
    func show(_ live: borrowing LiveResults) {
        let now = loop.nowNanoseconds
        let count = settings.plan.mode.metrics.rate.of(sent: live.tally.sent, received: live.tally.received)
        guard let last = samples.last, now > last.time else { return }
        let columns = ScreenSize.current(isPrompt: false)?.columns ?? Self.usualColumns
        rates.append(Double(count - last.count) / Double(now - last.time) * 1e9)
        if rates.count > ProgressLine.barCount { rates.removeFirst() }
        samples.append((now, count))
        if samples.count > Self.intervalsOfRate + 1 { samples.removeFirst() }
        let line = ProgressLine(
            rest: rest(at: now, live), rate: Double(count - samples[0].count) / Double(now - samples[0].time) * 1e9,
            rates: rates, latencies: live.latencies, connectionCount: live.openCount,
            errorCount: live.tally.errors.total, faults: live.tally.faults, steps: live.steps,
            mode: settings.plan.mode, stage: stage(at: now))
        isShown = true
        // Leave the last column free: some terminals wrap there.
        diagnostics.show(Self.lineStart + line.text(columns: columns - 1, diagnostics.palette) + Self.eraseRest)
    }

    private func stage(at now: UInt64) -> (number: Int, count: Int)? {
        guard let plan = settings.description.stages, let startTime else { return nil }
        let time = Duration.nanoseconds(Int64(clamping: max(now, startTime) - startTime))
        return (plan.number(at: time), plan.stages.count)
    }

    private func rest(at now: UInt64, _ live: borrowing LiveResults) -> ProgressLine.Rest {
        if let count = settings.plan.messageCount { return .messages(max(0, count - live.tally.sent)) }
        guard let endTime, endTime > now else { return .time(.zero) }
        return .time(.nanoseconds(Int64(clamping: endTime - now)))
    }
}
