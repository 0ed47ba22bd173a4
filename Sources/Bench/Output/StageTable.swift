import Formats
import LoadTest
import UserInterface
import WSCore

/// The stages of a load in the results, as a table.
enum StageTable {
    private static let gap = 2

    /// The lines of the table, with a row for each stage; empty without stages. Rows of stages with faults are colored.
    /// If the table does not fit, the last columns are omitted.
    /// - Parameter columns: The maximum line width; at least 40.
    static func lines(of results: BenchResults, _ palette: Palette, columns: Int) -> [String] {
        guard let plan = results.description.stages else { return [] }
        let target = plan.quantity == .connections ? "connections" : "target rate"
        let hasLatencies = results.description.mode.metrics.hasLatencies
        let headings = ["stages", target, "rate", "failed"] + (hasLatencies ? ["p50", "p99", "max"] : []) + ["time"]
        var rows = [headings]
        for (index, (part, stage)) in zip(results.stages, plan.stages).enumerated() {
            rows.append(
                [
                    part.name, Phrase.grouped(stage.target), ResultWords.rate(results.rate(ofStage: index)),
                    Phrase.grouped(part.mismatched + part.lost),
                ] + (hasLatencies ? StepTable.times(part) : []) + [Phrase.duration(stage.duration)])
        }
        let widths = ResultWords.widths(of: rows)
        let stages = results.stages
        return rows.enumerated().map { index, row in
            var line = ResultWords.left(row[0], widths[0])
            var width = widths[0]
            for (cell, cellWidth) in zip(row, widths).dropFirst() {
                width += gap + cellWidth
                guard width <= columns else { break }
                line += rightAligned(cell, gap + cellWidth)
            }
            return index == 0 || stages[index - 1].isFlawless ? line : palette.failure(line)
        }
    }
}
