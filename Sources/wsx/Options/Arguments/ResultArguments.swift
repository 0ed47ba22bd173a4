/// The arguments that `bench` and `bench merge` have in common: what becomes of results.
protocol ResultArguments: DisplayArguments {
    var output: ResultFormat { get set }
    var histogramPath: String? { get set }
    var reportPath: String? { get set }
    var thresholds: [Threshold] { get set }
    var baselinePaths: [String] { get set }
    /// The files that are read, by what names them.
    var readFiles: [OutputPlace.Source] { get }
}
