import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct PercentileCurveTests {
    @Test("The curve contains the percentiles of the tables, from the minimum to the maximum")
    func points() throws {
        var histogram = Histogram()
        for value in 1...100_000 as ClosedRange<UInt64> { histogram.record(value * 10) }
        let points = PercentileCurve.points(of: histogram)
        expectEqual(points.first, PercentileCurve.Point(oneOf: 1, value: histogram.minimum))
        expectEqual(points.last, PercentileCurve.Point(oneOf: 200_000, value: histogram.maximum))
        let percentiles: [(Double, Double)] = [
            (2, 50), (4, 75), (10, 90), (20, 95), (100, 99), (1000, 99.9), (100_000, 99.999),
        ]
        for (oneOf, percentile) in percentiles {
            let point = try #require(points.first { $0.oneOf == oneOf })
            expectEqual(point.value, histogram.value(atPercentile: percentile), "\(percentile)")
        }
    }

    @Test("The points are monotonic, and their number does not grow with that of the values")
    func order() {
        var histogram = Histogram()
        for value in 0..<3000 as Range<UInt64> { histogram.record(value * value * 7919 % 1_000_003) }
        let points = PercentileCurve.points(of: histogram)
        for (point, next) in zip(points, points.dropFirst()) {
            #expect(point.oneOf < next.oneOf && point.value <= next.value)
        }
        expectEqual(points.count, 77)
    }

    @Test("A single value is a line, and without values there is nothing")
    func few() {
        var histogram = Histogram()
        expectEmpty(PercentileCurve.points(of: histogram))
        histogram.record(1000)
        let points = PercentileCurve.points(of: histogram)
        expectEqual(points.map(\.value), Array(repeating: 1000, count: points.count))
        #expect(points.first?.oneOf == 1 && points.last?.oneOf == 2)
    }
}
