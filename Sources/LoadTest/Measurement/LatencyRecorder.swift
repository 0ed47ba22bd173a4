import WSCore

/// Records latencies and counts, in total and for each second of a run.
struct LatencyRecorder: ~Copyable {
    /// The latencies of all completed seconds, in nanoseconds.
    private(set) var total = Histogram()
    /// The completed seconds.
    private(set) var seconds: [BenchSecond] = []
    /// The exact values of their latencies, which their encoded histograms lack.
    private var exactValues: [ExactValues] = []
    private var startTime: UInt64 = 0
    /// The number of these that ``takeSeconds()`` has returned.
    private var takenCount = 0
    private var current = Histogram()
    /// The latencies of messages that were counted in an earlier second.
    private var confirmed = Histogram()
    private var sentCount = 0
    /// The number of received messages without a latency.
    private var arrivalCount = 0
    /// The end of the current second, on the loop's clock in nanoseconds.
    private var secondEnd: UInt64 = .max { didSet { attentionTime = stages == nil ? secondEnd : 0 } }
    private var windowEnd: UInt64 = .max
    /// From this time on, recording takes more than counting: the end of the second, or 0 with stages.
    private var attentionTime: UInt64 = .max
    /// The stages of the load, or `nil` if there are none.
    private(set) var stages: StageRecorder?

    private static let secondNanoseconds: UInt64 = 1_000_000_000

    private struct ExactValues {
        var minimum = UInt64.max
        var maximum: UInt64 = 0
        var sum: UInt128 = 0
    }

    /// Starts the first second.
    /// - Parameters:
    ///   - time: The start of the recording.
    ///   - end: The end of the last second, which may be shorter than the others.
    ///   - stages: The stages of the load, which begin at the same time.
    mutating func start(at time: UInt64, until end: UInt64, stages: LoadStages? = nil) {
        self.stages = stages.map { StageRecorder($0, from: time) }
        startTime = time
        windowEnd = end
        secondEnd = min(time + Self.secondNanoseconds, end)
    }

    /// Records the latency of a reply received now, or of several.
    @inline(__always)
    mutating func record(_ latency: UInt64, count: Int = 1, at time: UInt64) {
        if time >= attentionTime { attend(to: latency, count: count, at: time) }
        current.record(latency, count: count)
    }

    private mutating func attend(to latency: UInt64, count: Int, at time: UInt64) {
        advance(to: time)
        guard let stage = stages?.stage(at: time - latency) else { return }
        stage.tally.received += count
        stage.latencies.record(latency, count: count)
    }

    /// Counts messages sent now. After the end, they count in the last second, in which they were due.
    @inline(__always)
    mutating func recordSent(_ count: Int = 1, dueAt dueTime: UInt64, at time: UInt64) {
        if time >= attentionTime {
            advance(to: time)
            stages?.stage(at: dueTime).tally.sent += count
        }
        if secondEnd == .max, !seconds.isEmpty {
            seconds[seconds.count - 1].sent &+= count
        } else {
            sentCount &+= count
        }
    }

    /// Counts a message without a latency received now.
    /// - Parameter dueTime: When the message was due that it answers, or `nil` if it answers none.
    mutating func recordArrival(at time: UInt64, dueAt dueTime: UInt64? = nil) {
        if time >= attentionTime {
            advance(to: time)
            stages?.stage(at: dueTime ?? time).tally.received += 1
        }
        arrivalCount &+= 1
    }

    /// Records the latency of a message received now that was sent elsewhere.
    mutating func recordArrival(at time: UInt64, latency: UInt64) {
        if time >= attentionTime {
            advance(to: time)
            stages?.stage(at: time).tally.received += 1
        }
        current.record(latency)
    }

    /// Whether a second has ended by a time.
    @inline(__always)
    func hasEndedSecond(by time: UInt64) -> Bool { time >= secondEnd }

    /// Sets the counts at the end of the seconds that have no counts yet.
    mutating func setCounts(_ tally: LoadTally) {
        for index in seconds.indices.reversed() {
            guard seconds[index].counts == nil else { return }
            seconds[index].counts = tally
        }
    }

    /// Completes the seconds that have ended by a time.
    mutating func advance(to time: UInt64) {
        while time >= secondEnd {
            endSecond()
            secondEnd = secondEnd == windowEnd ? .max : min(secondEnd + Self.secondNanoseconds, windowEnd)
        }
    }

    /// The seconds that have been completed since the last call.
    mutating func takeSeconds() -> [BenchSecond] {
        defer { takenCount = seconds.count }
        return Array(seconds[takenCount...])
    }

    /// Completes the last second, which may be shorter. Later replies count only in the total.
    mutating func end(at time: UInt64) {
        advance(to: time)
        if secondEnd != .max, current.totalCount > 0 || sentCount > 0 || arrivalCount > 0 { endSecond() }
        secondEnd = .max
    }

    /// Adds later replies to the total.
    mutating func finish() {
        addCurrent()
        total.add(confirmed)
        confirmed.removeAll()
    }

    private mutating func addCurrent() {
        total.add(current)
        current.removeAll()
    }

    /// Records the latency of a message that was counted without one.
    mutating func confirm(_ latency: UInt64, dueAt dueTime: UInt64) {
        confirmed.record(latency)
        stages?.stage(at: dueTime).latencies.record(latency)
    }

    /// Removes the latencies recorded in the seconds of two times and between, and of messages due in these stages.
    /// Returns their number. The messages remain counted.
    mutating func omit(since time: UInt64, until end: UInt64) -> Int {
        advance(to: end)
        let first = time > startTime ? Int((time - startTime) / Self.secondNanoseconds) : 0
        let last = end > startTime ? Int((end - startTime) / Self.secondNanoseconds) : 0
        // It is unknown in which second they were due.
        var omittedCount = Int(clamping: confirmed.totalCount)
        confirmed.removeAll()
        // After the end of the last second, these are late replies, which belong to none.
        if last >= seconds.count || secondEnd == .max {
            omittedCount += Int(clamping: current.totalCount)
            arrivalCount += Int(clamping: current.totalCount)
            current.removeAll()
        }
        for index in seconds.indices.prefix(last + 1).dropFirst(first) where exactValues[index].maximum > 0 {
            let latencies = seconds[index].readableHistogram()
            omittedCount += Int(clamping: latencies.totalCount)
            total.subtract(latencies)
            let counts = seconds[index].counts
            seconds[index] = BenchSecond(
                sent: seconds[index].sent, received: seconds[index].received, latencies: Histogram())
            seconds[index].counts = counts
            exactValues[index] = ExactValues()
        }
        _ = total.refine(
            minimum: exactValues.map(\.minimum).min(), maximum: exactValues.map(\.maximum).max(),
            sum: exactValues.reduce(0) { $0 + $1.sum })
        var start: UInt64 = 0
        stages?.forEach { stage, stageEnd in
            if stageEnd > time, start <= end { stage.latencies.removeAll() }
            start = stageEnd
        }
        return omittedCount
    }

    private mutating func endSecond() {
        seconds.append(
            BenchSecond(
                sent: sentCount, received: Int(clamping: current.totalCount) + arrivalCount, latencies: current))
        exactValues.append(
            current.totalCount == 0
                ? ExactValues()
                : ExactValues(minimum: current.minimum, maximum: max(1, current.maximum), sum: current.sum))
        (sentCount, arrivalCount) = (0, 0)
        addCurrent()
    }
}
