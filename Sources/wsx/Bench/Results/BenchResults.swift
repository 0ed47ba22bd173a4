import WSCore

/// What a load test has measured, in one run or, merged, in several.
struct BenchResults: ~Copyable {
    /// What was asked for.
    var description: BenchDescription
    /// Counts of messages, errors and bytes.
    var tally: LoadTally
    /// The latencies of right replies, in nanoseconds.
    var latencies: Histogram
    /// How long connections took to open, in nanoseconds.
    var handshakes: Histogram
    /// How long each part of that took.
    var phases = PhaseHistograms()
    /// How much later than they were due messages of an open loop were sent by this end, in nanoseconds.
    var delays = Histogram()
    /// What went and came in each second while messages were sent.
    var seconds: [BenchSecond]
    /// How long messages were sent.
    var duration: Duration
    /// What the processors have spent, from the start of the process.
    var processorTime: Duration
    /// What the threads of the load have spent while messages were sent.
    var loadProcessorTime: Duration
    /// What the busiest of these threads has spent.
    var busiestProcessorTime = Duration.zero
    /// The wall-clock time of the first message.
    var startTime: WallTime

    /// What the mode is about, while messages were sent: messages that were sent one way, or else that came.
    var countInTime: Int { seconds.reduce(0) { $0 + $1.count(in: description.mode) } }

    /// Those by the time, in a second.
    var rate: Double { duration > .zero ? Double(countInTime) / (duration / .seconds(1)) : 0 }

    /// What is told of a histogram: each percentile with its name in JSON, and as people write it.
    static let percentiles: [(field: StaticString, label: String, percentile: Double)] = [
        ("p50", "p50", 50), ("p75", "p75", 75), ("p90", "p90", 90), ("p95", "p95", 95), ("p99", "p99", 99),
        ("p999", "p99.9", 99.9), ("p9999", "p99.99", 99.99), ("p99999", "p99.999", 99.999),
    ]
}
