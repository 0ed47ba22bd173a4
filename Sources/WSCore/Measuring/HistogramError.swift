/// Why bytes are no histogram.
public enum HistogramError: Error, Equatable {
    /// They do not begin as one in the compressed form of version 2.
    case unknownForm
    /// They are cut off, or what is compressed in them is damaged.
    case damaged
    /// It has another range or another number of significant digits than ours, so that values cannot be added one for one.
    case otherLayout
}

extension HistogramError: CustomStringConvertible {
    /// A clause without a full stop.
    public var description: String {
        switch self {
        case .unknownForm: "it is no compressed HdrHistogram of version 2"
        case .damaged: "the histogram is cut off or damaged"
        case .otherLayout: "the histogram does not have 3 significant digits from 1 ns to an hour"
        }
    }
}
