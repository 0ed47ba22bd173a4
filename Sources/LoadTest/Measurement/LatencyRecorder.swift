import WSCore

/// Keeps what was measured: for each second of a run, and the latencies of all of it.
struct LatencyRecorder: ~Copyable {
    /// All latencies of the seconds that are over, in nanoseconds.
    private(set) var total = Histogram()
    /// The seconds that are over.
    private(set) var seconds: [BenchSecond] = []
    private var current = Histogram()
    private var sentCount = 0
    /// Messages that came and have no latency.
    private var arrivalCount = 0
    /// When the present second ends, on the loop's clock in nanoseconds.
    private var secondEnd: UInt64 = .max
    private var windowEnd: UInt64 = .max

    private static let secondNanoseconds: UInt64 = 1_000_000_000

    /// Begins with the first second.
    /// - Parameters:
    ///   - time: Nothing that comes before is recorded.
    ///   - end: When the last second ends at the latest, which may make it shorter.
    mutating func start(at time: UInt64, until end: UInt64) {
        windowEnd = end
        secondEnd = min(time + Self.secondNanoseconds, end)
    }

    /// Records the latency of a reply that has come now.
    @inline(__always)
    mutating func record(_ latency: UInt64, at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        current.record(latency)
    }

    /// Counts a message that is sent now; after the end, as one of the last second, in which it was due.
    @inline(__always)
    mutating func recordSent(at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        if secondEnd == .max, !seconds.isEmpty { seconds[seconds.count - 1].sent &+= 1 } else { sentCount &+= 1 }
    }

    /// Counts a message that comes now and has no latency.
    mutating func recordArrival(at time: UInt64) {
        if time >= secondEnd { advance(to: time) }
        arrivalCount &+= 1
    }

    /// Ends the seconds that are over at a time.
    mutating func advance(to time: UInt64) {
        while time >= secondEnd {
            endSecond()
            secondEnd = secondEnd == windowEnd ? .max : min(secondEnd + Self.secondNanoseconds, windowEnd)
        }
    }

    /// Ends the last second, which may be a part of one: what comes later is part of the total alone.
    mutating func end(at time: UInt64) {
        advance(to: time)
        if secondEnd != .max, current.totalCount > 0 || sentCount > 0 || arrivalCount > 0 { endSecond() }
        secondEnd = .max
    }

    /// Adds what came after the end to the total.
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
