import Formats

// What results lack, in figures or in words.
extension BenchResults {
    /// The names of the scenarios of which no iteration has ended, while others were measured; empty if there are not
    /// several scenarios. Unknown for results that were read.
    package var unmeasuredScenarios: [String] {
        let scenarios = steps.filter(\.isScenario)
        let unmeasured = scenarios.filter { $0.received == 0 && $0.mismatched == 0 && $0.lost == 0 }
        return unmeasured.count < scenarios.count ? unmeasured.map(\.name) : []
    }
}

extension LoadTally {
    /// The warning about lines that the file of `--samples` lacks, or `nil` if it is complete.
    package var samplesWarning: String? {
        guard samplesOmitted > 0 else { return nil }
        return "The file of --samples lacks \(Phrase.count(samplesOmitted, "line")), because writing was too slow: "
            + "add :N to --samples."
    }
}
