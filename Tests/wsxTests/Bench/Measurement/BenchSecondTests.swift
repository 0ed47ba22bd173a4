import Testing
import WSCore

@testable import wsx

@Suite struct BenchSecondTests {
    @Test("what is told of a second comes from its histogram")
    func latencies() {
        var histogram = Histogram()
        for latency in 1...100 { histogram.record(UInt64(latency)) }
        let second = BenchSecond(sent: 100, received: 100, histogram: histogram.encoded())
        #expect(second.latencies == BenchSecond.Latencies(p50: 50, p99: 99, maximum: 100))
    }

    @Test("of a histogram that is none there is nothing to tell", arguments: [[], [1, 2, 3]])
    func nothing(bytes: [UInt8]) {
        #expect(BenchSecond(sent: 0, received: 0, histogram: bytes).latencies == BenchSecond.Latencies())
    }
}
