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
    /// A clause without a period.
    public var description: String {
        switch self {
        case .notText: "it is not UTF-8 text"
        case .notJSON(let error): "it is not JSON: \(error)"
        case .notResults: "it is not a result of 'wsx bench --output json'"
        case .otherVersion(let found):
            "its format has version \(escapingControls(found)), but this wsx reads version \(BenchResults.version)"
        case .badMember(let name): "'\(name)' is missing or invalid"
        case .badHistogram(let name, let error): "'\(name)': \(error)"
        case .otherCount(let count, let received):
            "'histogram' has \(Phrase.count(count, "value")), but 'messages.received' is \(received)"
        case .otherMode(let one, let other):
            "it is a result of --mode \(other.rawValue), but the others are of --mode \(one.rawValue)"
        case .tooLarge: "the sum is too large"
        }
    }
}
