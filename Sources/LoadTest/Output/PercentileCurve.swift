import WSCore

/// Latencies by percentile, at points spaced evenly on a logarithmic axis of 1 / (1 − percentile), as plotted by
/// HdrHistogram.
enum PercentileCurve {
    /// A point of the curve.
    struct Point: Equatable {
        /// 1 / (1 − percentile): 100 for the 99th percentile. One in this many values is larger. It is 1 for the
        /// minimum.
        let oneOf: Double
        /// The latency, in nanoseconds.
        let value: UInt64
    }

    /// Twenty steps per power of ten (ISO 3, R20), rounded to include the usual percentiles.
    private static let steps = [
        1, 1.12, 1.25, 1.4, 1.6, 1.8, 2, 2.24, 2.5, 2.8, 3.15, 3.55, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9,
    ]

    /// The points from the minimum to the maximum; empty without values.
    ///
    /// Ranks are rounded, so the curve reaches the maximum at twice the number of values.
    static func points(of histogram: borrowing Histogram) -> [Point] {
        guard histogram.totalCount > 0 else { return [] }
        let end = 2 * Double(histogram.totalCount)
        var points: [Point] = []
        var power = 1.0
        while power < end {
            for oneOf in steps.map({ $0 * power }) where oneOf < end {
                points.append(Point(oneOf: oneOf, value: histogram.value(atPercentile: 100 - 100 / oneOf)))
            }
            power *= 10
        }
        points.append(Point(oneOf: end, value: histogram.maximum))
        return points
    }
}
