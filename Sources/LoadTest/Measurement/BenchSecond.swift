import WSCore

/// The counts and latencies of one second of a load test.
package struct BenchSecond: Equatable, Sendable {
    /// The number of messages sent.
    internal var sent: Int
    /// The number of replies received.
    internal var received: Int
    /// The histogram of the latencies. It is encoded to save memory, because a run may have thousands of seconds.
    internal var histogram: [UInt8]
    /// The maximum latency in nanoseconds, or 0 without latencies. The encoded histogram does not store it exactly.
    internal var maximum: UInt64

    /// A summary of latencies, in nanoseconds.
    package struct Latencies: Equatable, Sendable {
        /// The median.
        package var p50: UInt64 = 0
        /// The 99th percentile.
        package var p99: UInt64 = 0
        /// The maximum latency; 0 without latencies.
        package var maximum: UInt64 = 0
    }

    /// Decodes the histogram, with its exact maximum.
    /// - Throws: ``BenchResultsError/badHistogram(_:_:)``.
    internal func decodedHistogram() throws(BenchResultsError) -> Histogram {
        do throws(HistogramError) {
            var histogram = try Histogram(decoding: histogram)
            _ = histogram.refine(maximum: maximum)
            return histogram
        } catch {
            throw .badHistogram("per_second.histogram", error)
        }
    }

    /// The summary of the latencies. It is empty if the histogram cannot be decoded.
    internal var latencies: Latencies {
        do throws(BenchResultsError) {
            let histogram = try decodedHistogram()
            return Latencies(
                p50: histogram.value(atPercentile: 50), p99: histogram.value(atPercentile: 99),
                maximum: histogram.maximum)
        } catch {
            return Latencies()
        }
    }
}

extension BenchSecond {
    /// Creates a second with these latencies.
    internal init(sent: Int, received: Int, latencies: borrowing Histogram) {
        self.init(sent: sent, received: received, histogram: latencies.encoded(), maximum: latencies.maximum)
    }
}

extension Histogram {
    /// The compressed encoding.
    internal func encoded() -> [UInt8] {
        var encoded = ByteBuffer()
        encode(into: &encoded)
        return encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}
