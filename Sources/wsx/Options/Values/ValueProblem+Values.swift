import CommandLine
import Formats
import LoadTest

/// Why a value that wsx alone has is rejected. These are the only words for it.
extension ValueProblem {
    /// Not a moment, and not a time from now.
    static let notAStartTime = unusable(
        words: "expected a time such as 2026-05-01T12:00:00Z, +30s, or seconds since 1970")
    static let notACloseCode = unusable(
        words: "expected 1000 through 1003, 1007 through 1014 or 3000 through 4999")
    static let notAPin = unusable(words: "expected sha256// and the Base64 form of 32 bytes, as -v shows a server's")
    static let notASpeed = unusable(words: "expected max, or a factor such as 1, 2 or 0.5")
    static let notADelay = unusable(words: "expected a duration such as 250ms, or a range such as 100ms-2s")
    static let notACloseLimit = unusable(
        words: "expected a number of messages such as 5, or a time with its unit such as 500ms or 5s")
    static let notARejection = unusable(
        words: "expected a status from 300 to 599, or such as 503x3 for the first three requests")
    static let notAField = unusable(
        words: "expected the name of a member, or a JSON Pointer, in which only ~0 and ~1 follow a tilde")
    /// The text may be a secret, and is not shown.
    static let notACookie = unusable(
        words: "expected name=value; @FILE reads that from a file", hidesValue: true)

    static func notAPattern(_ error: PatternError) -> ValueProblem {
        unusable(words: "expected a regular expression of PCRE2: \(error)")
    }

    static func notAThreshold(_ error: ThresholdError) -> ValueProblem { unusable(words: "\(error)") }

    static func notATemplate(_ error: MessageTemplateError) -> ValueProblem { unusable(words: "\(error)") }

    /// The value is clearly meant for something else.
    static func misplaced(_ value: MisplacedValue) -> ValueProblem {
        unusable(words: "this is \(value.kind); \(value.remedy)")
    }

    /// Not an origin; `*` can be one where all are allowed.
    /// - Parameter isURL: Whether it has a user, path or query, which an origin does not have.
    static func notAnOrigin(allAllowed: Bool, isURL: Bool) -> ValueProblem {
        unusable(
            words: "expected an origin such as https://app.example, or null\(allAllowed ? ", or * for all" : ""); "
                + (isURL ? "leave out user, path and query" : "'> FILE' saves output in a file"))
    }
}
