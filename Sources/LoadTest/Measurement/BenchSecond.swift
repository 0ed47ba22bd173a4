import WSCore

/// What went and came in a second of a load test.
public struct BenchSecond: Equatable, Sendable {
    /// The number of messages that were sent.
    internal var sent: Int
    /// The number of replies.
    internal var received: Int
    /// The histogram of their latencies, encoded: a run may have thousands of seconds.
    internal var histogram: [UInt8]
    /// The largest latency in nanoseconds, which the encoded histogram does not have exactly; 0 without latencies.
    internal var maximum: UInt64

    /// What is told of the latencies, in nanoseconds.
    public struct Latencies: Equatable, Sendable {
        /// The median.
        public var p50: UInt64 = 0
        /// The 99th percentile.
        public var p99: UInt64 = 0
        /// The largest latency; 0 without latencies.
        public var maximum: UInt64 = 0
    }

    /// Works out what is told of the latencies; of a histogram that cannot be decoded there is nothing to tell.
    internal var latencies: Latencies {
        do throws(HistogramError) {
            var histogram = try Histogram(decoding: histogram)
            _ = histogram.refine(maximum: maximum)
            return Latencies(
                p50: histogram.value(atPercentile: 50), p99: histogram.value(atPercentile: 99),
                maximum: histogram.maximum)
        } catch {
            return Latencies()
        }
    }
}

extension BenchSecond {
    /// Makes a second with these latencies.
    internal init(sent: Int, received: Int, latencies: borrowing Histogram) {
        self.init(sent: sent, received: received, histogram: latencies.encoded(), maximum: latencies.maximum)
    }
}

extension Histogram {
    /// The compressed form.
    internal func encoded() -> [UInt8] {
        var encoded = ByteBuffer()
        encode(into: &encoded)
        return encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}
