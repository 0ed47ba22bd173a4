import WSCore

/// Records latencies and counts, in total and for each second of a run.
struct LatencyRecorder: ~Copyable {
    /// The latencies of all completed seconds, in nanoseconds.
    private(set) var total = Histogram()
    /// The completed seconds.
    private(set) var seconds: [BenchSecond] = []
    private var current = Histogram()
    private var sentCount = 0
    /// The number of received messages without a latency.
    private var arrivalCount = 0
    /// The end of the current second, on the loop's clock in nanoseconds.
    private var secondEnd: UInt64 = .max
    private var windowEnd: UInt64 = .max

    private static let secondNanoseconds: UInt64 = 1_000_000_000

    /// Starts the first second.
    /// - Parameters:
    ///   - time: The start of the recording.
    ///   - end: The end of the last second, which may be shorter than the others.
    mutating func start(at time: UInt64, until end: UInt64) {
        windowEnd = end
        secondEnd = min(time + Self.secondNanoseconds, end)
    }

    /// Records the latency of a reply received now.
    @inline(__always)
    mutating func record(_ latency: UInt64, at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        current.record(latency)
    }

    /// Counts a message sent now. After the end, it counts in the last second, in which it was due.
    @inline(__always)
    mutating func recordSent(at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        if secondEnd == .max, !seconds.isEmpty { seconds[seconds.count - 1].sent &+= 1 } else { sentCount &+= 1 }
    }

    /// Counts a message without a latency received now.
    mutating func recordArrival(at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        arrivalCount &+= 1
    }

    /// Completes the seconds that have ended by a time.
    mutating func advance(to time: UInt64) {
        while time >= secondEnd {
            endSecond()
            secondEnd = secondEnd == windowEnd ? .max : min(secondEnd + Self.secondNanoseconds, windowEnd)
        }
    }

    /// Completes the last second, which may be shorter. Later replies count only in the total.
    mutating func end(at time: UInt64) {
        advance(to: time)
        if secondEnd != .max, current.totalCount > 0 || sentCount > 0 || arrivalCount > 0 { endSecond() }
        secondEnd = .max
    }

    /// Adds later replies to the total.
    mutating func finish() {
        total.add(current)
        current.removeAll()
    }

    private mutating func endSecond() {
        seconds.append(
            BenchSecond(
                sent: sentCount, received: Int(clamping: current.totalCount) + arrivalCount, latencies: current))
        (sentCount, arrivalCount) = (0, 0)
        finish()
    }
}
