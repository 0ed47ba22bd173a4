import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LatencyBucketsTests {
    private static func histogram(_ values: some Sequence<UInt64>) -> Histogram {
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        return histogram
    }

    @Test("Each value is in its bucket, and the buckets have equal width on a logarithmic axis")
    func buckets() {
        let values = (0..<2000).map { $0 * $0 * 250 + 50_000 } as [UInt64]
        let buckets = LatencyBuckets.buckets(of: Self.histogram(values))
        expectEqual(buckets.count, 64)
        expectEqual(buckets.reduce(0) { $0 + $1.count }, 2000)
        let ratio = buckets[0].end / buckets[0].start
        for (bucket, next) in zip(buckets, buckets.dropFirst()) {
            expectEqual(bucket.end, next.start)
            #expect(abs(next.end / next.start / ratio - 1) < 1e-6)
        }
        for bucket in buckets {
            // Within the resolution of the histogram.
            func count(_ wider: Double) -> Int {
                values.count { Double($0) >= bucket.start / wider && Double($0) < bucket.end * wider }
            }
            #expect(count(0.999)...count(1.001) ~= Int(bucket.count))
        }
    }

    @Test("Close values have fewer buckets, limited by the histogram's resolution")
    func close() {
        let buckets = LatencyBuckets.buckets(of: Self.histogram([100_000, 103_000]))
        expectEqual(buckets.count, 2)
        expectEqual(buckets.map(\.count), [1, 1])
    }

    @Test(
        "Equal values share a bucket, and without values there are no buckets",
        arguments: [0, 1, 5, 123_456] as [UInt64])
    func single(value: UInt64) {
        let buckets = LatencyBuckets.buckets(of: Self.histogram([value, value]))
        expectEqual(buckets.first?.count, 2)
        #expect(buckets.dropFirst().allSatisfy { $0.count == 0 })
        // Single nanoseconds are distinct on a logarithmic axis.
        #expect(value < 100 || buckets.count == 1)
        #expect(buckets[0].start > 0 && buckets[0].start < buckets[0].end)
        expectEmpty(LatencyBuckets.buckets(of: Histogram()))
    }

    @Test("Buckets cover the range from the smallest to the largest possible value")
    func extremes() {
        let buckets = LatencyBuckets.buckets(of: Self.histogram([0, 1, Histogram.largestValue]))
        expectEqual(buckets.count, 64)
        #expect(buckets.first?.count == 2 && buckets.last?.count == 1)
        #expect(buckets.allSatisfy { $0.start.isFinite && $0.end.isFinite })
    }
}
