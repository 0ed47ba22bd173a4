import CommandLine
import Conversation
import WSCore

extension AutoReply.Plan {
    /// Creates the plan that the arguments describe, or `nil` if nothing is sent automatically.
    /// - Parameters:
    ///   - variables: The variables that the templates may insert.
    ///   - takesData: Whether the command has `--data`.
    ///   - secrets: Reads files and environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func make(
        _ arguments: ExchangeArguments, variables: VariableNames = VariableNames(), takesData: Bool = true,
        secrets: Secrets
    ) throws(Failure) -> AutoReply.Plan? {
        var plan = AutoReply.Plan()
        plan.variables = variables
        try variables.checkPatterns(arguments.ready.map { [$0] } ?? [], of: "--ready")
        plan.ready = arguments.ready
        for text in arguments.firstMessages {
            var text = text
            if text.hasPrefix("@") {
                text = try secrets.value(of: text, for: "--first-message")
                secrets.record.addMessage(of: "--first-message")
            }
            plan.firstMessages.append(
                try Template.make(
                    text, of: "--first-message", variables: variables, role: .firstMessage, takesData: takesData,
                    secrets: secrets))
        }
        for text in arguments.answers {
            do throws(AnswerRuleError) {
                let rule = try AnswerRule(text, variables: variables, environment: secrets.inserted)
                if rule.answer.insertsSecret { secrets.record.addMessage(of: "--answer") }
                plan.answers.append(Answer(rule))
            } catch {
                throw .badArgument(
                    what: "--answer '\(escapingControls(text))'",
                    why: error.suggestion(mayBeColumn: takesData && variables.names.isEmpty))
            }
        }
        return plan.isEmpty ? nil : plan
    }
}

extension AnswerRuleError {
    /// The mistake and its remedy.
    fileprivate func suggestion(mayBeColumn: Bool) -> String {
        if case .answer(let error) = self { error.suggestion(mayBeColumn: mayBeColumn) } else { "\(self)" }
    }
}
