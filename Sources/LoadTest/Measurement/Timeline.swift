/// What happens in each second of a load besides messages: connections, handshakes, and errors.
package struct Timeline: Equatable, Sendable {
    /// What is counted together in ``errors``.
    internal enum Fault: Hashable, Sendable {
        /// Errors with a known cause.
        case cause(ErrorCause)
        /// Errors without a known cause, or messages with a fault, by the name of their count in JSON.
        case count(String)
    }

    /// The number of open connections at the end of each second, or `nil` in results of earlier versions.
    internal var openCounts: [Int]? = []
    /// The handshakes of each second with any, ordered by number.
    internal var handshakes: [PartResults.Second] = []
    /// The handshakes before messages count. Seconds are counted from the first attempt.
    internal var opening: [PartResults.Second] = []
    /// The number of errors and faults by second; −1 is the time before messages count. Those found after the end of
    /// sending are missing.
    internal var errors: [Fault: [Int: Int]] = [:]

    /// The second that stands for the time before messages count.
    internal static let before = -1

    /// Adds the timeline of another load that ran at the same time.
    internal mutating func add(_ other: Timeline) throws(BenchResultsError) {
        if let others = other.openCounts, var sums = openCounts {
            for (second, count) in others.enumerated() {
                if second < sums.count {
                    sums[second] = try sums[second].adding(checking: count)
                } else {
                    sums.append(count)
                }
            }
            openCounts = sums
        } else {
            openCounts = nil
        }
        try handshakes.add(bySecond: other.handshakes)
        try opening.add(bySecond: other.opening)
        for (fault, counts) in other.errors {
            for (second, count) in counts {
                errors[fault, default: [:]][second] = try (errors[fault]?[second] ?? 0).adding(checking: count)
            }
        }
    }
}

/// Records the timeline of one thread.
struct TimelineRecorder: ~Copyable {
    private var openCounts: [Int] = []
    /// The number of open connections at the last sample.
    private var openCount = 0
    /// The second of the last sample.
    private var second = Timeline.before
    private var errors: [Timeline.Fault: [Int: Int]] = [:]
    /// The errors and faults that have been added to ``errors``.
    private var counted: [Timeline.Fault: Int] = [:]
    /// The errors whose causes are known.
    private var caused = LoadTally()
    private var handshakes: SecondRecorder?
    private var opening: SecondRecorder?
    /// When the first connection was begun, on the loop's clock in nanoseconds.
    private var openingStart: UInt64?

    /// Records that an error has a known cause.
    mutating func count(causedError kind: LoadErrorKind) { caused.errors[kind] += 1 }

    /// Records a handshake.
    mutating func record(handshake nanoseconds: UInt64, inSecond second: Int) {
        let recorder = handshakes ?? SecondRecorder()
        recorder.record(nanoseconds, inSecond: second)
        handshakes = recorder
    }

    /// Records a handshake that ends now, before messages count.
    mutating func record(opening nanoseconds: UInt64, at now: UInt64) {
        let start = openingStart ?? now - min(now, nanoseconds)
        openingStart = start
        let recorder = opening ?? SecondRecorder()
        recorder.record(nanoseconds, inSecond: Int((now - start) / 1_000_000_000))
        opening = recorder
    }

    /// Assigns the errors since the last sample to its second; to be called at the beginning of each second and more
    /// often.
    mutating func sample(_ tally: LoadTally, openCount: Int, inSecond now: Int) {
        for (cause, count) in tally.causes.sorted { add(.cause(cause), count) }
        for count in CountGroup.errors.counts {
            add(.count("\(count.name)"), tally[keyPath: count.path] - caused[keyPath: count.path])
        }
        for count in CountGroup.faults where count.fault == .onArrival {
            add(.count("\(count.name)"), tally[keyPath: count.path])
        }
        self.openCount = openCount
        while openCounts.count < now { openCounts.append(openCount) }
        second = now
    }

    private mutating func add(_ fault: Timeline.Fault, _ count: Int) {
        // A fault that proves to be another decreases its count.
        let new = count - counted[fault, default: 0]
        guard new > 0 else { return }
        counted[fault] = count
        errors[fault, default: [:]][second, default: 0] += new
    }

    /// The timeline of a load with this many seconds.
    func timeline(secondCount: Int) -> Timeline {
        let missing = max(0, secondCount - openCounts.count)
        return Timeline(
            openCounts: openCounts.prefix(secondCount) + Array(repeating: openCount, count: missing),
            handshakes: handshakes?.seconds ?? [], opening: opening?.seconds ?? [], errors: errors)
    }
}
