import CommandLine
import Conversation
import WSCore

extension AutoReply.Plan {
    /// Creates the plan that the arguments describe, or `nil` if nothing is sent automatically.
    /// - Parameters:
    ///   - prefixes: The prefixes that conditions may have. Defaults to none.
    ///   - runsPrograms: Whether programs can answer. Defaults to false.
    ///   - variables: The variables that the templates may insert.
    ///   - row: Their first values, or `nil` if they are set for each connection.
    ///   - extractions: The variables that received messages set.
    ///   - takesData: Whether the command has `--data`.
    ///   - secrets: Reads files and environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func make(
        _ arguments: ExchangeArguments, allowing prefixes: ScopedCondition.Prefixes = [],
        runsPrograms: Bool = false, variables: VariableNames = VariableNames(), row: DataRow? = nil,
        extractions: [Extraction] = [], takesData: Bool = true, secrets: Secrets
    ) throws(Failure) -> AutoReply.Plan? {
        var plan = AutoReply.Plan()
        plan.variables = variables
        plan.row = row
        plan.extractions = extractions
        try variables.checkPatterns(arguments.ready.map { [$0] } ?? [], of: "--ready")
        plan.ready = arguments.ready
        for text in arguments.firstMessages {
            var text = text
            let isTyped = !text.hasPrefix("@")
            if !isTyped {
                text = try secrets.value(of: text, for: "--first-message")
                secrets.record.addMessage(of: "--first-message")
            }
            secrets.record.add(message: text)
            plan.firstMessages.append(
                try Template.make(
                    text, of: "--first-message", variables: variables, role: .firstMessage, takesData: takesData,
                    isTyped: isTyped, secrets: secrets))
        }
        for text in arguments.answers {
            let rule = try AnswerRule.make(
                text, of: "--answer", allowing: prefixes, from: runsPrograms ? .options : .withoutPrograms,
                variables: variables,
                mayBeColumn: takesData && variables.names.isEmpty, secrets: secrets)
            secrets.record.add(message: text)
            plan.answers.append(Answer(rule))
        }
        return plan.isEmpty ? nil : plan
    }

    /// Checks that the texts without placeholders can be encoded. The others are checked when they are sent.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func check(_ encoder: TextEncoder) throws(Failure) {
        let texts =
            firstMessages.map { ("--first-message", $0) }
            + answers.filter { $0.program == nil }.map { ("--answer", $0.answer) }
        for (option, template) in texts {
            guard let text = template.constantText, let problem = encoder.problem(with: text.span.bytes) else {
                continue
            }
            throw .badArgument(what: option, why: "\(problem)")
        }
    }
}

extension RewriteArguments {
    /// Creates the rewriter that the arguments describe, or `nil` if messages are not changed.
    /// - Parameter limitBytes: The maximum size of a changed message in bytes.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func rewriter(limitBytes: Int, secrets: Secrets) throws(Failure) -> Rewriter? {
        guard !rules.isEmpty else { return nil }
        let rules = try self.rules.map { (text) throws(Failure) in
            let rule = try AnswerRule.make(
                text, of: "--rewrite", allowing: [.path, .side], from: .rewriting, secrets: secrets)
            return AnswerRule(rule.scoped.limited(to: side), answer: rule.answer)
        }
        return Rewriter(rules, limitBytes: limitBytes)
    }
}

extension AnswerRule {
    /// Parses a rule of an option.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate static func make(
        _ text: String, of option: String, allowing prefixes: ScopedCondition.Prefixes, from origin: Origin,
        variables: VariableNames = VariableNames(), mayBeColumn: Bool = false, secrets: Secrets
    ) throws(Failure) -> AnswerRule {
        let rule: AnswerRule
        do throws(AnswerRuleError) {
            rule = try AnswerRule(
                text, allowing: prefixes, from: origin, variables: secrets.names(variables, isTyped: true),
                environment: secrets.inserted)
        } catch {
            throw .badArgument(
                what: "\(option) '\(escapingControls(text))'", why: error.suggestion(mayBeColumn: mayBeColumn))
        }
        try secrets.runPrograms(of: rule.answer, for: option)
        if rule.answer.insertsSecret { secrets.record.addMessage(of: option) }
        return rule
    }
}

extension AnswerRuleError {
    /// The mistake and its remedy.
    fileprivate func suggestion(mayBeColumn: Bool) -> String {
        if case .answer(let error) = self { error.suggestion(mayBeColumn: mayBeColumn) } else { "\(self)" }
    }
}
