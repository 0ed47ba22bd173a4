import Formats
import LoadTest
import WSCore

/// The times of replies that consist of several messages, in words.
enum StreamWords {
    /// All figures but the time to the last message.
    static func facts(of stream: StreamResults) -> [String] {
        [stream.messagesPerReply].compactMap(\.self) + [
            "first \(percentiles(of: stream.firstTimes()))",
            "longest gap \(percentiles(of: stream.longestGaps()))",
        ]
    }

    /// `p50 12.0 ms, p99 14.1 ms, max 20.3 ms`, or a dash without values.
    static func percentiles(of histogram: borrowing Histogram) -> String {
        guard histogram.totalCount > 0 else { return "-" }
        let (median, high) = (histogram.value(atPercentile: 50), histogram.value(atPercentile: 99))
        return "p50 \(time(median)), p99 \(time(high)), max \(time(histogram.maximum))"
    }

    private static func time(_ nanoseconds: UInt64) -> String { Phrase.latency(Double(nanoseconds)) }
}
