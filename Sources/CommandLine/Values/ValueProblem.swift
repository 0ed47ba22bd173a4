/// Why a value of an option or operand is rejected.
public enum ValueProblem: Error, Equatable {
    case notADuration(orForever: Bool)
    /// The duration exceeds ``DurationValue/longest``, or is zero where a positive one is required.
    case durationOutOfRange(zeroAllowed: Bool)
    case notASize
    case notACount
    case notAFraction
    case outOfRange(ClosedRange<Int>)
    case notAChoice([String])
    case tooLong(byteCount: Int, limit: Int)
    /// A name is empty.
    case empty
    /// A text is empty.
    case emptyText
    /// A problem specific to the program. The words follow a colon. `hidesValue` hides a value that may be a secret.
    case unusable(words: String, hidesValue: Bool = false)

    /// The problem and the expected form, to follow a colon.
    public var words: String {
        switch self {
        case .notADuration(let orForever):
            "expected a duration such as 250ms, 5s or 2m" + (orForever ? ", or forever" : "")
        case .durationOutOfRange(let zeroAllowed):
            zeroAllowed ? "expected at most 1000000000s" : "expected more than 0 and at most 1000000000s"
        case .notASize: "expected a size in bytes such as 512, 64k or 16M"
        case .notACount: "expected a number such as 5, 50k or 1M"
        case .notAFraction: "expected a fraction from 0 to 1, or percents such as 10%"
        case .outOfRange(let range): "expected \(range.lowerBound) through \(range.upperBound)"
        case .notAChoice(let names): "expected " + Self.alternatives(names)
        case .tooLong(let byteCount, let limit): "it has \(byteCount) bytes, and at most \(limit) are allowed"
        case .empty: "a name is empty"
        case .emptyText: "expected a text that is not empty"
        case .unusable(let words, _): words
        }
    }

    /// Whether the value may be a secret and must not be shown.
    var hidesValue: Bool {
        if case .unusable(_, true) = self { true } else { false }
    }

    /// Joins the names with commas and 'or'.
    static func alternatives(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
