import WSCore

extension BenchResults {
    /// The results as people read them; what is wrong is coloured.
    /// - Parameter verdicts: What was found by thresholds.
    func table(_ palette: Palette, verdicts: [Threshold.Verdict] = []) -> String {
        var lines = [headline, ""]
        let messages = ResultWords.count(tally.sent)
        lines.append(
            "messages   \(messages) sent, \(ResultWords.count(tally.received)) received, "
                + (tally.isFlawless ? "all as they were sent" : palette.failure(tally.faults)))
        lines.append("rate       \(ResultWords.count(Int(rate.rounded()))) replies a second")
        lines.append(
            "bytes      \(ResultWords.bytes(tally.sentBytes)) sent and \(ResultWords.bytes(tally.receivedBytes)) received, "
                + "\(ResultWords.bytes(tally.sentWireBytes)) and \(ResultWords.bytes(tally.receivedWireBytes)) with frames"
        )
        lines.append("errors     " + (tally.errorCount == 0 ? "none" : palette.failure(errors)))
        lines.append("processor  \(processor)")
        lines += ["", row("", "latency", "handshake")]
        lines.append(row("min", time(latencies.minimum), time(handshakes.minimum)))
        lines.append(row("mean", ResultWords.time(latencies.mean), ResultWords.time(handshakes.mean)))
        lines.append(
            row("stddev", ResultWords.time(latencies.standardDeviation), ResultWords.time(handshakes.standardDeviation))
        )
        for (_, label, percentile) in Self.percentiles {
            lines.append(
                row(
                    label, time(latencies.value(atPercentile: percentile)),
                    time(handshakes.value(atPercentile: percentile))))
        }
        lines.append(row("max", time(latencies.maximum), time(handshakes.maximum)))
        if !verdicts.isEmpty { lines += ["", "thresholds"] + verdicts.map { Self.line($0, palette) } }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ verdict: Threshold.Verdict, _ palette: Palette) -> String {
        let line = "\(escapingControls(verdict.threshold.expression)): \(verdict.words)"
        return verdict.isMet ? "  met      \(line)" : palette.failure("  not met  \(line)")
    }

    private var headline: String {
        let size = description.message.map { Failure.number($0.byteCount, "byte") } ?? "many sizes"
        let kind = description.message.map { $0.kind == .text ? "text " : "binary " } ?? ""
        let inFlight = description.inFlight.map { ", \($0) in flight on each" } ?? ""
        return "Echo of \(kind)messages of \(size) from \(description.url) on "
            + "\(Failure.number(description.connections, "connection"))\(inFlight), "
            + "for \(FixedPoint.text(duration / .seconds(1), digits: 1)) s"
    }

    private var errors: String {
        ResultWords.counts([
            (tally.connectErrors, "not connected"), (tally.handshakeErrors, "not accepted"),
            (tally.protocolErrors, "broke the protocol"), (tally.closedErrors, "closed or lost"),
            (tally.timeouts, "timed out"),
        ])
    }

    private var processor: String {
        "\(FixedPoint.text(processorTime / .seconds(1), digits: 2)) s of this process, from its start"
    }

    private func time(_ nanoseconds: UInt64) -> String { ResultWords.time(Double(nanoseconds)) }

    /// Columns as wide as any of their values.
    private func row(_ label: String, _ latency: String, _ handshake: String) -> String {
        Self.padded(label, 9) + Self.padded(latency, 12) + Self.padded(handshake, 12)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
