import TestSupport
import Testing

@testable import WSCore

@Suite struct HistogramTests {
    @Test("buckets are contiguous, and their bounds map to their index")
    func indices() {
        var next: UInt64 = 0
        for index in 0..<Histogram.countCount {
            let first = Histogram.smallestValue(at: index)
            expectEqual(first, next)
            next = first + Histogram.width(at: index)
            expectEqual(Histogram.index(of: first), index)
            expectEqual(Histogram.index(of: next - 1), index)
        }
        #expect(next > Histogram.largestValue)
    }

    @Test("buckets are narrower than a thousandth of their values")
    func precision() {
        for index in 2048..<Histogram.countCount {
            #expect(Double(Histogram.width(at: index)) / Double(Histogram.smallestValue(at: index)) < 0.001)
        }
        #expect((0..<2048).allSatisfy { Histogram.width(at: $0) == 1 })
    }

    @Test("a value recorded with a count equals a value recorded as often")
    func repeated() {
        var histogram = Histogram()
        var other = Histogram()
        for (value, count) in [(0, 1), (5_000, 64), (.max, 3)] as [(UInt64, Int)] {
            histogram.record(value, count: count)
            for _ in 0..<count { other.record(value) }
        }
        expectEqual(histogram.totalCount, other.totalCount)
        #expect((histogram.minimum, histogram.maximum, histogram.sum) == (other.minimum, other.maximum, other.sum))
        for percentile in [1, 50, 99.0] {
            expectEqual(histogram.value(atPercentile: percentile), other.value(atPercentile: percentile))
        }
    }

    @Test("a coarser histogram has fewer buckets, and similar percentiles", arguments: [3, 6, 9])
    func coarsened(bits: Int) {
        var histogram = Histogram()
        for value in stride(from: 500 as UInt64, to: 5_000_000, by: 777) { histogram.record(value) }
        let coarse = histogram.coarsened(partBits: bits)
        expectEqual(coarse.totalCount, histogram.totalCount)
        #expect((coarse.minimum, coarse.maximum, coarse.sum) == (histogram.minimum, histogram.maximum, histogram.sum))
        for percentile in [1, 10, 50, 99, 99.9] {
            let (value, exact) = (coarse.value(atPercentile: percentile), histogram.value(atPercentile: percentile))
            let error = abs(Double(value) / Double(exact) - 1)
            let limit = 0.501 / Double(1 << bits) + 0.001
            #expect(error <= limit)
        }
        var (barCount, coarseCount) = (0, 0)
        histogram.forEachBar { _ in barCount += 1 }
        coarse.forEachBar { _ in coarseCount += 1 }
        #expect(coarseCount < barCount)
        expectEqual(Histogram().coarsened(partBits: bits).totalCount, 0)
    }

    @Test(
        "a single value equals all percentiles",
        arguments: [
            (0, 0...0), (1, 1...1), (2047, 2047...2047), (2048, 2048...2049), (4095, 4094...4095),
            (4096, 4096...4099), (1_000_000, 999_936...1_000_447),
            (3_600_000_000_000, 3_599_182_594_048...3_601_330_077_695),
        ] as [(UInt64, ClosedRange<UInt64>)])
    func singleValue(value: UInt64, equals: ClosedRange<UInt64>) {
        var histogram = Histogram()
        histogram.record(value)
        expectEqual(Self.bars(histogram), [Histogram.Bar(values: equals, count: 1)])
        expectEqual(histogram.minimum, value)
        expectEqual(histogram.maximum, value)
        for percentile in [0, 0.001, 50, 99.999, 100] { expectEqual(histogram.value(atPercentile: percentile), value) }
        expectEqual(histogram.standardDeviation, 0)
        expectEqual(histogram.mean, Double(value))
    }

    @Test("minimum, maximum, and mean are exact, not rounded to bucket bounds")
    func exact() {
        var histogram = Histogram()
        for value in [300_000_000, 300_000_001, 300_000_002] as [UInt64] { histogram.record(value) }
        expectEqual(Self.bars(histogram).map(\.values), [299_892_736...300_154_879])
        expectEqual(histogram.minimum, 300_000_000)
        expectEqual(histogram.maximum, 300_000_002)
        expectEqual(histogram.mean, 300_000_001)
    }

    @Test("percentiles increase from the minimum to the maximum", arguments: 0..<20 as Range<UInt64>)
    func percentiles(seed: UInt64) {
        var histogram = Histogram()
        let values = Self.values(seed: seed, count: Int(seed) + 1)
        for value in values { histogram.record(value) }
        #expect(histogram.minimum == values.min() && histogram.maximum == values.max())
        let found = [0, 0.001, 1, 10, 50, 90, 99.9, 99.999, 100].map { histogram.value(atPercentile: $0) }
        expectEqual(found, found.sorted())
        #expect(found.first == values.min() && found.last == values.max())
    }

