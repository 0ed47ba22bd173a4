import Formats
import WSCore

/// A rule that answers messages: `CONDITION => TEXT` or `CONDITION => exec:COMMAND`, divided at the first ` => `; see
/// ``ScopedCondition``.
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
/// A rule cannot be shared by several threads. It is a class, because a message passes all of them: copies of a struct with
/// these properties would count references.
package final class AnswerRule {
    /// The messages that the rule answers.
    package let scoped: ScopedCondition
    /// The condition on them.
    package let condition: MessageCondition
    /// The answer, or an empty text if a program answers.
    package let answer: Template
    /// The name of the program that answers, and its arguments, or `nil` for a text.
    package let program: [String]?

    /// Where rules come from, which decides about `exec:`.
    package enum Origin: Sendable {
        /// From a command that runs programs.
        case options
        /// From a file, or a command that runs none.
        case withoutPrograms
        /// From a rule that changes messages, where such a text is one like others.
        case rewriting
    }

    /// What precedes the command of a program.
    private static let programPrefix = "exec:"

    /// Whether a rule starts a program.
    package static func startsProgram(_ text: String) -> Bool {
        guard let (_, answer) = parts(of: text) else { return false }
        return answer.starts(with: programPrefix.utf8)
    }

    /// The bytes before and after the first arrow.
    private static func parts(of text: String) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        let bytes = Array(text.utf8)
        let arrow = Array(" => ".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: arrow) }) else { return nil }
        return (bytes[..<start], bytes[(start + arrow.count)...])
    }

    /// Creates a rule from its parts.
    package init(_ scoped: ScopedCondition, answer: Template, program: [String]? = nil) {
        self.scoped = scoped
        condition = MessageCondition(valid: scoped.source, isCapturing: true)
        self.answer = answer
        self.program = program
    }

    /// Parses a rule.
    /// - Parameters:
    ///   - prefixes: The prefixes that the condition may have. Defaults to none.
    ///   - origin: Where the rule comes from. Defaults to one without programs.
    ///   - variables: The variables that the answer may insert.
    ///   - environment: Returns the value of an environment variable, or `nil` if it is not set.
    /// - Throws: ``AnswerRuleError``.
    package init(
        _ text: String, allowing prefixes: ScopedCondition.Prefixes = [], from origin: Origin = .withoutPrograms,
        variables: VariableNames = VariableNames(), environment: (String) -> String?
    ) throws(AnswerRuleError) {
        guard let (pattern, text) = Self.parts(of: text) else { throw .noArrow }
        guard !pattern.isEmpty else { throw .noPattern }
        let source = String(decoding: pattern, as: UTF8.self)
        guard variables.offsetOfPlaceholder(inPattern: source) == nil else { throw .placeholderInPattern }
        do throws(ScopedConditionError) {
            scoped = try ScopedCondition(source, allowing: prefixes)
        } catch {
            throw .condition(error)
        }
        condition = MessageCondition(valid: scoped.source, isCapturing: true)
        if origin != .rewriting, text.starts(with: Self.programPrefix.utf8) {
            guard origin == .options else { throw .program }
            let command = text.dropFirst(Self.programPrefix.utf8.count)
            let words = command.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard !words.isEmpty else { throw .noCommand }
            program = words.map { String(decoding: $0, as: UTF8.self) }
            answer = Template(literal: [])
            return
        }
        program = nil
        do throws(TemplateError) {
            answer = try Template(
                String(decoding: text, as: UTF8.self), variables: variables,
                groupCount: condition.groups?.groupCount,
                environment: environment)
        } catch {
            throw .answer(TemplateError(error.reason, at: text.startIndex + error.byteOffset))
        }
    }

    /// Appends the answer to a message, which no program gives.
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
    /// A program would answer, which is not possible here.
    case program
    /// `exec:` has no command.
    case noCommand
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
        case .program:
            "programs answer only with --answer of 'wsx connect', 'wsx listen', and 'wsx relay'; write a text"
        case .noCommand: "the command is missing; write exec:COMMAND"
        case .placeholderInPattern: VariableNames.noPlaceholderInPattern
        case .answer(let error): "\(error)"
        }
    }
}
