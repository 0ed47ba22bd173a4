/// The arguments that `bench` and `bench merge` have in common: what becomes of results.
protocol ResultArguments: Sendable {
    var output: ResultFormat { get set }
    var histogramPath: String? { get set }
    var thresholds: [Threshold] { get set }
    var baselinePath: String? { get set }
}
