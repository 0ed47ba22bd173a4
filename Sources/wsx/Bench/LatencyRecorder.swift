import WSCore

/// Keeps latencies: those of each second of a run, and those of all of it.
struct LatencyRecorder: ~Copyable {
    /// What came in a second.
    struct Second: Equatable, Sendable {
        /// The number of replies.
        let received: Int
        /// The 99th percentile of their latencies, in nanoseconds.
        let p99: UInt64
        /// The largest of them.
        let maximum: UInt64
        /// The encoded histogram; empty unless it was asked for.
        let histogram: [UInt8]
    }

    /// All latencies of the seconds that are over, in nanoseconds.
    private(set) var total = Histogram()
    /// The seconds that are over.
    private(set) var seconds: [Second] = []
    private var current = Histogram()
    /// When the present second ends, on the loop's clock in nanoseconds.
    private var secondEnd: UInt64 = .max
    private var windowEnd: UInt64 = .max
    private let keepsHistograms: Bool

    private static let secondNanoseconds: UInt64 = 1_000_000_000

    /// Makes a recorder.
    /// - Parameter keepsHistograms: Whether the histogram of each second is to be kept.
    init(keepsHistograms: Bool) {
        self.keepsHistograms = keepsHistograms
    }

    /// Begins with the first second.
    /// - Parameter end: When the last one ends at the latest, which may make it shorter.
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

    private mutating func advance(to time: UInt64) {
        while time >= secondEnd {
            endSecond()
            secondEnd = secondEnd == windowEnd ? .max : min(secondEnd + Self.secondNanoseconds, windowEnd)
        }
    }

    /// Ends the last second, which may be a part of one: what comes later is part of the total alone.
    mutating func end(at time: UInt64) {
        advance(to: time)
        if secondEnd != .max, current.totalCount > 0 { endSecond() }
        secondEnd = .max
    }

    /// Adds what came after the end to the total.
    mutating func finish() {
        total.add(current)
        current.removeAll()
    }

    private mutating func endSecond() {
        var encoded = ByteBuffer()
        if keepsHistograms { current.encode(into: &encoded) }
        seconds.append(
            Second(
                received: Int(clamping: current.totalCount), p99: current.value(atPercentile: 99),
                maximum: current.maximum,
                histogram: encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }))
        finish()
    }
}
