import WSCore

/// A condition on messages.
///
///     ^error              a regular expression matches the message
///     json:.type=="done"  a condition on a value of a JSON message; see ``JSONCondition``
///
/// A condition cannot be shared by several threads.
package struct MessageCondition {
    private enum Test {
        case pattern(Pattern)
        case json(JSONFilter)
    }

    /// What precedes a condition on a JSON value.
    package static let jsonPrefix = "json:"

    /// The condition as typed.
    package let source: String
    private let test: Test

    /// Parses a condition.
    /// - Parameter isCapturing: Whether the groups of a regular expression are needed after a match.
    /// - Throws: ``MessageConditionError``.
    package init(_ source: String, isCapturing: Bool = false) throws(MessageConditionError) {
        self.source = source
        if source.hasPrefix(Self.jsonPrefix) {
            test = .json(try Self.filter(String(source.dropFirst(Self.jsonPrefix.count))))
            return
        }
        do throws(PatternError) {
            test = .pattern(try Pattern(source, isCapturing: isCapturing))
        } catch {
            throw .pattern(error)
        }
    }

    /// Compiles a condition that has been checked, for one thread.
    package init(valid source: String, isCapturing: Bool = false) {
        do throws(MessageConditionError) {
            self = try MessageCondition(source, isCapturing: isCapturing)
        } catch {
            preconditionFailure("a valid condition cannot be compiled: \(error)")
        }
    }

    private static func filter(_ text: String) throws(MessageConditionError) -> JSONFilter {
        let condition: JSONCondition
        do throws(JSONQueryError) {
            condition = try JSONCondition(text)
        } catch {
            throw .json(error)
        }
        do throws(PatternError) {
            return try JSONFilter(condition)
        } catch {
            throw .pattern(error)
        }
    }

    /// The regular expression, if there is one. It reports searches that exceed their limits.
    package var pattern: Pattern? {
        switch test {
        case .pattern(let pattern): pattern
        case .json(let filter): filter.pattern
        }
    }

    /// Whether the condition is about a JSON value.
    package var isAboutJSON: Bool { if case .json = test { true } else { false } }

    /// Whether a message meets the condition.
    package func matches(_ message: RawSpan) -> Bool { matches(message, payload: message) }

    /// Whether a message of an application protocol meets the condition.
    /// - Parameters:
    ///   - line: The text that regular expressions search.
    ///   - payload: The JSON text whose values count.
    package func matches(_ line: RawSpan, payload: RawSpan) -> Bool {
        switch test {
        case .pattern(let pattern): pattern.matches(line)
        case .json(let filter): filter.matches(payload)
        }
    }

    /// The regular expression with the groups of the last match, or `nil` for a condition on JSON, which has no groups.
    package var groups: Pattern? { if case .pattern(let pattern) = test { pattern } else { nil } }
}

/// Why a text is not a ``MessageCondition``.
package enum MessageConditionError: Error, Equatable, CustomStringConvertible {
    /// The regular expression is invalid.
    case pattern(PatternError)
    /// The condition on a JSON value is invalid.
    case json(JSONQueryError)

    /// The mistake, to follow a colon.
    package var description: String {
        switch self {
        case .pattern(let error): "\(error) of the regular expression"
        case .json(let error): "\(error)"
        }
    }
}
