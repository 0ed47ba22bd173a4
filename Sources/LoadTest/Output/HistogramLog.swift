import Formats
import WSCore

/// The log format of HdrHistogram, version 1.3: the latencies of each second, for tools that read or plot it.
package enum HistogramLog {
    /// Returns the text of a log. Replies after the last second form an additional interval, so the intervals
    /// contain all latencies. The length of this interval is its maximum latency.
    package static func text(of results: BenchResults) -> String {
        let startTime = results.startTime
        let start = "\(startTime.seconds).\(padded(startTime.microseconds / 1000, to: 3))"
        var text = """
            #[Latencies of wsx bench, in nanoseconds; Interval_Max in milliseconds]
            #[Histogram log format version 1.3]
            #[StartTime: \(start) (seconds since epoch)]
            #[BaseTime: \(start) (seconds since epoch)]
            "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"

            """
        let duration = results.duration / .seconds(1)
        var late = Histogram()
        late.add(results.latencies)
        var lateCount = late.totalCount
        for (number, second) in results.seconds.enumerated() {
            let length = min(1, max(0, duration - Double(number)))
            text += line(Double(number), length, maximum: second.maximum, second.histogram.base64)
            lateCount &-= subtract(second, from: &late)
        }
        // The difference from the less precise seconds of a long run has other counts.
        if late.totalCount > 0, late.totalCount == lateCount {
            text += line(duration, Double(late.maximum) / 1e9, maximum: late.maximum, late.base64())
        }
        return text
    }

    private static func line(_ start: Double, _ length: Double, maximum: UInt64, _ histogram: String) -> String {
        let maximum = FixedPoint.text(Double(maximum) / 1e6, digits: 6)
        return "\(FixedPoint.text(start, digits: 3)),\(FixedPoint.text(length, digits: 3)),\(maximum),\(histogram)\n"
    }

    /// Subtracts a second, and returns its number of values.
    private static func subtract(_ second: BenchSecond, from histogram: inout Histogram) -> UInt64 {
        do throws(HistogramError) {
            let values = try Histogram(decoding: second.histogram)
            histogram.subtract(values)
            return values.totalCount
        } catch {
            // Cannot happen: it was decoded or created before.
            return 0
        }
    }
}
