import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct HistogramLogTests {
    /// Results of 1.5 s, with a latency of 1 ms in the first second, two in the second one, and one after the end.
    private static func results() -> BenchResults {
        let results = BenchSamples.results(seed: 1)
        results.duration = .milliseconds(1500)
        results.startTime = WallTime(seconds: 1_700_000_000, microseconds: 123_456)
        results.latencies.removeAll()
        results.seconds = [1, 2].map { count in
            var second = Histogram()
            for number in 1...count { second.record(UInt64(number) * 1_000_000) }
            results.latencies.add(second)
            return BenchSecond(sent: count, received: count, latencies: second)
        }
        return results
    }

    private static func intervals(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").drop { !$0.hasPrefix("\"StartTimestamp\"") }.dropFirst().map {
            $0.split(separator: ",")
        }
    }

    @Test("Each second is an interval, and the last one may be shorter")
    func seconds() {
        let text = HistogramLog.text(of: Self.results())
        #expect(text.hasPrefix("#[Latencies of wsx bench, in nanoseconds; Interval_Max in milliseconds]\n"))
        #expect(text.contains("\n#[StartTime: 1700000000.123 (seconds since epoch)]\n"))
        let intervals = Self.intervals(text)
        expectEqual(intervals.map { $0.prefix(2).joined(separator: "+") }, ["0.000+1.000", "1.000+0.500"])
        #expect(intervals.allSatisfy { $0.count == 4 && $0[3].hasPrefix("HIST") })
        expectEqual(intervals.map { $0[2] }, ["1.000000", "2.000000"], "the maximum is exact")
    }

    @Test("Replies after the last second are an additional interval")
    func late() throws {
        let results = Self.results()
        results.latencies.record(250_000_000)
        let intervals = Self.intervals(HistogramLog.text(of: results))
        try #require(intervals.count == 3)
        expectEqual(intervals[2][0], "1.500")
        expectEqual(intervals[2][1], "0.250")
        expectEqual(intervals[2][2], "250.000000")
    }
}
