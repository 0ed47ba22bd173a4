import Formats
import WSCore

/// The sender of a relayed message.
package enum RelaySide: String, CaseIterable, Sendable {
    case client
    case server
}

/// A condition on the messages of a side, of the clients of a path, or of all.
///
///     ^ping                            all messages that the expression matches
///     from:server json:.type=="done"   those of the server, in a relay
///     path:/chat/* from:client ^ping   those of clients whose request has such a path, in a relay
///
/// A prefix ends at the first blank. An expression that begins with such a word is written `[p]ath:`.
package struct ScopedCondition: Equatable, Sendable {
    /// The messages that a condition is about.
    package struct Scope: Equatable, Sendable {
        /// The sender of the messages, or `nil` for both sides.
        package var side: RelaySide?
        /// The paths of the clients' requests, or `nil` for all.
        package var path: PathPattern?

        /// Whether the condition is about the messages of a side of a connection.
        /// - Parameters:
        ///   - side: The side, or `nil` if there is only one.
        ///   - path: The path of the client's request in normalized form, or `nil` if it has none.
        package func includes(_ side: RelaySide?, at path: String?) -> Bool {
            (self.side == nil || self.side == side)
                && (self.path.map { pattern in path.map { pattern.matches($0) } ?? false } ?? true)
        }
    }

    /// The prefixes that a command knows.
    package struct Prefixes: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let path = Prefixes(rawValue: 1)
        package static let side = Prefixes(rawValue: 2)
    }

    /// The condition as typed, with its prefixes.
    package let text: String
    package private(set) var scope = Scope()
    /// A valid ``MessageCondition``.
    package let source: String

    /// Parses a condition.
    /// - Parameter prefixes: The prefixes that are possible. Defaults to none.
    /// - Throws: ``ScopedConditionError``.
    package init(_ text: String, allowing prefixes: Prefixes = []) throws(ScopedConditionError) {
        self.text = text
        var rest = Substring(text)
        while let (word, value, next) = Self.prefix(of: rest) {
            let isSide = word == .from
            guard prefixes.contains(isSide ? .side : .path) else { throw .unknown(word) }
            guard isSide ? scope.side == nil : scope.path == nil else { throw .repeated(word) }
            if isSide {
                guard let side = RelaySide(rawValue: value) else { throw .notASide(value) }
                scope.side = side
            } else {
                guard let pattern = PathPattern(value) else { throw .notAPath(value) }
                scope.path = pattern
            }
            guard let next, !next.isEmpty else { throw .nothingAfter("\(word.rawValue):\(value)") }
            rest = next
        }
        source = String(rest)
        guard !source.isEmpty else { throw .empty }
        do throws(MessageConditionError) {
            _ = try MessageCondition(source)
        } catch {
            throw .condition(error)
        }
    }

    /// The words before a condition.
    package enum Word: String, CaseIterable, Sendable {
        case from
        case path
    }

    /// Divides a text that may begin with `path:` and a pattern of paths, which end at the first blank.
    /// - Returns: The pattern, or `nil` without one, and the rest.
    /// - Throws: ``ScopedConditionError`` if the pattern matches no path, or if nothing follows it.
    package static func paths(of text: String) throws(ScopedConditionError) -> (PathPattern?, rest: String) {
        guard let (word, value, rest) = prefix(of: text[...]), word == .path else { return (nil, text) }
        guard let pattern = PathPattern(value) else { throw .notAPath(value) }
        let trimmed = rest?.drop { $0 == " " } ?? ""
        guard !trimmed.isEmpty else { throw .nothingAfter("path:\(value)") }
        return (pattern, String(trimmed))
    }

    /// The prefix at the beginning, its value, and what follows the blank after it, or `nil` if there is no blank.
    private static func prefix(of text: Substring) -> (Word, value: String, rest: Substring?)? {
        for word in Word.allCases where text.utf8.starts(with: "\(word.rawValue):".utf8) {
            let value = text.utf8.dropFirst(word.rawValue.utf8.count + 1)
            guard let blank = value.firstIndex(of: UInt8(ascii: " ")) else {
                return (word, String(Substring(value)), nil)
            }
            return (word, String(text[value.startIndex..<blank]), text[value.index(after: blank)...])
        }
        return nil
    }

    /// The same condition, about the messages of a side if it does not name one.
    package func limited(to side: RelaySide?) -> ScopedCondition {
        var condition = self
        condition.scope.side = scope.side ?? side
        return condition
    }
}

/// Why a text is not a ``ScopedCondition``.
package enum ScopedConditionError: Error, Equatable {
    /// The command does not know this prefix.
    case unknown(ScopedCondition.Word)
    /// A prefix appears twice.
    case repeated(ScopedCondition.Word)
    /// The value of `from:` is not a side.
    case notASide(String)
    /// The value of `path:` matches no path.
    case notAPath(String)
    /// No condition follows this prefix.
    case nothingAfter(String)
    /// There is no condition.
    case empty
    /// The condition is invalid.
    case condition(MessageConditionError)
}

extension ScopedConditionError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .unknown(.from): "only 'wsx relay' knows 'from:'; omit it, or write '[f]rom:' for a regular expression"
        case .unknown(.path):
            "only 'wsx listen' and 'wsx relay' know 'path:'; omit it, or write '[p]ath:' for a regular expression"
        case .repeated(let word): "'\(word.rawValue):' is given twice; repeat the option instead"
        case .notASide(let text):
            "'from:\(escapingControls(text))' is not a side; write from:client or from:server, or '[f]rom:' for a "
                + "regular expression"
        case .notAPath(let text):
            "'path:\(escapingControls(text))' is not a path; write one like path:/chat/*, or '[p]ath:' for a regular "
                + "expression"
        case .nothingAfter(let prefix):
            "a condition must follow '\(escapingControls(prefix))' and a blank; '^' matches every message"
        case .empty: "the condition is empty; '^' matches every message"
        case .condition(let error): "\(error)"
        }
    }
}

/// Conditions that are compiled for one thread.
package struct ScopedConditions {
    private var entries: [(scope: ScopedCondition.Scope, condition: MessageCondition)] = []

    /// Compiles conditions.
    package init(_ conditions: [ScopedCondition]) {
        entries = conditions.map { ($0.scope, MessageCondition(valid: $0.source)) }
    }

    /// Whether there are any.
    package var isNotEmpty: Bool { !entries.isEmpty }

    /// Whether none of them is about only a side or some paths.
    package var areUnlimited: Bool { entries.allSatisfy { $0.scope == ScopedCondition.Scope() } }

    /// The regular expressions in use.
    package var patterns: [Pattern] { entries.compactMap(\.condition.pattern) }

    /// The conditions about the messages of a side of a connection. The parameters are those of
    /// ``ScopedCondition/Scope/includes(_:at:)``.
    package func concerning(_ side: RelaySide? = nil, at path: String? = nil) -> [MessageCondition] {
        entries.filter { $0.scope.includes(side, at: path) }.map(\.condition)
    }
}

extension [MessageCondition] {
    /// Whether a message meets one of the conditions. The parameters are those of ``MessageCondition/matches(_:payload:)``.
    package func anyMatches(_ text: RawSpan, payload: RawSpan) -> Bool {
        for condition in self where condition.matches(text, payload: payload) { return true }
        return false
    }
}
