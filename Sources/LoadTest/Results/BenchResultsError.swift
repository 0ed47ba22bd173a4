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
        case .notResults: "it is not what 'wsx bench --output json' writes"
        case .otherVersion(let found):
            "it has version \(escapingControls(found)) of the form of results, and this wsx knows \(BenchResults.version)"
        case .badMember(let name): "'\(name)' is missing, or not what it should be"
        case .badHistogram(let name, let error): "'\(name)': \(error)"
        case .otherCount(let count, let received):
            "'histogram' has \(Phrase.count(count, "value")), and 'messages.received' is \(received)"
        case .otherMode(let one, let other):
            "it is of --mode \(other.rawValue), and those before are of \(one.rawValue)"
        case .tooLarge: "the sum would be too large to be counted"
        }
    }
}
