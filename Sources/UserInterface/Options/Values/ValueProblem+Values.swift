import CommandLine
import Conversation
import Formats
import LoadTest

/// The problems of values that only wsx has.
extension ValueProblem {
    /// Neither a point in time nor a time from now.
    static let notAStartTime = unusable(
        words: "expected a time such as 2026-05-01T12:00:00Z or +30s, or seconds since 1970")
    static let notACloseCode = unusable(
        words: "expected 1000 to 1003, 1007 to 1014, or 3000 to 4999")
    static let notAPin = unusable(words: "expected sha256// and 44 characters of Base64, as -v shows them for a server")
    static let notASpeed = unusable(words: "expected max, or a factor such as 1, 2, or 0.5")
    static let notADelay = unusable(words: "expected a duration such as 250ms, or a range such as 100ms-2s")
    static let notStages = unusable(words: "expected targets with durations, such as 100@1m,500@5m,0@30s")
    static let emptyStages = unusable(words: "expected at least one target and one duration above 0")
    static let notACloseLimit = unusable(
        words: "expected a number of messages such as 5, or a time with a unit such as 500ms or 5s")
    static let notARejection = unusable(
        words: "expected a status from 300 to 599, optionally with a number of requests, such as 503x3")
    static let notAField = unusable(
        words: "expected the name of a JSON member, a path such as /params/id, or REQUEST=REPLY; "
            + "write '~' as ~0 and '/' as ~1")
    static let notAPointer = unusable(words: "expected JSON Pointers separated by commas, such as /time,/user/id")

    static func notACondition(_ error: MessageConditionError) -> ValueProblem { unusable(words: "\(error)") }

    static let placeholderInPattern = unusable(words: VariableNames.noPlaceholderInPattern)

    static func notAFormat(_ reason: String) -> ValueProblem {
        unusable(words: reason + "; write {{ and }} for braces")
    }
    static func notAPath(_ error: JSONQueryError) -> ValueProblem { unusable(words: "\(error)") }

    static func notAThreshold(_ error: ThresholdError) -> ValueProblem { unusable(words: "\(error)") }

    static func tooManyStages(_ limit: Int) -> ValueProblem { unusable(words: "expected at most \(limit) stages") }

    /// The metric of a condition is not known during a run.
    static let knownAtEnd = unusable(words: "handshake times are known only at the end of a run; use --threshold")

    /// The value is clearly meant for another option.
    static func misplaced(_ value: MisplacedValue) -> ValueProblem {
        unusable(words: "this is \(value.kind); \(value.remedy)")
    }

    /// Not an origin; `*` is possible where all origins can be allowed.
    /// - Parameter isURL: Whether the value has a user, path, or query, which an origin does not have.
    static func notAnOrigin(allAllowed: Bool, isURL: Bool) -> ValueProblem {
        unusable(
            words: "expected an origin such as https://app.example, or null\(allAllowed ? ", or * for all" : ""); "
                + (isURL
                    ? "remove the user, path, and query"
                    : "to save output in a file, use > FILE, with --output json if you wish"))
    }
}
