/// The reason bytes could not be decoded as a histogram.
public enum HistogramError: Error, Equatable {
    /// The bytes are not a compressed histogram of version 2.
    case unknownForm
    /// The bytes are truncated, or the compressed data is damaged.
    case damaged
    /// The histogram has a different range or precision, so its values cannot be added exactly.
    case otherLayout
}

extension HistogramError: CustomStringConvertible {
    /// The cause, as a clause without a period.
    public var description: String {
        switch self {
        case .unknownForm: "it is no compressed HdrHistogram of version 2"
        case .damaged: "the histogram is cut off or damaged"
        case .otherLayout: "the histogram does not have 3 significant digits from 1 ns to an hour"
        }
    }
}
