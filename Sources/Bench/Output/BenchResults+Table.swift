import CommandLine
import Formats
import LoadTest
import UserInterface
import WSCore

extension BenchResults {
    /// The column at which the text of a fact begins.
    private static let factColumn = 12

    /// The number of causes of errors in the table.
    private static let shownCauses = 5

    /// The minimum width of the table.
    static let fewestColumns = 40

    /// The results as a table. Problems are colored.
    /// - Parameters:
    ///   - judgement: The verdicts on the results.
    ///   - terminalColumns: The width of the terminal, or `nil` if there is none. Lines other than the URL's are at
    ///     most as wide as the terminal, but between 40 and 80 columns.
    func table(
        _ palette: Palette, _ judgement: BenchJudgement = BenchJudgement(), columns terminalColumns: Int? = nil
    ) -> String {
        let columns = max(Self.fewestColumns, min(terminalColumns ?? HelpText.columns, HelpText.columns))
        func wrapped(_ text: String) -> [String] { ResultWords.wrapped(text, indentation: 0, columns: columns) }
        var lines = description.notes.title.map { wrapped(escapingControls($0)) } ?? []
        lines += judgement.verdictLines(palette, columns: columns) + [""]
        lines += headlines.flatMap(wrapped) + [escapingControls(description.url)]
        for (key, value) in description.notes.labels { lines += wrapped(escapingControls("\(key)=\(value)")) }
        lines.append("")
        for fact in facts {
            let texts = ResultWords.wrapped(fact.text, indentation: Self.factColumn, columns: columns)
            for (index, text) in texts.enumerated() {
                let words = String(text.dropFirst(Self.factColumn))
                lines.append(
                    ResultWords.left(index == 0 ? fact.name : "", Self.factColumn)
                        + (fact.isProblem ? palette.failure(words) : words))
            }
        }
        if latencies.totalCount > 0 {
            let part = tally.latencyOmitted > 0 ? " of \(measuredPart)" : ""
            lines += ["", "latencies\(part)"] + Self.statistics(latencies, columns: columns)
            lines += [""] + LatencyChart.lines(of: latencies, palette, columns: columns)
        }
        let steps = StepTable.lines(of: steps, isScheduled: description.isScheduled, palette, columns: columns)
        if !steps.isEmpty { lines += [""] + steps }
        let stages = StageTable.lines(of: self, palette, columns: columns)
        if !stages.isEmpty { lines += [""] + stages }
        if let search = judgement.search { lines += [""] + search.lines(columns: columns) }
        if let comparison = judgement.comparison { lines += [""] + comparison.lines(palette, columns: columns) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The messages with a latency: `12 of 5,000 replies`.
    var measuredPart: String {
        "\(Phrase.grouped(Int(clamping: latencies.totalCount))) of \(Phrase.grouped(tally.received)) "
            + description.mode.wording.countedThings
    }

    private var headlines: [String] {
        let size = description.message?.byteCount.map { "\(Phrase.grouped($0))-byte " } ?? ""
        let kind = description.message.map { $0.kind == .text ? "text " : "binary " } ?? ""
        let inFlight =
            description.mode.accepts(.inFlight)
            ? description.inFlight.map { ", \(Phrase.grouped($0)) in flight each" } ?? "" : ""
        let rate = description.targetRate.map { ", target rate \($0)" } ?? ""
        let connections = Phrase.grouped(description.connections)
        let streams = description.streams.map { ", \(Phrase.grouped($0)) on each HTTP/2 connection" } ?? ""
        let seconds = FixedPoint.text(duration / .seconds(1), digits: 1)
        return [
            "\(description.mode.wording.headline("\(size)\(kind)messages")) for \(seconds) s",
            "\(connections) connection\(description.connections == 1 ? "" : "s")\(streams)\(inFlight)\(rate)",
        ]
    }

    /// A labeled text, which may wrap to several lines.
    struct Fact {
        let name: String
        let text: String
        var isProblem = false
    }

    var facts: [Fact] {
        let mode = description.mode
        let counts = mode.wording.counts(
            sent: Phrase.grouped(tally.sent), received: Phrase.grouped(tally.received))
        let praise = mode.metrics.verifiesMessages && tally.isFlawless ? ", all correct" : ""
        var facts = [Fact(name: mode.wording.sentThings, text: counts + praise)]
        if !tally.isFlawless { facts.append(Fact(name: "faults", text: tally.faults, isProblem: true)) }
        if tally.unsent > 0 {
            // Without a rate, only a number of messages can remain.
            let when = description.rateAsked == nil ? "requested" : "due"
            let words = "\(Phrase.grouped(tally.unsent)) \(when) but not \(mode.wording.sentVerb)"
            facts.append(Fact(name: "unsent", text: words, isProblem: true))
        }
        for count in CountGroup.messages.counts where !count.isFault && tally[keyPath: count.path] > 0 {
            guard let words = count.words else { continue }
            facts.append(Fact(name: "\(count.name)", text: "\(Phrase.grouped(tally[keyPath: count.path])) \(words)"))
        }
        if tally.pushes > 0 {
            let words = mode == .scenario ? "messages were skipped" : "messages answered no request"
            facts.append(Fact(name: "pushes", text: "\(Phrase.grouped(tally.pushes)) \(words)"))
        }
        if let publishedClock, let words = Self.words(for: publishedClock) {
            facts.append(Fact(name: "clocks", text: words, isProblem: true))
        }
        if let stream, tally.received > 0, !hasOmittedAllLatencies {
            facts += [
                Fact(name: "replies", text: stream.messagesPerReply ?? "-"),
                Fact(name: "first", text: StreamWords.percentiles(of: stream.firstTimes())),
                Fact(name: "longest gap", text: StreamWords.percentiles(of: stream.longestGaps())),
                Fact(name: "last", text: StreamWords.percentiles(of: latencies)),
            ]
        }
        facts += [
            Fact(name: "rate", text: "\(ResultWords.rate(rate)) \(mode.wording.countedThings) per second"),
            Fact(name: "sent", text: traffic(tally.traffic.sent, tally.loadTraffic.sent)),
            Fact(name: "received", text: traffic(tally.traffic.received, tally.loadTraffic.received)),
            tally.errors.total == 0
                ? Fact(name: "errors", text: "none")
                : Fact(name: "errors", text: tally.words(for: CountGroup.errors.counts), isProblem: true),
        ]
        if !tally.causes.isEmpty {
            let words = tally.causes.words(limit: Self.shownCauses, times: Glyphs.times)
            facts.append(Fact(name: "causes", text: escapingControls(words), isProblem: true))
        }
        if !mode.load.needsConnections {
            facts.append(Fact(name: "phases", text: phaseMedians))
        } else if times[.handshake].totalCount > 0 {
            facts.append(Fact(name: "handshake", text: Self.range(times[.handshake])))
        }
        if tally.openings.http2Streams > 0 { facts.append(Fact(name: "http/2", text: http2Streams)) }
        if tally.openings.tlsHandshakes > 0 { facts.append(Fact(name: "tls", text: tlsHandshakes)) }
        if tally.openings.requestedSeconds > 0 {
            facts.append(Fact(name: "retry-after", text: "\(Phrase.grouped(tally.openings.requestedSeconds)) s waited"))
        }
        for measure in TimeMeasure.listed where times[measure].totalCount > 0 {
            facts.append(Fact(name: measure.label, text: Self.range(times[measure])))
        }
        facts.append(Fact(name: "cpu", text: processor))
        return facts + GeneratorVerdict(self).warnings.map { Fact(name: "", text: $0, isProblem: true) }
    }

    /// Message bytes in total and per second of the measured duration, and bytes on the wire.
    private func traffic(_ whole: Traffic, _ load: Traffic) -> String {
        let seconds = duration / .seconds(1)
        let rate =
            seconds > 0 ? " (\(ResultWords.bytes(ResultWords.whole(Double(load.messageBytes) / seconds)))/s)" : ""
        return "\(ResultWords.bytes(whole.messageBytes))\(rate), \(ResultWords.bytes(whole.wireBytes)) on the wire"
    }

    /// The messages without a latency, or `nil` if each has one.
    private static func words(for clock: PublishedClock) -> String? {
        let texts = [
            clock.negativeCount == 0
                ? nil
                : "\(Phrase.grouped(clock.negativeCount)) received before sent, by up to \(time(clock.mostNegative))",
            clock.withoutTimeCount == 0 ? nil : "\(Phrase.grouped(clock.withoutTimeCount)) without a time",
        ]
        let shown = texts.compactMap(\.self).joined(separator: ", ")
        return shown.isEmpty ? nil : shown + "; they have no latency"
    }

    private static func range(_ histogram: borrowing Histogram) -> String {
        "\(time(histogram.minimum)) to \(time(histogram.maximum)), median \(time(histogram.value(atPercentile: 50)))"
    }

    /// The median of each phase of opening a connection. Phases that did not occur are omitted.
    private var phaseMedians: String {
        var parts: [String] = []
        for phase in TimeMeasure.phases where times[phase].totalCount > 0 {
            parts.append("\(phase.label) \(Self.time(times[phase].value(atPercentile: 50)))")
        }
        return "medians: " + parts.joined(separator: ", ")
    }

    // MARK: Processor

    private var processor: String {
        func percent(_ part: Double) -> String { "\(FixedPoint.text(part * 100, digits: 0)) %" }
        let busiest = percent(part(of: processorTimes.busiest))
        guard description.threads > 1 else { return "\(busiest) of a core while sending" }
        let mean = percent(part(of: processorTimes.load / description.threads))
        return "\(mean) of a core per thread while sending, \(busiest) in the busiest of \(description.threads)"
    }

    // MARK: Latencies

    private static func statistics(_ histogram: borrowing Histogram, columns: Int) -> [String] {
        var statistics = [
            ("min", time(histogram.minimum)), ("mean", Phrase.latency(histogram.mean)),
            ("stddev", Phrase.latency(histogram.standardDeviation)), ("max", time(histogram.maximum)),
        ]
        for (_, label, percentile) in percentiles {
            statistics.append((label, time(histogram.value(atPercentile: percentile))))
        }
        // Labels and values need 8 columns each, including a blank. They form four rows of three or six rows of two.
        let perRow = columns >= 3 * 2 * 8 ? 3 : 2
        let width = min(12, columns / perRow / 2)
        let rowCount = statistics.count / perRow
        return (0..<rowCount).map { row in
            stride(from: row, to: statistics.count, by: rowCount).map { index in
                let (label, value) = statistics[index]
                return rightAligned(label, width) + rightAligned(value, width)
            }.joined()
        }
    }

    private static func time(_ nanoseconds: UInt64) -> String { Phrase.latency(Double(nanoseconds)) }
}
