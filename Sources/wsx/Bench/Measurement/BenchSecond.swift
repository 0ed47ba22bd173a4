import WSCore

/// What went and came in a second of a load test.
struct BenchSecond: Equatable, Sendable {
    /// The number of messages that were sent.
    var sent: Int
    /// The number of replies.
    var received: Int
    /// The histogram of their latencies, encoded: a run may have thousands of seconds.
    var histogram: [UInt8]

    /// What a mode is about: messages that were sent one way, or else that came.
    func count(in mode: BenchMode) -> Int { mode == .send ? sent : received }

    /// What is told of the latencies, in nanoseconds.
    struct Latencies: Equatable, Sendable {
        var p50: UInt64 = 0
        var p99: UInt64 = 0
        var maximum: UInt64 = 0
    }

    /// Works out what is told of the latencies; of a histogram that cannot be decoded there is nothing to tell.
    var latencies: Latencies {
        do throws(HistogramError) {
            let histogram = try Histogram(decoding: histogram)
            return Latencies(
                p50: histogram.value(atPercentile: 50), p99: histogram.value(atPercentile: 99),
                maximum: histogram.maximum)
        } catch {
            return Latencies()
        }
    }
}

extension Histogram {
    /// The compressed form.
    func encoded() -> [UInt8] {
        var encoded = ByteBuffer()
        encode(into: &encoded)
        return encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}
