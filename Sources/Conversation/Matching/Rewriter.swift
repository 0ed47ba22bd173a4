import Formats
import WSCore

/// Changes text messages by rules: `REGEX => TEXT` replaces each match, and `json:CONDITION => TEXT` the whole message.
///
///     "price":\d+ => "price":0
///     json:.op=="ping" => {"op":"noop","id":{{last:.id}}}
///
/// The rules have the form of an ``AnswerRule``. Each applies to the result of those before it, as in `sed`. Placeholders
/// insert values of the message as that rule finds it.
///
/// A rewriter cannot be shared by several threads.
package final class Rewriter {
    private let rules: [AnswerRule]
    private let limitBytes: Int
    private var variables = TemplateVariables()

    /// Prepares the rules.
    /// - Parameter limitBytes: The maximum size of a rewritten message in bytes.
    package init(_ rules: [AnswerRule], limitBytes: Int) {
        self.rules = rules
        self.limitBytes = limitBytes
    }

    /// The regular expressions in use.
    package var patterns: [Pattern] { rules.compactMap(\.condition.pattern) }

    /// A rewriter with the rules for a side of a connection, or `nil` if there are none. The parameters are those of
    /// ``ScopedCondition/Scope/includes(_:at:)``.
    package func concerning(_ side: RelaySide, at path: String?) -> Rewriter? {
        let rules = rules.filter { $0.scoped.scope.includes(side, at: path) }
        return rules.isEmpty ? nil : Rewriter(rules, limitBytes: limitBytes)
    }

    /// Rewrites a message.
    /// - Parameters:
    ///   - message: Valid UTF-8.
    ///   - stamp: The properties of the message that placeholders insert.
    /// - Returns: The new message, or `nil` if no rule matches.
    /// - Throws: ``RewriteError``.
    package func rewrite(_ message: RawSpan, stamp: Template.Stamp) throws(RewriteError) -> [UInt8]? {
        var current: [UInt8]?
        for rule in rules {
            if let bytes = current {
                current = try apply(rule, to: bytes.span.bytes, stamp) ?? bytes
            } else {
                current = try apply(rule, to: message, stamp)
            }
        }
        // `\C` matches a part of a character.
        if let current, !UTF8Validator.isValid(current.span.bytes) { throw .notText }
        return current
    }

    private func apply(
        _ rule: AnswerRule, to message: RawSpan, _ stamp: Template.Stamp
    ) throws(RewriteError) -> [UInt8]? {
        var output = ByteBuffer()
        guard let pattern = rule.condition.groups else {
            guard rule.condition.matches(message) else { return nil }
            try write(rule.answer, to: &output, stamp, match: nil, of: message)
            return output.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
        }
        var copiedCount = 0
        var start = 0
        while start <= message.byteCount, let match = pattern.firstMatch(in: message, from: start) {
            start = match.upperBound
            // After an empty match, the search continues after the next character.
            if match.isEmpty { start += Self.characterBytes(in: message, at: start) }
            // With `\K` in a lookbehind, a match can begin in the one before it.
            guard match.lowerBound >= copiedCount else { continue }
            output.append(message.extracting(copiedCount..<match.lowerBound))
            try write(rule.answer, to: &output, stamp, match: pattern, of: message)
            copiedCount = match.upperBound
        }
        guard start > 0 else { return nil }
        output.append(message.extracting(copiedCount..<message.byteCount))
        guard output.count <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
        return output.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    private func write(
        _ text: Template, to output: inout ByteBuffer, _ stamp: Template.Stamp, match: Pattern?, of message: RawSpan
    ) throws(RewriteError) {
        if text.usesLastMessage { variables.setLastMessage(message) }
        do throws(TemplateValueError) {
            try text.write(to: &output, stamp: stamp, variables: variables, match: match, of: message)
        } catch {
            throw .value(error)
        }
        guard output.count <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
    }

    /// The size of the character at an offset, and at least 1.
    private static func characterBytes(in text: RawSpan, at offset: Int) -> Int {
        var end = offset + 1
        while end < text.byteCount, text.unsafeLoad(fromByteOffset: end, as: UInt8.self) & 0xC0 == 0x80 { end += 1 }
        return end - offset
    }
}

/// Why a message is not rewritten.
package enum RewriteError: Error, Equatable, CustomStringConvertible {
    /// A placeholder has no value.
    case value(TemplateValueError)
    /// The new message would have more bytes than allowed.
    case tooLarge(limitBytes: Int)
    /// The new message would not be UTF-8.
    case notText

    /// The reason, to follow a colon.
    package var description: String {
        switch self {
        case .value(let error): "\(error)"
        case .tooLarge(let limit): "the result has more than \(limit) bytes (--max-message-size)"
        case .notText: "the result is not UTF-8"
        }
    }
}
