import Formats
import LoadTest
import WSCore

/// What a terminal shows of a run while it goes on, on one line.
struct ProgressLine {
    /// What there is left to do.
    enum Rest: Equatable {
        case time(Duration)
        case messages(Int)
    }

    var rest: Rest
    /// Messages a second, of the last while.
    var rate: Double
    /// Those of each quarter of a second, the latest at the end.
    var rates: [Double]
    /// Those of the last second that is over, in nanoseconds; nil: there are none.
    var latencies: BenchSecond.Latencies?
    var connectionCount: Int
    var errorCount: Int
    let mode: BenchMode

    /// How many of the last rates are drawn.
    static let barCount = 16
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The line, without what there is no room for.
    /// - Parameter columns: How many characters it may have.
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

    /// The most important first.
    private var parts: [(text: String, style: Palette.Style?)] {
        var parts: [(text: String, style: Palette.Style?)] = [(restWords, nil)]
        parts.append(("\(ResultWords.count(ResultWords.whole(rate))) \(mode.wording.countedThings)/s", nil))
        if errorCount > 0 { parts.append((Phrase.count(errorCount, "error"), .failure)) }
        if !rates.isEmpty { parts.append((chart, .sent)) }
        if let latencies {
            parts.append(
                ("p50 \(ResultWords.time(Double(latencies.p50))), p99 \(ResultWords.time(Double(latencies.p99)))", nil))
        }
        parts.append(("\(ResultWords.count(connectionCount)) open", .quiet))
        return parts
    }

    private var restWords: String {
        switch rest {
        case .time(let time): "\(FixedPoint.text(max(0, time / .seconds(1)), digits: 0)) s left"
        case .messages(let count): "\(ResultWords.count(count)) left"
        }
    }

    /// The rates as bars, the highest of them in full.
    private var chart: String {
        let most = max(rates.max() ?? 0, 1)
        return String(
            rates.suffix(Self.barCount).map { rate in
                Self.bars[min(Self.bars.count - 1, Int(max(0, rate) / most * Double(Self.bars.count)))]
            })
    }
}
