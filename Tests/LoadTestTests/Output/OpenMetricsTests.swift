import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct OpenMetricsTests {
    private func text(latencies: [UInt64], mode: BenchMode = .echo, url: String = "ws://localhost/") -> String {
        var histogram = Histogram()
        for latency in latencies { histogram.record(latency) }
        var tally = LoadTally()
        (tally.sent, tally.received, tally.errors[.timeout]) = (latencies.count + 1, latencies.count, 1)
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
        expectEqual(lines.last, "# EOF")
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

    @Test("Steps have counts and, if they are named, a histogram")
    func steps() {
        let query = PartRecorder(name: "a \"query\"", isNamed: true)
        query.passed(nanoseconds: 9000)
        query.failed(\.timeouts)
        let unnamed = PartRecorder(name: "line 3", isNamed: false)
        unnamed.passed(nanoseconds: 1)
        var live = LiveResults(LoadPlan(.scenario).description(url: "ws://localhost/"), threadCount: 1)
        live.update([LoadProgress(LoadTally(), openCount: 1, steps: [query.results, unnamed.results], seconds: [])])
        let lines = OpenMetrics.text(of: live).split(separator: "\n")
        #expect(lines.contains(#"wsx_steps_total{step="a \"query\"",outcome="timeout"} 1"#))
        #expect(lines.contains(#"wsx_steps_total{step="line 3",outcome="received"} 1"#))
        #expect(lines.contains(#"wsx_step_latency_seconds_bucket{step="a \"query\"",le="0.00001"} 1"#))
        #expect(lines.contains(#"wsx_step_latency_seconds_count{step="a \"query\""} 1"#))
        expectFalse(lines.contains { $0.hasPrefix("wsx_step_latency") && $0.contains("line 3") })
    }

    @Test("With stages, a gauge has the number of the current one")
    func stage() {
        var plan = LoadPlan(.echo)
        plan.connections.stages = LoadStages([
            LoadStages.Stage(target: 5, duration: .seconds(2)), LoadStages.Stage(target: 0, duration: .seconds(1)),
        ])
        var live = LiveResults(plan.description(url: "ws://localhost/"), threadCount: 1)
        let second = BenchSecond(sent: 0, received: 0, latencies: Histogram())
        for number in ["1", "1", "2", "2"] {
            let lines = OpenMetrics.text(of: live).split(separator: "\n").map(String.init)
            #expect(lines.contains("# TYPE wsx_stage gauge"))
            #expect(lines.contains("wsx_stage " + number))
            live.update([LoadProgress(LoadTally(), openCount: 0, seconds: [second])])
        }
        expectFalse(text(latencies: []).contains("wsx_stage"))
    }

    @Test("Limits are ascending")
    func limits() {
        expectEqual(OpenMetrics.latencyLimits, OpenMetrics.latencyLimits.sorted())
        #expect((OpenMetrics.latencyLimits.first, OpenMetrics.latencyLimits.last) == (10_000, 100_000_000_000))
    }

    @Test("Modes without latencies have no histogram, and labels are escaped")
    func labels() {
        let text = text(latencies: [], mode: .send, url: #"ws://h/a="b\?token=secret"#)
        expectFalse(text.contains("latency"))
        #expect(text.contains(#"wsx_run_info{mode="send",url="ws://h/a=\"b\\"} 1"#))
        expectFalse(text.contains("secret"))
    }
}
