/// What was typed after `wsx bench merge`.
struct MergeArguments: Equatable, Sendable, ResultArguments {
    /// Files of results, 1 or more; `-` is standard input.
    var paths: [String] = []

    var output = ResultFormat.text
    /// A file that takes the histograms.
    var histogramPath: String?
    /// A file that takes the page with the results.
    var reportPath: String?
    /// What has to hold.
    var thresholds: [Threshold] = []
    /// Files with the results of an earlier run each.
    var baselinePaths: [String] = []

    var isQuiet = false
    var color = ColorChoice.auto
}
