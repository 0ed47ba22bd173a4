import WSCore

/// The latency by percentile, at points that are evenly spread on a logarithmic axis of 1 / (1 − percentile), as
/// HdrHistogram plots it.
enum PercentileCurve {
    /// A point of the curve.
    struct Point: Equatable {
        /// 1 / (1 − percentile): 100 for the 99th. Of so many values one is larger; 1 for the smallest of all.
        let oneOf: Double
        /// In nanoseconds.
        let value: UInt64
    }

    /// Twenty parts of a power of ten (ISO 3, R20), rounded so that the usual percentiles are among them.
    private static let steps = [
        1, 1.12, 1.25, 1.4, 1.6, 1.8, 2, 2.24, 2.5, 2.8, 3.15, 3.55, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9,
    ]

    /// The points, from the smallest value to the largest; none without values.
    ///
    /// A percentile's rank is rounded, so that the largest value is reached where one of twice as many would be larger.
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
