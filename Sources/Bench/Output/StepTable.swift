import CommandLine
import Formats
import LoadTest
import UserInterface
import WSCore

/// The steps of a scenario in the results, as a table.
enum StepTable {
    private static let headings = ["steps", "passed", "wrong", "timed out", "closed", "p50", "p99", "max"]
    private static let gap = 2

    /// The definition of the times in an open loop.
    private static let scheduledTimes = """
        The first step that waits counts from the time at which its iteration was due. The others are service times, \
        from the beginning of the step.
        """

    /// The lines of the table, with a row for each step that has a name or faults; empty if there are no such steps.
    /// Rows of steps with faults are colored. If the table does not fit, each step has several lines.
    /// - Parameters:
    ///   - isScheduled: Whether iterations had due times.
    ///   - columns: The maximum line width; at least 40.
    static func lines(of steps: [PartResults], isScheduled: Bool, _ palette: Palette, columns: Int) -> [String] {
        let steps = steps.filter(\.isShown)
        guard !steps.isEmpty else { return [] }
        var lines = rows(of: steps, palette, columns: columns)
        for step in steps {
            guard let stream = step.stream else { continue }
            let words = "\(escapingControls(step.name)): " + StreamWords.facts(of: stream).joined(separator: "; ")
            lines += ResultWords.wrapped(words, indentation: 0, columns: columns)
        }
        return isScheduled ? lines + ResultWords.wrapped(scheduledTimes, indentation: 0, columns: columns) : lines
    }

    private static func rows(of steps: [PartResults], _ palette: Palette, columns: Int) -> [String] {
        let rows = [headings] + steps.map(cells)
        let widths = ResultWords.widths(of: rows)
        guard widths.reduce(0, +) + gap * (widths.count - 1) <= columns else {
            return [headings[0]] + steps.flatMap { stacked($0, palette, columns: columns) }
        }
        return rows.enumerated().map { index, row in
            let line = zip(row, widths).enumerated().map { column, cell in
                column == 0 ? ResultWords.left(cell.0, cell.1) : rightAligned(cell.0, gap + cell.1)
            }.joined()
            return index == 0 || steps[index - 1].isFlawless ? line : palette.failure(line)
        }
    }

    private static func cells(_ step: PartResults) -> [String] {
        [
            escapingControls(step.name), Phrase.grouped(step.received), Phrase.grouped(step.mismatched),
            Phrase.grouped(step.timeouts), Phrase.grouped(step.closed),
        ] + times(step)
    }

    /// The median, the 99th percentile, and the maximum of the durations, or dashes without any.
    static func times(_ step: PartResults) -> [String] {
        let histogram = step.histogram()
        guard histogram.totalCount > 0 else { return ["-", "-", "-"] }
        return [histogram.value(atPercentile: 50), histogram.value(atPercentile: 99), histogram.maximum].map {
            Phrase.latency(Double($0))
        }
    }

    private static func stacked(_ step: PartResults, _ palette: Palette, columns: Int) -> [String] {
        let values = cells(step)
        let words = zip(headings, values).dropFirst().map { "\($0) \($1)" }
        let lines =
            ResultWords.wrapped(values[0], indentation: 2, columns: columns)
            + ResultWords.wrapped(words.joined(separator: ", "), indentation: 4, columns: columns)
        return step.isFlawless ? lines : lines.map(palette.failure)
    }
}
