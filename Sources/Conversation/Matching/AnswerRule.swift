import Formats
import WSCore

/// A rule that answers messages: `CONDITION => TEXT`, divided at the first ` => `; see ``ScopedCondition``.
///
///     ^ping (\d+)$ => pong $1
///     "id":(\d+) => {"reply_to":$1,"user":{{json:name}}}
///     json:.op=="ping" => {"op":"pong","id":{{last:.id}}}
///     path:/chat/* ^hello => hello yourself
///
/// The answer is a ``Template``. `$1` through `$9` insert the groups of the match, `$0` the whole match, and `$$` a dollar
/// sign. Other dollar signs are unchanged. `{{json:$1}}` inserts a group as a JSON string. A group that took no part in
/// the match is empty. A condition on JSON has no groups, so dollar signs stay.
///
/// A rule cannot be shared by several threads.
package struct AnswerRule {
    /// The messages that the rule answers.
    package let scoped: ScopedCondition
    /// The condition on them.
    package let condition: MessageCondition
    /// The answer.
    package let answer: Template

    /// Creates a rule from its parts.
    package init(_ scoped: ScopedCondition, answer: Template) {
        self.scoped = scoped
        condition = scoped.compiled(isCapturing: true)
        self.answer = answer
    }

    /// Parses a rule.
    /// - Parameters:
    ///   - prefixes: The prefixes that the condition may have. Defaults to none.
    ///   - variables: The variables that the answer may insert.
    ///   - environment: Returns the value of an environment variable, or `nil` if it is not set.
    /// - Throws: ``AnswerRuleError``.
    package init(
        _ text: String, allowing prefixes: ScopedCondition.Prefixes = [], variables: VariableNames = VariableNames(),
        environment: (String) -> String?
    ) throws(AnswerRuleError) {
        let bytes = Array(text.utf8)
        let arrow = Array(" => ".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: arrow) }) else { throw .noArrow }
        guard start > 0 else { throw .noPattern }
        let end = start + arrow.count
        let source = String(decoding: bytes[..<start], as: UTF8.self)
        guard variables.offsetOfPlaceholder(inPattern: source) == nil else { throw .placeholderInPattern }
        do throws(ScopedConditionError) {
            scoped = try ScopedCondition(source, allowing: prefixes)
        } catch {
            throw .condition(error)
        }
        condition = scoped.compiled(isCapturing: true)
        do throws(TemplateError) {
            answer = try Template(
                String(decoding: bytes[end...], as: UTF8.self), variables: variables,
                groupCount: condition.groups?.groupCount,
                environment: environment)
        } catch {
            throw .answer(TemplateError(error.reason, at: end + error.byteOffset))
        }
    }

    /// Appends the answer to a message.
    /// - Returns: Whether the rule answers the message; otherwise nothing was appended.
    /// - Throws: ``TemplateValueError`` if a value is missing. A part of the answer may already have been appended.
    package func append(
        to buffer: inout ByteBuffer, answering message: RawSpan, stamp: Template.Stamp,
        variables: borrowing TemplateVariables
    ) throws(TemplateValueError) -> Bool {
        guard condition.matches(message) else { return false }
        try answer.write(to: &buffer, stamp: stamp, variables: variables, match: condition.groups, of: message)
        return true
    }
}

/// Why a text is not an ``AnswerRule``.
package enum AnswerRuleError: Error, Equatable {
    /// There is no ` => `.
    case noArrow
    /// There is nothing before the arrow.
    case noPattern
    /// The condition is invalid.
    case condition(ScopedConditionError)
    /// The regular expression contains a placeholder, which only the answer can.
    case placeholderInPattern
    /// The answer is invalid. Its offset is that in the whole text.
    case answer(TemplateError)
}

extension AnswerRuleError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .noArrow: "expected 'REGEX => TEXT', with blanks around the arrow"
        case .noPattern: "the regular expression is empty; '^ => TEXT' matches every message"
        case .condition(let error): "\(error)"
        case .placeholderInPattern: VariableNames.noPlaceholderInPattern
        case .answer(let error): "\(error)"
        }
    }
}
