/// What is thought of results: whether they are as they had to be, and as they were.
struct BenchJudgement: Equatable, Sendable {
    /// What was found by thresholds.
    var verdicts: [Threshold.Verdict] = []
    /// Nil: there was nothing to compare with.
    var comparison: BaselineComparison?
}
