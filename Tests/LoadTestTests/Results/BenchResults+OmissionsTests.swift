import TestSupport
import Testing

@testable import LoadTest

@Suite struct BenchResultsOmissionsTests {
    @Test("Lines that the file of samples lacks have a warning")
    func samples() {
        var tally = LoadTally()
        expectNil(tally.samplesWarning)
        tally.samplesOmitted = 1
        expectEqual(
            tally.samplesWarning,
            "The file of --samples lacks 1 line, because writing was too slow: add :N to --samples.")
    }
}
