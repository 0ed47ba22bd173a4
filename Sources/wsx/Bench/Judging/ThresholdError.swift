/// Why a text is no threshold.
enum ThresholdError: Error, Equatable {
    /// There is no operator in it.
    case noComparison
    case unknownMetric(String)
    case notATime
    case notANumber
    case notAShare
    /// Only of messages there are shares.
    case noShare(String)
}

extension ThresholdError: CustomStringConvertible {
    /// What is expected, to follow a colon.
    var description: String {
        switch self {
        case .noComparison: "expected a metric, an operator and a value, such as p99<20ms, rate>50k or errors=0"
        case .unknownMetric(let name):
            "'\(name)' is no metric; expected p50, p99.9, min, mean, stddev, max, handshake.p99, rate, errors, "
                + "errors.connect, sent, received, lost, mismatched, duplicated, reordered or unsent"
        case .notATime: "expected a time with its unit behind the operator, such as 500us, 20ms or 1.5s"
        case .notAShare: "expected a share behind the operator, from 0% to 100%"
        case .notANumber: "expected a number behind the operator, such as 0, 100 or 50k"
        case .noShare(let name): "'\(name)' has no share of the messages that were sent; expected a number"
        }
    }
}
