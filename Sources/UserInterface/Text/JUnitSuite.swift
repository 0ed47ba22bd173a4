import Formats
import WSCore

/// The results of checks in the JUnit XML format, which CI systems show.
package struct JUnitSuite {
    /// What became of a check.
    package enum Outcome {
        case passed
        case failed(reason: String)
        /// The check could not be made.
        case inconclusive(reason: String)
        case skipped
    }

    private let name: String
    private var cases = ""
    private var (caseCount, failureCount, errorCount, skippedCount) = (0, 0, 0, 0)

    /// Creates an empty suite.
    package init(name: String) { self.name = escapingMarkup(name) }

    /// Adds a check.
    package mutating func add(_ check: String, _ outcome: Outcome, nanoseconds: UInt64 = 0) {
        let seconds = FixedPoint.text(Double(nanoseconds) / 1e9, digits: 6)
        caseCount += 1
        cases += "    <testcase classname=\"\(name)\" name=\"\(escapingMarkup(check))\" time=\"\(seconds)\""
        switch outcome {
        case .passed: cases += "/>\n"
        case .failed(let reason):
            failureCount += 1
            cases += "><failure message=\"\(escapingMarkup(reason))\"/></testcase>\n"
        case .inconclusive(let reason):
            errorCount += 1
            cases += "><error message=\"\(escapingMarkup(reason))\"/></testcase>\n"
        case .skipped:
            skippedCount += 1
            cases += "><skipped/></testcase>\n"
        }
    }

    /// The document.
    package var text: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            + "  <testsuite name=\"\(name)\" tests=\"\(caseCount)\" failures=\"\(failureCount)\" "
            + (errorCount > 0 ? "errors=\"\(errorCount)\" " : "")
            + "skipped=\"\(skippedCount)\">\n\(cases)  </testsuite>\n</testsuites>\n"
    }
}
