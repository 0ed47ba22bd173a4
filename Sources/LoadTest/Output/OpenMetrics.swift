import Formats
import WSCore

/// Live results in the OpenMetrics text format 1.0.0, which Prometheus reads.
package enum OpenMetrics {
    /// The media type of the text.
    package static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The upper limits of the latency buckets in nanoseconds: ten per decade, from 10 us to 100 s, rounded to two
    /// digits (the preferred numbers R10 of ISO 3). Percentiles computed from them are at most 30 % too high.
    internal static let latencyLimits: [UInt64] = {
        let steps: [UInt64] = [10, 13, 16, 20, 25, 32, 40, 50, 63, 79]
        let decades: [UInt64] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].map { UInt64($0) }
        return decades.flatMap { decade in steps.map { $0 * decade } } + [100_000_000_000]
    }()

    /// The metrics of a run so far.
    package static func text(of live: borrowing LiveResults) -> String {
        var text = ""
        let (tally, mode) = (live.tally, live.results.description.mode)
        func add(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
            text += "# TYPE \(name) \(type)\n"
            if let unit { text += "# UNIT \(name) \(unit)\n" }
            text += "# HELP \(name) \(help)\n"
        }
        add("wsx_run", "info", "The load test.")
        // The query may contain a token, and anyone may read the metrics.
        let url = live.results.description.url.prefix { $0 != "?" }
        text += "wsx_run_info{mode=\"\(mode.rawValue)\",url=\"\(escaped(url))\"} 1\n"
        add("wsx_connections", "gauge", "Open connections.")
        text += "wsx_connections \(live.openCount)\n"
        if let stages = live.results.description.stages {
            add("wsx_stage", "gauge", "Number of the current stage, from 1.")
            text += "wsx_stage \(stages.number(at: live.results.duration))\n"
        }
        for group in CountGroup.all {
            guard let metric = group.metric else { continue }
            add(metric.name, "counter", metric.help)
            for count in group.counts {
                text += "\(metric.name)_total{\(metric.label)=\"\(count.name)\"} \(tally[keyPath: count.path])\n"
            }
        }
        add("wsx_error_causes", "counter", "Errors by cause: HTTP status, close code, TLS alert, or system error.")
        for (cause, count) in tally.causes.sorted {
            text += "wsx_error_causes_total{kind=\"\(cause.kind.rawValue)\",code=\"\(cause.code)\"} \(count)\n"
        }
        if mode.metrics.hasLatencies || live.results.latencies.totalCount > 0 {
            add("wsx_latency_seconds", "histogram", "Latencies of complete seconds.", unit: "seconds")
            text += buckets(of: live.results.latencies, "wsx_latency_seconds")
        }
        for measure in TimeMeasure.allCases {
            guard let metric = measure.declaration.metric,
                let lines = live.results.read(measure, { buckets(of: $0, metric.name) })
            else { continue }
            add(metric.name, "histogram", metric.help, unit: "seconds")
            text += lines
        }
        guard !live.steps.isEmpty else { return text + "# EOF\n" }
        add("wsx_steps", "counter", "Steps by outcome.")
        for step in live.steps {
            for (name, count) in PartResults.counts {
                text += "wsx_steps_total{step=\"\(escaped(step.name))\",outcome=\"\(name)\"} \(step[keyPath: count])\n"
            }
        }
        add("wsx_step_latency_seconds", "histogram", "Durations of steps in complete seconds.", unit: "seconds")
        for step in live.steps where step.isNamed {
            text += buckets(
                of: step.histogram(), "wsx_step_latency_seconds", labels: "step=\"\(escaped(step.name))\"")
        }
        return text + "# EOF\n"
    }

    /// - Parameter labels: The labels of the histogram: `step="query"`. Defaults to none.
    private static func buckets(
        of histogram: borrowing Histogram, _ name: String, labels: String = ""
    ) -> String {
        let prefix = labels.isEmpty ? "" : labels + ","
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        var counts = Array(repeating: UInt64(0), count: latencyLimits.count + 1)
        var index = 0
        histogram.forEachBar { bar in
            // The limits have the histogram's resolution, or a coarser one, so a bar is at most 0.1 % above its limit.
            while index < latencyLimits.count, bar.values.lowerBound > latencyLimits[index] { index += 1 }
            counts[index] += bar.count
        }
        var text = ""
        var sum: UInt64 = 0
        for (limit, count) in zip(latencyLimits, counts) {
            sum += count
            text += "\(name)_bucket{\(prefix)le=\"\(seconds(UInt128(limit)))\"} \(sum)\n"
        }
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(histogram.totalCount)\n"
        text += "\(name)_sum\(suffix) \(seconds(histogram.sum))\n"
        return text + "\(name)_count\(suffix) \(histogram.totalCount)\n"
    }

    /// Nanoseconds as seconds, in decimal and exact: `0.00001`, `1.0`.
    private static func seconds(_ nanoseconds: UInt128) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = "\(rest)"
        digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while digits.utf8.count > 1, digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    /// A label's value. Backslashes, quotes, and line feeds are escaped.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
