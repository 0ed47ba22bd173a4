import CommandLine
import Formats
import LoadTest
import WSCore

extension BenchResults {
    /// Where what is said of something begins.
    private static let factColumn = 12

    /// The fewest columns that the table fits in.
    static let fewestColumns = 40

    /// The results as people read them; what is wrong is coloured.
    /// - Parameters:
    ///   - judgement: What is thought of them.
    ///   - terminalColumns: The width of the terminal; nil: there is none. No line but the URL's is wider than 80 columns or
    ///     the terminal, or 40 columns on a narrower one.
    func table(
        _ palette: Palette, _ judgement: BenchJudgement = BenchJudgement(), columns terminalColumns: Int? = nil
    ) -> String {
        let columns = max(Self.fewestColumns, min(terminalColumns ?? HelpText.columns, HelpText.columns))
        var lines = headlines.flatMap { HelpText.wrapped($0, indentation: 0, columns: columns) }
        lines += [escapingControls(description.url), ""]
        for fact in facts {
            let texts = HelpText.wrapped(fact.text, indentation: Self.factColumn, columns: columns)
            for (index, text) in texts.enumerated() {
                let words = String(text.dropFirst(Self.factColumn))
                lines.append(
                    ResultWords.left(index == 0 ? fact.name : "", Self.factColumn)
                        + (fact.isProblem ? palette.failure(words) : words))
            }
        }
        if latencies.totalCount > 0 {
            lines += ["", "latencies"] + Self.statistics(latencies, columns: columns)
            lines += [""] + LatencyChart.lines(of: latencies, palette, columns: columns)
        }
        lines += judgement.lines(palette, columns: columns)
        return lines.joined(separator: "\n") + "\n"
    }

    private var headlines: [String] {
        let size = description.message?.byteCount.map { "\(ResultWords.count($0))-byte " } ?? ""
        let kind = description.message.map { $0.kind == .text ? "text " : "binary " } ?? ""
        let inFlight =
            description.mode.accepts(.inFlight)
            ? description.inFlight.map { ", \(ResultWords.count($0)) in flight each" } ?? "" : ""
        let rate = description.rateAsked.map { ", target rate \(ResultWords.count($0)) per second" } ?? ""
        let connections = ResultWords.count(description.connections)
        let seconds = FixedPoint.text(duration / .seconds(1), digits: 1)
        return [
            "\(description.mode.wording.headline("\(size)\(kind)messages")) for \(seconds) s",
            "\(connections) connection\(description.connections == 1 ? "" : "s")\(inFlight)\(rate)",
        ]
    }

    /// A line of the table, or a few.
    private struct Fact {
        let name: String
        let text: String
        var isProblem = false
    }

    private var facts: [Fact] {
        let mode = description.mode
        let counts = mode.wording.counts(
            sent: ResultWords.count(tally.sent), received: ResultWords.count(tally.received))
        let praise = mode.metrics.verifiesMessages && tally.isFlawless ? ", all correct" : ""
        var facts = [Fact(name: mode.wording.sentThings, text: counts + praise)]
        if !tally.isFlawless { facts.append(Fact(name: "faults", text: tally.faults, isProblem: true)) }
        if tally.unsent > 0 {
            facts.append(
                Fact(name: "unsent", text: "\(ResultWords.count(tally.unsent)) due but not sent", isProblem: true))
        }
        let rate =
            rate < 100 ? FixedPoint.text(rate, digits: 1) : ResultWords.count(ResultWords.whole(rate))
        facts += [
            Fact(name: "rate", text: "\(rate) \(mode.wording.countedThings) per second"),
            Fact(name: "sent", text: traffic(tally.sentBytes, tally.sentWireBytes)),
            Fact(name: "received", text: traffic(tally.receivedBytes, tally.receivedWireBytes)),
            tally.errorCount == 0
                ? Fact(name: "errors", text: "none") : Fact(name: "errors", text: errors, isProblem: true),
        ]
        if !mode.load.needsConnections {
            facts.append(Fact(name: "phases", text: phaseMedians))
        } else if handshakes.totalCount > 0 {
            facts.append(Fact(name: "handshake", text: opening))
        }
        facts.append(Fact(name: "cpu", text: processor))
        return facts + GeneratorVerdict(self).warnings.map { Fact(name: "", text: $0, isProblem: true) }
    }

    /// Bytes of messages, by the time, and what the frames add.
    private func traffic(_ bytes: Int, _ wireBytes: Int) -> String {
        let seconds = duration / .seconds(1)
        let rate = seconds > 0 ? " (\(ResultWords.bytes(ResultWords.whole(Double(bytes) / seconds)))/s)" : ""
        return "\(ResultWords.bytes(bytes))\(rate), \(ResultWords.bytes(wireBytes)) on the wire"
    }

    private var errors: String {
        ResultWords.counts([
            (tally.connectErrors, "failed to connect"), (tally.handshakeErrors, "refused by the server"),
            (tally.protocolErrors, "broke the protocol"), (tally.closedErrors, "closed or lost"),
            (tally.timeouts, "timed out"),
        ])
    }

    private var opening: String {
        "\(Self.time(handshakes.minimum)) to \(Self.time(handshakes.maximum)), "
            + "median \(Self.time(handshakes.value(atPercentile: 50)))"
    }

    /// What each part of opening a connection took, but for those that none had.
    private var phaseMedians: String {
        var parts: [String] = []
        for (phase, _, label) in PhaseHistograms.names {
            phases.read(phase) { histogram in
                guard histogram.totalCount > 0 else { return }
                parts.append("\(label) \(Self.time(histogram.value(atPercentile: 50)))")
            }
        }
        return "medians: " + parts.joined(separator: ", ")
    }

    // MARK: Processor

    private var processor: String {
        func percent(_ part: Double) -> String { "\(FixedPoint.text(part * 100, digits: 0)) %" }
        let busiest = percent(part(of: busiestProcessorTime))
        guard description.threads > 1 else { return "\(busiest) of a core while sending" }
        let mean = percent(part(of: loadProcessorTime / description.threads))
        return "\(mean) of a core per thread while sending, \(busiest) in the busiest of \(description.threads)"
    }

    // MARK: Latencies

    private static func statistics(_ histogram: borrowing Histogram, columns: Int) -> [String] {
        var statistics = [
            ("min", time(histogram.minimum)), ("mean", ResultWords.time(histogram.mean)),
            ("stddev", ResultWords.time(histogram.standardDeviation)), ("max", time(histogram.maximum)),
        ]
        for (_, label, percentile) in percentiles {
            statistics.append((label, time(histogram.value(atPercentile: percentile))))
        }
        // A label or value needs 8 columns with a blank: four rows of three, or six rows of two.
        let perRow = columns >= 3 * 2 * 8 ? 3 : 2
        let width = min(12, columns / perRow / 2)
        let rowCount = statistics.count / perRow
        return (0..<rowCount).map { row in
            stride(from: row, to: statistics.count, by: rowCount).map { index in
                let (label, value) = statistics[index]
                return ResultWords.right(label, width) + ResultWords.right(value, width)
            }.joined()
        }
    }

    private static func time(_ nanoseconds: UInt64) -> String { ResultWords.time(Double(nanoseconds)) }
}
