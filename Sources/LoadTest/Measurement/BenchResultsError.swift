import Formats
import WSCore

/// Why a text is not a result of `wsx bench`, or why results cannot be added.
package enum BenchResultsError: Error, Equatable {
    case notText
    case notJSON(JSONError)
    /// The text is JSON, but not an object with results.
    case notResults
    /// The results have another format version.
    case otherVersion(String, expected: Int)
    /// A member is missing, invalid, or inconsistent with others.
    case badMember(String)
    case badHistogram(String, HistogramError)
    /// The number of latencies differs from the number of received messages.
    case otherCount(Int, received: Int)
    /// The results are of another mode; the names of both.
    case otherMode(String, String)
    /// A sum would overflow.
    case tooLarge
}

extension BenchResultsError: CustomStringConvertible {
    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .notText: "it is not UTF-8 text; \(Self.remedy)"
        case .notJSON(let error): "it is not JSON: \(error); \(Self.remedy)"
        case .notResults: "it is not a result of 'wsx bench --output json'; name one that is"
        case .otherVersion(let found, let expected):
            "its format has version \(escapingControls(found)), but this wsx reads version \(expected); "
                + "use the same version of wsx for all runs"
        case .badMember(let name): "'\(name)' is missing or invalid; \(Self.remedy)"
        case .badHistogram(let name, let error): "'\(name)': \(error); \(Self.remedy)"
        case .otherCount(let count, let received):
            "'histogram' has \(Phrase.count(count, "value")), but 'messages.received' has \(received) with a latency; \(Self.remedy)"
        case .otherMode(let one, let other):
            "it is a result of --mode \(other), but the others are of --mode \(one); "
                + "merge results of one mode"
        case .tooLarge: "the sum is too large; merge fewer results"
        }
    }

    private static let remedy = "use the unchanged output of 'wsx bench --output json'"
}

extension Int {
    /// The sum of two counts.
    /// - Throws: ``BenchResultsError/tooLarge``.
    internal func adding(checking other: Int) throws(BenchResultsError) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        guard !overflow else { throw .tooLarge }
        return sum
    }
}

extension Histogram {
    /// Adds another histogram, and checks for overflow.
    internal mutating func add(checking other: borrowing Histogram) throws(BenchResultsError) {
        guard !totalCount.addingReportingOverflow(other.totalCount).overflow else { throw .tooLarge }
        add(other)
    }
}
