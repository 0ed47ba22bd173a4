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
            "expected a duration such as 250ms, 5s, or 2m" + (orForever ? ", or forever" : "")
        case .durationOutOfRange(let zeroAllowed):
            zeroAllowed ? "expected at most 1000000000s" : "expected more than 0, up to 1000000000s"
        case .notASize: "expected a size in bytes such as 512, 64k, or 16M"
        case .notACount: "expected a number such as 5, 50k, or 1M"
        case .notAFraction: "expected a fraction from 0 to 1, or a percentage such as 10%"
        case .outOfRange(let range): "expected a number from \(range.lowerBound) to \(range.upperBound)"
        case .notAChoice(let names): "expected " + Self.alternatives(names)
        case .tooLong(let byteCount, let limit): "it has \(byteCount) bytes; the limit is \(limit)"
        case .empty: "expected a name, but got nothing"
        case .emptyText: "expected text, but got nothing"
        case .unusable(let words, _): words
        }
    }

    /// The problem of a value, to follow a colon. For an unknown choice, it is a question about the most similar one.
    func words(for value: String) -> String {
        guard case .notAChoice(let names) = self, let nearest = EditDistance.nearest(to: value, among: names) else {
            return words
        }
        return "did you mean '\(nearest)'?"
    }

    /// Whether the value may be a secret and must not be shown.
    var hidesValue: Bool {
        if case .unusable(_, true) = self { true } else { false }
    }

    /// The names with commas and an `or` between them: `a, b, or c`.
    static func alternatives(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + (names.count > 2 ? ", or " : " or ") + last
    }
}
