import Formats
import WSCore

/// Why a text is not the results of `wsx bench`, or why they cannot be added to others.
public enum BenchResultsError: Error, Equatable {
    case notText
    case notJSON(JSONError)
    /// It is JSON, and no object that could be results.
    case notResults
    /// Results in another form.
    case otherVersion(String)
    /// The member is not there, or not what it should be by itself or beside others.
    case badMember(String)
    case badHistogram(String, HistogramError)
    /// Each message that was received has a latency, and no other.
    case otherCount(Int, received: Int)
    /// Results of another mode.
    case otherMode(BenchMode, BenchMode)
    /// A sum would be larger than can be counted.
    case tooLarge
}

extension BenchResultsError: CustomStringConvertible {
    /// A clause without a full stop.
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
