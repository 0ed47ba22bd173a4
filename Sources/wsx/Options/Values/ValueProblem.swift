import Formats
import LoadTest

/// Why the value of an option or operand is of no use. The words are in `UsageError+Message.swift`.
enum ValueProblem: Error, Equatable {
    case notADuration(orForever: Bool)
    /// Above ``DurationValue/longest``, or zero where something must have time to happen.
    case durationOutOfRange(zeroAllowed: Bool)
    case notASize
    /// Not a moment, and not a time from now.
    case notAStartTime
    case notACount
    case outOfRange(ClosedRange<Int>)
    case notAChoice([String])
    case notACloseCode
    case notAPin
    case notASpeed
    case notADelay
    case notAFraction
    case notACloseLimit
    case notARejection
    case notAPattern(PatternError)
    case notAField
    case notAThreshold(ThresholdError)
    case notATemplate(MessageTemplateError)
    /// The value is clearly meant for something else.
    case misplaced(MisplacedValue)
    /// Not an origin; `*` can be one where all are allowed. `isURL`: it has a user, path or query, which an origin does not have.
    case notAnOrigin(allAllowed: Bool, isURL: Bool)
    /// The text may be a secret, and is not shown.
    case notACookie
    case tooLong(byteCount: Int, limit: Int)
    case empty
    case emptyText
}
