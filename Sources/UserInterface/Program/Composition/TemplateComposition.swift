import CommandLine
import Conversation
import WSCore

/// The text of an option that is a template.
package enum TemplateRole {
    /// A message that may follow a received one.
    case message
    /// A message of a load, which does not depend on received ones.
    case loadMessage
    /// A message of `--first-message`.
    case firstMessage
    /// A part of the request, which needs neither a message nor its number.
    case request

    /// Why the text cannot insert values of the last message, or `nil` for the usual reason.
    fileprivate var reasonForNoLastMessage: String? {
        switch self {
        case .message, .loadMessage: nil
        case .firstMessage: "but first messages are sent before one arrives; use --answer"
        case .request: "but the request is sent before the first one"
        }
    }
}

extension Template {
    /// Parses the value of an option.
    /// - Parameters:
    ///   - option: The option, for errors.
    ///   - variables: The variables that the text may insert.
    ///   - role: The role of the text, which determines its placeholders.
    ///   - percentEncodesValues: Whether values become parts of a URL.
    ///   - allowsBytes: Whether the text is a binary message.
    ///   - takesData: Whether the command has `--data`.
    ///   - isTyped: Whether the text may start programs, because it is no content of a file.
    ///   - secrets: Reads environment variables, and runs programs.
    /// - Throws: ``Failure/badArgument(what:why:)``, with a suggestion for an unknown name.
    package static func make(
        _ text: String, of option: String, variables: VariableNames, role: TemplateRole = .message,
        percentEncodesValues: Bool = false, allowsBytes: Bool = false, takesData: Bool = true, isTyped: Bool = true,
        secrets: Secrets
    ) throws(Failure) -> Template {
        var names = secrets.names(variables, isTyped: isTyped)
        names.includesLastMessage = role == .message
        let template: Template
        do throws(TemplateError) {
            template = try Template(
                text, variables: names, percentEncodesValues: percentEncodesValues, allowsBytes: allowsBytes,
                environment: secrets.inserted)
        } catch {
            if error.reason == .noLastMessage, let reason = role.reasonForNoLastMessage {
                throw .badArgument(what: option, why: "{{last:…}} needs a received message, \(reason)")
            }
            throw .badArgument(
                what: option,
                why: error.suggestion(
                    isInMessage: role != .request, mayBeColumn: takesData && variables.names.isEmpty))
        }
        try secrets.runPrograms(of: template, for: option)
        if role != .request, template.insertsSecret { secrets.record.addMessage(of: option) }
        guard role != .request || !template.usesSequence else {
            throw .badArgument(
                what: option, why: "{{seq}} numbers the messages of a connection; use {{connection}} in a request")
        }
        guard role != .loadMessage || !template.mayFailByMessage else {
            throw .badArgument(
                what: option,
                why:
                    "filters such as unhex may fail, or leave no text, with values that differ by message; add '| default:TEXT'"
            )
        }
        return template
    }
}

extension TemplateError {
    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    package var suggestion: String { suggestion() }

    /// The mistake and its remedy.
    /// - Parameters:
    ///   - isInMessage: Whether the text is a message. If not, no placeholder for messages is suggested.
    ///   - mayBeColumn: Whether an unknown name may be a column of a data file that is not given.
    package func suggestion(isInMessage: Bool = true, mayBeColumn: Bool = false) -> String {
        guard let (name, known) = misspelling else { return "\(self)" }
        let names = isInMessage ? known : known.filter { $0 != "seq" }
        return description(
            intendedName: EditDistance.nearest(to: name, among: names), isInMessage: isInMessage,
            mayBeColumn: mayBeColumn)
    }
}

extension VariableNames {
    /// Checks that regular expressions contain no columns of a data file as placeholders. The options have already been
    /// checked for other placeholders.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func checkPatterns(_ patterns: [String], of option: String) throws(Failure) {
        for pattern in patterns where offsetOfPlaceholder(inPattern: pattern) != nil {
            throw .badArgument(what: "\(option) '\(escapingControls(pattern))'", why: Self.noPlaceholderInPattern)
        }
    }
}
