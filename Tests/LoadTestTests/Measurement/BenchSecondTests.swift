import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BenchSecondTests {
    @Test("The summary of a second comes from its histogram")
    func latencies() {
        var histogram = Histogram()
        for latency in 1...100 { histogram.record(UInt64(latency)) }
        let second = BenchSecond(sent: 100, received: 100, latencies: histogram)
        expectEqual(second.latencies, BenchSecond.Latencies(p50: 50, p99: 99, maximum: 100))
    }

    @Test("The maximum is exact, also in a sum, and no percentile exceeds it")
    func exactMaximum() throws {
        var seconds: [BenchSecond] = []
        for latency in [300_000_000, 299_000_001] as [UInt64] {
            var histogram = Histogram()
            histogram.record(latency)
            seconds.append(BenchSecond(sent: 1, received: 1, latencies: histogram))
        }
        expectEqual(
            seconds[0].latencies, BenchSecond.Latencies(p50: 300_000_000, p99: 300_000_000, maximum: 300_000_000))
        try seconds[1].add(seconds[0])
        expectEqual(seconds[1].latencies.p99, 300_000_000)
        expectEqual(seconds[1].latencies.maximum, 300_000_000)
    }

    @Test("An invalid histogram has an empty summary", arguments: [[], [1, 2, 3]])
    func nothing(bytes: [UInt8]) {
        let second = BenchSecond(sent: 0, received: 0, histogram: bytes, maximum: 0)
        expectEqual(second.latencies, BenchSecond.Latencies())
    }
}
