import Testing
import WSCore

@testable import LoadTest

@Suite struct OpenMetricsTests {
    private func text(latencies: [UInt64], mode: BenchMode = .echo, url: String = "ws://localhost/") -> String {
        var histogram = Histogram()
        for latency in latencies { histogram.record(latency) }
        var tally = LoadTally()
        (tally.sent, tally.received, tally.timeouts) = (latencies.count + 1, latencies.count, 1)
        let second = BenchSecond(sent: tally.sent, received: tally.received, latencies: histogram)
        var live = LiveResults(LoadPlan(mode).description(url: url), threadCount: 1)
        live.update([LoadProgress(tally, openCount: 3, seconds: [second])])
        return OpenMetrics.text(of: live)
    }

    @Test("Counts have labels, and the text ends with EOF")
    func counts() {
        let lines = text(latencies: [1000]).split(separator: "\n").map(String.init)
        #expect(lines.contains("wsx_connections 3"))
        #expect(lines.contains(#"wsx_messages_total{outcome="sent"} 2"#))
        #expect(lines.contains(#"wsx_errors_total{kind="timeout"} 1"#))
        #expect(lines.last == "# EOF")
    }

    @Test("Buckets are cumulative, and limits belong to the bucket below")
    func buckets() {
        let lines = text(latencies: [9000, 10_000, 10_100, 3_000_000_000, 200_000_000_000]).split(separator: "\n")
        #expect(lines.contains(#"wsx_latency_seconds_bucket{le="0.00001"} 2"#))
        #expect(lines.contains(#"wsx_latency_seconds_bucket{le="0.000013"} 3"#))
        #expect(lines.contains(#"wsx_latency_seconds_bucket{le="3.2"} 4"#))
        #expect(lines.contains(#"wsx_latency_seconds_bucket{le="100.0"} 4"#))
        #expect(lines.contains(#"wsx_latency_seconds_bucket{le="+Inf"} 5"#))
        #expect(lines.contains("wsx_latency_seconds_count 5"))
        #expect(lines.contains { $0.hasPrefix("wsx_latency_seconds_sum 203.0") })
    }

    @Test("Limits are ascending")
    func limits() {
        #expect(OpenMetrics.latencyLimits == OpenMetrics.latencyLimits.sorted())
        #expect((OpenMetrics.latencyLimits.first, OpenMetrics.latencyLimits.last) == (10_000, 100_000_000_000))
    }

    @Test("Modes without latencies have no histogram, and labels are escaped")
    func labels() {
        let text = text(latencies: [], mode: .send, url: #"ws://h/?a="b\"#)
        #expect(!text.contains("latency"))
        #expect(text.contains(#"wsx_run_info{mode="send",url="ws://h/?a=\"b\\"} 1"#))
    }
}
