import WSCore

/// How many latencies are how long, in buckets that are equally wide on a logarithmic axis.
enum LatencyBuckets {
    /// Latencies that are counted together.
    struct Bucket: Equatable {
        /// The smallest of them, in nanoseconds.
        let start: Double
        /// Where the next bucket starts, in nanoseconds.
        let end: Double
        var count: UInt64
    }

    /// As a power of two.
    private static let mostBits = 6
    /// The end of a bucket by its start; narrower ones would show the histogram's own resolution, a thousandth.
    private static let smallestRatio = 1.01

    /// The buckets between the smallest and the largest value, in their order; none without values.
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
        // What was lost by rounding.
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
