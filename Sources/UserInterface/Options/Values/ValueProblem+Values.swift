import CommandLine
import Conversation
import Formats

/// The problems of values that only wsx has.
extension ValueProblem {
    /// Neither a point in time nor a time from now.
    package static let notAStartTime = unusable(
        words: "expected a time such as 2026-05-01T12:00:00Z or +30s, or seconds since 1970")
    package static let notACloseCode = unusable(
        words: "expected 1000 to 1003, 1007 to 1014, or 3000 to 4999")
    package static let notAPin = unusable(
        words: "expected sha256// and 44 characters of Base64, as -v shows them for a server")
    package static let notASpeed = unusable(words: "expected max, or a factor such as 1, 2, or 0.5")
    package static let notADelay = unusable(words: "expected a duration such as 250ms, or a range such as 100ms-2s")
    package static let notACloseLimit = unusable(
        words: "expected a number of messages such as 5, or a time with a unit such as 500ms or 5s")
    package static let notARejection = unusable(
        words: "expected a status from 300 to 599, optionally with a number of requests, such as 503x3")
    package static let notAField = unusable(
        words: "expected the name of a JSON member, a path such as /params/id, or REQUEST=REPLY; "
            + "write '~' as ~0 and '/' as ~1")
    package static let notAPointer = unusable(
        words: "expected JSON Pointers separated by commas, such as /time,/user/id")

    package static func notACondition(_ error: MessageConditionError) -> ValueProblem { unusable(words: "\(error)") }

    package static let placeholderInPattern = unusable(words: VariableNames.noPlaceholderInPattern)

    package static func notAFormat(_ reason: String) -> ValueProblem {
        unusable(words: reason + "; write {{ and }} for braces")
    }
    package static func notAPath(_ error: JSONQueryError) -> ValueProblem { unusable(words: "\(error)") }

    /// The value is clearly meant for another option.
    package static func misplaced(_ value: MisplacedValue) -> ValueProblem {
        unusable(words: "this is \(value.kind); \(value.remedy)")
    }

    /// Not an origin; `*` is possible where all origins can be allowed.
    /// - Parameter isURL: Whether the value has a user, path, or query, which an origin does not have.
    package static func notAnOrigin(allAllowed: Bool, isURL: Bool) -> ValueProblem {
        unusable(
            words: "expected an origin such as https://app.example, or null\(allAllowed ? ", or * for all" : ""); "
                + (isURL
                    ? "remove the user, path, and query"
                    : "to save output in a file, use > FILE, with --output json if you wish"))
    }
}
