import CommandLine
import LoadTest
import UserInterface

/// A condition on results: `p99<20ms`.
enum ThresholdValue {
    /// Parses the condition.
    static func parse(_ text: String) throws(ValueProblem) -> Threshold {
        do throws(ThresholdError) {
            return try Threshold(text)
        } catch {
            throw .notAThreshold(error)
        }
    }
}

extension Threshold {
    /// Parses a metric, an operator, and a value, or throws ``ThresholdError``.
    init(_ text: String) throws(ThresholdError) {
        guard let start = text.unicodeScalars.firstIndex(where: { "<>=!".unicodeScalars.contains($0) }) else {
            throw .noComparison
        }
        let name = Self.trimmed(text[..<start])
        // Report the leftmost mistake first.
        let metric = try Self.metric(name)
        let (comparison, rest) = try Self.comparison(text[start...])
        self.init(text, metric, comparison, try Self.bound(Self.trimmed(rest), of: metric, name))
    }

    private static func trimmed(_ text: Substring) -> String {
        var scalars = text.unicodeScalars
        while scalars.first == " " { scalars.removeFirst() }
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }

    private static func comparison(_ text: Substring) throws(ThresholdError) -> (Comparison, rest: Substring) {
        let operators: [(text: String, comparison: Comparison)] = [
            ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("!=", .notEqual), ("==", .equal), ("<", .less),
            (">", .greater), ("=", .equal),
        ]
        guard let found = operators.first(where: { text.hasPrefix($0.text) }) else { throw .noComparison }
        return (found.comparison, text.dropFirst(found.text.count))
    }

    private static func metric(_ name: String) throws(ThresholdError) -> Metric {
        if name == "rate" { return .rate }
        if CountGroup.hasShare(countNamed: name) != nil { return .count(name) }
        if let statistic = statistic(name) { return .latency(statistic) }
        guard let metric = stepMetric(name) else { throw .unknownMetric(name) }
        if case .step(let step, let statistic) = metric, let measure = TimeMeasure(named: step) {
            return .time(measure, statistic)
        }
        return metric
    }

    /// Parses `STEP.p99` or `STEP.lost`. The name of a step may contain points, and so may a percentile.
    private static func stepMetric(_ name: String) -> Metric? {
        for index in name.indices where name[index] == "." && index > name.startIndex {
            let (step, rest) = (String(name[..<index]), String(name[name.index(after: index)...]))
            if let statistic = statistic(rest) { return .step(step, statistic) }
            if PartResults.counts.contains(where: { "\($0.name)" == rest }) { return .stepCount(step, rest) }
        }
        return nil
    }

    private static func statistic(_ name: String) -> Statistic? {
        switch name {
        case "min": .minimum
        case "mean": .mean
        case "stddev": .standardDeviation
        case "max": .maximum
        default: name.hasPrefix("p") ? percentile(name.dropFirst()).map(Statistic.percentile) : nil
        }
    }

    /// Parses `99.9`, or the same without its point.
    private static func percentile(_ digits: Substring) -> Double? {
        let isDecimal = digits.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        guard isDecimal, let number = Double(digits) else { return nil }
        if 0...100 ~= number { return number }
        // Only percentiles near 100 are written without a point.
        guard digits.hasPrefix("9"), !digits.utf8.contains(UInt8(ascii: ".")) else { return nil }
        return Double("\(digits.prefix(2)).\(digits.dropFirst(2))")
    }

    /// The metric that a name of k6, Artillery, or wrk stands for, or the most similar one; nil for another text.
    static func metric(meantBy name: String) -> String? {
        // k6 writes percentiles as p(99), after the name of a metric.
        let last = name.lowercased().split(separator: " ").last.map(String.init) ?? ""
        if last.hasPrefix("p("), last.hasSuffix(")"), statistic("p" + last.dropFirst(2).dropLast()) != nil {
            return "p" + last.dropFirst(2).dropLast()
        }
        switch last {
        case "avg", "average": return "mean"
        case "med", "median": return "p50"
        case "rps", "throughput": return "rate"
        case "failed", "failures", "error_rate": return "errors"
        default: break
        }
        let names =
            ["min", "mean", "stddev", "max", "rate", "errors"] + CountGroup.messages.counts.map { "\($0.name)" }
        return EditDistance.nearest(to: last, among: names)
    }

    private static func bound(_ text: String, of metric: Metric, _ name: String) throws(ThresholdError) -> Bound {
        switch metric {
        case .latency, .time, .step: .time(try time(text))
        case .rate, .count, .stepCount:
            if !text.hasSuffix("%") {
                .number(try number(text))
            } else if case .stepCount = metric {
                .share(try share(text))
            } else if CountGroup.hasShare(countNamed: name) == true {
                .share(try share(text))
            } else {
                throw .noShare(name)
            }
        }
    }

    /// Parses a time in nanoseconds. It requires a unit, because other tools default to milliseconds.
    private static func time(_ text: String) throws(ThresholdError) -> Double {
        guard let last = text.utf8.last, last > UInt8(ascii: "9") || text == "0" else { throw .notATime }
        do throws(ValueProblem) {
            return try DurationValue.parse(text) / .nanoseconds(1)
        } catch {
            throw .notATime
        }
    }

    private static func number(_ text: String) throws(ThresholdError) -> Int {
        do throws(ValueProblem) {
            return try CountValue.parse(text, zeroAllowed: true)
        } catch {
            throw .notANumber
        }
    }

    private static func share(_ text: String) throws(ThresholdError) -> Double {
        do throws(ValueProblem) {
            return try FractionValue.parse(text)
        } catch {
            throw .notAShare
        }
    }
}

/// The reason why a text is not a threshold.
package enum ThresholdError: Error, Equatable {
    /// The operator is missing.
    case noComparison
    case unknownMetric(String)
    case notATime
    case notANumber
    case notAShare
    /// Only counts of messages can be compared with percentages.
    case noShare(String)
}

extension ThresholdError: CustomStringConvertible {
    /// The expected text, to follow a colon.
    package var description: String {
        switch self {
        case .noComparison: "expected a metric, an operator, and a value, such as p99<20ms, rate>50k, or errors=0"
        case .unknownMetric(let name) where Threshold.metric(meantBy: name) != nil:
            "unknown metric '\(name)'; did you mean '\(Threshold.metric(meantBy: name) ?? "")'?"
        case .unknownMetric(let name):
            "unknown metric '\(name)'; expected p50, p99.9, min, mean, stddev, max, handshake.p99, delay.p99, "
                + "rate, errors, errors.connect, bytes.received, sent, received, lost, mismatched, duplicated, reordered, pushes, unsent, STEP.p99, or stage1.p99"
        case .notATime: "expected a time with a unit after the operator, such as 500us, 20ms, or 1.5s, and nothing else"
        case .notAShare: "expected a percentage after the operator, from 0% to 100%"
        case .notANumber: "expected a number after the operator, such as 0, 100, or 50k"
        case .noShare(let name): "'\(name)' cannot be a percentage; expected a number"
        }
    }
}
