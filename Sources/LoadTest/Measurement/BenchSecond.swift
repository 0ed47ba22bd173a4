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
    /// The counts since the start at the end of the second, or `nil` in results that were read.
    internal var counts: LoadTally?
    /// The summary of the latencies if the histogram may be a compact one, which is less precise.
    internal var exactLatencies: Latencies?

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

    /// Decodes the histogram of a second that was recorded here.
    internal func readableHistogram() -> Histogram {
        do throws(BenchResultsError) { return try decodedHistogram() } catch { return Histogram() }
    }

    /// The summary of the latencies. It is empty if the histogram cannot be decoded.
    internal var latencies: Latencies {
        if let exactLatencies { return exactLatencies }
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

extension BenchSecond {
    /// The size up to which the histograms of all seconds are written as they are, in bytes. In Base64, they make up two
    /// fifths of a megabyte.
    private static let mostBytes = 288 << 10
    /// The mean size that is always allowed: that of half an hour with ``mostBytes``.
    private static let usualBytes = mostBytes / 1800
    /// The number of seconds that decide about the precision of all.
    private static let probeCount = 30

    /// The histograms of seconds for results. Those of a long run are less precise, so that it does not take megabytes.
    internal static func compactHistograms(of seconds: [BenchSecond]) -> [[UInt8]] {
        let exact = seconds.map(\.histogram)
        guard exact.reduce(0, { $0 + $1.count }) > mostBytes else { return exact }
        let allowedBytes = max(usualBytes, mostBytes / seconds.count)
        let probes = stride(from: 0, to: seconds.count, by: max(1, seconds.count / probeCount)).map { seconds[$0] }
        let bits = (2...7).reversed().first { bits in
            probes.reduce(0) { $0 + $1.histogram(partBits: bits).count } <= allowedBytes * probes.count
        }
        return seconds.map { $0.histogram(partBits: bits ?? 2) }
    }

    private func histogram(partBits: Int) -> [UInt8] {
        do throws(BenchResultsError) {
            return try decodedHistogram().coarsened(partBits: partBits).encoded()
        } catch {
            return histogram
        }
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
