import WSCore

/// The log format of HdrHistogram, version 1.3: the latencies of each second, for the tools that read and draw it.
enum HistogramLog {
    /// The text of a log.
    /// - Parameters:
    ///   - seconds: The seconds of a run.
    ///   - startTime: When the first of them began.
    ///   - duration: How long they took together.
    static func text(of seconds: [BenchSecond], startTime: WallTime, duration: Duration) -> String {
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
            let maximum = FixedPoint.text(Double(second.latencies.maximum) / 1e6, digits: 3)
            text += "\(number).000,\(FixedPoint.text(length, digits: 3)),\(maximum),\(second.base64())\n"
        }
        return text
    }
}
