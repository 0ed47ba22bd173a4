import Formats
import LoadTest
import UserInterface
import WSCore

/// The progress of a run on one line of a terminal.
struct ProgressLine {
    /// The remaining work.
    enum Rest: Equatable {
        case time(Duration)
        case messages(Int)
    }

    var rest: Rest
    /// The recent rate in messages per second.
    var rate: Double
    /// The rate in each interval, in messages per second, the latest last.
    var rates: [Double]
    /// The latencies of the last complete second, in nanoseconds, or `nil` if there are none.
    var latencies: BenchSecond.Latencies?
    var connectionCount: Int
    var errorCount: Int
    /// The faults of messages or iterations in words, empty without any.
    var faults = ""
    /// The results of each step of a scenario.
    var steps: [PartResults] = []
    let mode: BenchMode
    /// The number of the current stage and of all stages, or `nil` without stages.
    var stage: (number: Int, count: Int)?

    /// The number of rates in the chart.
    static let barCount = 16

    /// The line, without the parts that do not fit.
    /// - Parameter columns: The maximum number of characters.
    func text(columns: Int, _ palette: Palette) -> String {
        var line = ""
        var width = 0
        for (text, style) in parts {
            let gap = width == 0 ? 0 : 3
            guard width + gap + text.count <= columns else { break }
            line += String(repeating: " ", count: gap) + palette.styled(text, style)
            width += gap + text.count
        }
        return line
    }

    /// The parts, the most important first.
    private var parts: [(text: String, style: Palette.Style?)] {
        var parts: [(text: String, style: Palette.Style?)] = [(restWords, nil)]
        let open = "\(Phrase.grouped(connectionCount)) open"
        if let stage { parts += [("stage \(stage.number) of \(stage.count)", nil), (open, nil)] }
        parts.append(("\(Phrase.grouped(ResultWords.whole(rate))) \(mode.wording.countedThings)/s", nil))
        if errorCount > 0 { parts.append((Phrase.count(errorCount, "error"), .failure)) }
        if !faults.isEmpty { parts.append((faults, .failure)) }
        let shownSteps = steps.filter(\.isShown)
        for step in shownSteps where step.failedCount > 0 {
            parts.append(("\(words(for: step)), \(Phrase.grouped(step.failedCount)) failed", .failure))
        }
        if !rates.isEmpty { parts.append((chart, .sent)) }
        if let latencies {
            parts.append(
                ("p50 \(Phrase.latency(Double(latencies.p50))), p99 \(Phrase.latency(Double(latencies.p99)))", nil))
        }
        if stage == nil { parts.append((open, .quiet)) }
        for step in shownSteps where step.failedCount == 0 { parts.append((words(for: step), .quiet)) }
        return parts
    }

    private func words(for step: PartResults) -> String {
        "\(escapingControls(step.name)) \(Phrase.grouped(step.received))"
    }

    private var restWords: String {
        switch rest {
        case .time(let time): "\(FixedPoint.text(max(0, time / .seconds(1)), digits: 0)) s left"
        case .messages(let count): "\(Phrase.grouped(count)) left"
        }
    }

    /// The rates as bars, scaled to the highest.
    private var chart: String {
        let most = max(rates.max() ?? 0, 1)
        return String(
            rates.suffix(Self.barCount).map { rate in
                Glyphs.heights[min(Glyphs.heights.count - 1, Int(max(0, rate) / most * Double(Glyphs.heights.count)))]
            })
    }
}

extension PartResults {
    /// The attempts without the expected outcome.
    fileprivate var failedCount: Int { mismatched + lost }
}
