import Formats
import WSCore

/// Why a text is not a result of `wsx bench`, or why results cannot be added.
public enum BenchResultsError: Error, Equatable {
    case notText
    case notJSON(JSONError)
    /// The text is JSON, but not an object with results.
    case notResults
    /// The results have another format version.
    case otherVersion(String)
    /// A member is missing, invalid, or inconsistent with others.
    case badMember(String)
    case badHistogram(String, HistogramError)
    /// The number of latencies differs from the number of received messages.
    case otherCount(Int, received: Int)
    /// The results are of another mode.
    case otherMode(BenchMode, BenchMode)
    /// A sum would overflow.
    case tooLarge
}

extension BenchResultsError: CustomStringConvertible {
    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .notText: "it is not UTF-8 text; \(Self.remedy)"
        case .notJSON(let error): "it is not JSON: \(error); \(Self.remedy)"
        case .notResults: "it is not a result of 'wsx bench --output json'; name one that is"
        case .otherVersion(let found):
            "its format has version \(escapingControls(found)), but this wsx reads version \(BenchResults.version); "
                + "use the same version of wsx for all runs"
        case .badMember(let name): "'\(name)' is missing or invalid; \(Self.remedy)"
        case .badHistogram(let name, let error): "'\(name)': \(error); \(Self.remedy)"
        case .otherCount(let count, let received):
            "'histogram' has \(Phrase.count(count, "value")), but 'messages.received' is \(received); \(Self.remedy)"
        case .otherMode(let one, let other):
            "it is a result of --mode \(other.rawValue), but the others are of --mode \(one.rawValue); "
                + "merge results of one mode"
        case .tooLarge: "the sum is too large; merge fewer results"
        }
    }

    private static let remedy = "use the unchanged output of 'wsx bench --output json'"
}
