import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

extension FuzzTarget {
    /// The results of a load test.
    ///
    /// - Invalid results are rejected with a one-line message that is safe to show.
    /// - Valid results survive writing and reading, can be formatted as a table, and can be added to themselves.
    static let benchResults = FuzzTarget(name: "bench-results") { input in
        do throws(BenchResultsError) {
            let results = try BenchResults(json: input.span.bytes)
            let text = results.json()
            let again = try BenchResults(json: Array(text.utf8).span.bytes)
            expectEqual(again.json(), text, "results, written and read")
            for line in results.table(Palette(isEnabled: false)).split(separator: "\n") {
                expectOneSafeLine(String(line))
            }
            add(again, to: results)
        } catch {
            expectOneSafeLine("\(error)")
        }
    }

    private static func add(_ addend: BenchResults, to results: BenchResults) {
        let (received, latencyCount) = (results.tally.received, results.latencies.totalCount)
        do throws(BenchResultsError) {
            try results.add(addend)
            expectEqual(results.tally.received, 2 * received, "the sum of counts")
            expectEqual(results.latencies.totalCount, 2 * latencyCount, "the sum of histograms")
        } catch {
            expectEqual(error, .tooLarge, "results of the same mode")
        }
    }
}
