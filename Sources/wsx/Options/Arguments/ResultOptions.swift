import LoadTest

/// What becomes of results.
struct ResultOptions: Equatable, Sendable {
    var output = ResultFormat.text
    /// A file that takes the histograms.
    var histogramPath: String?
    /// A file that takes the page with the results.
    var reportPath: String?
    /// What has to hold.
    var thresholds: [Threshold] = []
    /// Files with the results of an earlier run each.
    var baselinePaths: [String] = []
}
