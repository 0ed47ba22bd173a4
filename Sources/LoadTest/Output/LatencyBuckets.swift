import WSCore

/// A histogram in buckets of equal width on a logarithmic axis.
enum LatencyBuckets {
    /// A range of latencies and their number.
    struct Bucket: Equatable {
        /// The lower limit, in nanoseconds.
        let start: Double
        /// The upper limit, in nanoseconds.
        let end: Double
        var count: UInt64
    }

    /// The maximum number of buckets, as a power of two.
    private static let mostBits = 6
    /// The minimum ratio of a bucket's limits. Narrower buckets would show the histogram's own resolution of 0.1 %.
    private static let smallestRatio = 1.01

    /// The buckets from the minimum to the maximum, in order; empty without values.
    static func buckets(of histogram: borrowing Histogram) -> [Bucket] {
        guard histogram.totalCount > 0 else { return [] }
        let start = Double(max(1, histogram.minimum))
        let end = max(Double(histogram.maximum), start) + 1
        var ratio = end / start
        var count = 1
        for _ in 0..<mostBits where ratio.squareRoot() >= smallestRatio {
            ratio = ratio.squareRoot()
            count *= 2
        }
        var edges = (0..<count).reduce(into: [start]) { edges, _ in edges.append(edges[edges.count - 1] * ratio) }
        // Correct the rounding error.
        edges[count] = end
        var buckets = (0..<count).map { Bucket(start: edges[$0], end: edges[$0 + 1], count: 0) }
        var index = 0
        histogram.forEachBar { bar in
            let middle = Double(bar.values.lowerBound) / 2 + Double(bar.values.upperBound) / 2
            while index < count - 1, middle >= buckets[index].end { index += 1 }
            buckets[index].count += bar.count
        }
        return buckets
    }
}