    @Test("the mean stays exact for the largest possible count")
    func largestSum() {
        var histogram = Histogram()
        histogram.record(Histogram.largestValue)
        // Doubled 63 times.
        for _ in 0..<63 {
            var other = Histogram()
            other.add(histogram)
            histogram.add(other)
        }
        expectEqual(histogram.totalCount, 1 << 63)
        expectEqual(histogram.mean, Double(Histogram.largestValue))
    }

    @Test("after a subtraction, minimum and maximum are estimated within their earlier values")
    func subtraction() {
        var histogram = Histogram()
        for value in [1000, 300_000_000, 300_000_001, 7_000_000_000] as [UInt64] { histogram.record(value) }
        var part = Histogram()
        for value in [1000, 300_000_000] as [UInt64] { part.record(value) }
        histogram.subtract(part)
        expectEqual(histogram.totalCount, 2)
        expectEqual(histogram.minimum, 299_892_736, "the exact minimum may have been subtracted")
        expectEqual(histogram.maximum, 7_000_000_000)
        var rest = Histogram()
        rest.add(histogram)
        histogram.subtract(rest)
        #expect(histogram.minimum == 0 && histogram.maximum == 0 && histogram.mean == 0)
    }

    @Test("a value above one hour is recorded as one hour")
    func tooLarge() {
        var histogram = Histogram()
        var expected = Histogram()
        histogram.record(.max)
        histogram.record(Histogram.largestValue + 1)
        expected.record(Histogram.largestValue)
        expected.record(Histogram.largestValue)
        expectEqual(Self.bars(histogram), Self.bars(expected))
        expectEqual(histogram.totalCount, 2)
        expectEqual(histogram.maximum, Histogram.largestValue)
    }

    @Test("an empty histogram is all zeros")
    func empty() {
        let histogram = Histogram()
        expectEqual(histogram.totalCount, 0)
        expectEqual(histogram.minimum, 0)
        expectEqual(histogram.maximum, 0)
        expectEqual(histogram.mean, 0)
        expectEqual(histogram.standardDeviation, 0)
        expectEqual(histogram.value(atPercentile: 99), 0)
    }

    @Test("percentiles, mean, and standard deviation of 1 to 1000")
    func statistics() {
        var histogram = Histogram()
        for value in 1...1000 { histogram.record(UInt64(value)) }
        expectEqual(histogram.minimum, 1)
        expectEqual(histogram.maximum, 1000)
        expectEqual(histogram.mean, 500.5)
        #expect(abs(histogram.standardDeviation - 288.6749902572095) < 1e-9)
        let percentiles: [(Double, UInt64)] = [(0, 1), (0.1, 1), (50, 500), (99, 990), (99.9, 999), (99.99, 1000)]
        for (percentile, value) in percentiles { expectEqual(histogram.value(atPercentile: percentile), value) }
    }

    @Test("the sum of two histograms equals the histogram of all values")
    func addition() {
        var first = Histogram()
        var second = Histogram()
        var all = Histogram()
        for value in Self.values(seed: 1) {
            first.record(value)
            all.record(value)
        }
        for value in Self.values(seed: 2) {
            second.record(value)
            all.record(value)
        }
        first.add(second)
        first.add(Histogram())
        expectEqual(first.totalCount, all.totalCount)
        expectEqual(Self.bars(first), Self.bars(all))
        #expect(first.minimum == all.minimum && first.maximum == all.maximum && first.mean == all.mean)
    }

    @Test("removeAll() leaves an empty histogram")
    func removal() {
        var histogram = Histogram()
        for value in Self.values(seed: 3) { histogram.record(value) }
        histogram.removeAll()
        expectEqual(histogram.totalCount, 0)
        expectEmpty(Self.bars(histogram))
        #expect(histogram.minimum == 0 && histogram.maximum == 0 && histogram.mean == 0)
        histogram.record(7)
        #expect(histogram.minimum == 7 && histogram.maximum == 7 && histogram.mean == 7)
    }

    /// Returns values of all sizes, reproducible by seed.
    static func values(seed: UInt64, count: Int = 5000) -> [UInt64] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return min(state >> (22 + state & 31), Histogram.largestValue)
        }
    }

    static func bars(_ histogram: borrowing Histogram) -> [Histogram.Bar] {
        var bars: [Histogram.Bar] = []
        histogram.forEachBar { bars.append($0) }
        return bars
    }
}
