import WSCore

/// The log format of HdrHistogram, version 1.3: the latencies of each second, for the tools that read and draw it.
enum HistogramLog {
    /// The text of a log.
    /// - Parameters:
    ///   - seconds: With their histograms.
    ///   - startTime: When the first of them began.
    ///   - duration: How long they took together.
    static func text(of seconds: [LatencyRecorder.Second], startTime: WallTime, duration: Duration) -> String {
        let start = "\(startTime.seconds).\(padded(startTime.microseconds / 1000, to: 3))"
        var text = """
            #[Latencies of wsx bench, in nanoseconds; Interval_Max in milliseconds]
            #[Histogram log format version 1.3]
            #[StartTime: \(start) (seconds since epoch)]
            #[BaseTime: \(start) (seconds since epoch)]
            "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"

            """
        for (number, second) in seconds.enumerated() {
            let length = min(1, max(0, duration / .seconds(1) - Double(number)))
            let (maximum, histogram) = columns(of: second)
            text += "\(number).000,\(FixedPoint.text(length, digits: 3)),\(maximum),\(histogram)\n"
        }
        return text
    }

    private static func columns(of second: LatencyRecorder.Second) -> (maximum: String, histogram: String) {
        var base64 = ByteBuffer()
        second.histogram.withUnsafeBytes { Base64.append($0.bytes, to: &base64) }
        let text = base64.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
        return (FixedPoint.text(Double(second.maximum) / 1e6, digits: 3), text)
    }
}
