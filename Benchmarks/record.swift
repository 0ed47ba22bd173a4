// Measures the cost of recording a latency. Compiled with the histogram and nothing else.
//
//     record
//
// prints the nanoseconds per recorded value, the best of five rounds of 20 million.

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main
enum Record {
    private static let count = 20_000_000

    static func main() {
        // Values from 8 us to 8 s, computed in advance, hit counts all over the histogram in random order.
        var word: UInt64 = 1
        let latencies = (0..<1 << 16).map { _ in
            word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt64(8000) << (word >> 60) &+ (word >> 20) % 8000
        }
        var histogram = Histogram()
        let best = (0..<5).map { _ in round(latencies, &histogram) }.min() ?? 0
        precondition(histogram.totalCount == UInt64(5 * count))
        print(Double(Int(best * 100)) / 100)
    }

    @inline(never)
    private static func round(_ latencies: [UInt64], _ histogram: inout Histogram) -> Double {
        let start = now
        for index in 0..<count { histogram.record(latencies[index & (latencies.count - 1)]) }
        return Double(now - start) / Double(count)
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
