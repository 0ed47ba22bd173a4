import WSCore

@testable import Conversation

extension FuzzTarget {
    /// An answer rule on the first line, and a message after it.
    ///
    /// - The error for an invalid rule is one line that is safe to show, and its offset is in the rule.
    /// - The rule answers the messages that its regular expression matches, with valid UTF-8 if the message is.
    static let answerRules = FuzzTarget(name: "answer-rules") { input in
        guard let (text, message) = lineAndRest(of: input) else { return }
        do throws(AnswerRuleError) {
            check(
                try AnswerRule(text, variables: FuzzVariables.names, environment: FuzzVariables.environment), message)
        } catch {
            expectOneSafeLine("\(error)")
            if case .answer(let error) = error {
                expect(0..<text.utf8.count ~= error.byteOffset, "the offset is outside of the rule")
            }
        }
    }

    private static func check(_ rule: AnswerRule, _ message: [UInt8]) {
        var variables = FuzzVariables.make()
        variables.setLastMessage(message.span.bytes)
        var buffer = ByteBuffer()
        do throws(TemplateValueError) {
            let isAnswered = try rule.append(
                to: &buffer, answering: message.span.bytes, stamp: fuzzStamp, variables: variables)
            expectEqual(isAnswered, rule.condition.matches(message.span.bytes), "whether there is an answer")
            expect(isAnswered || buffer.isEmpty, "an answer without a match")
        } catch {
            expectOneSafeLine("\(error)")
        }
        if UTF8Validator.isValid(message.span.bytes) {
            expect(buffer.withReadableBytes { UTF8Validator.isValid($0) }, "the answer is not UTF-8")
        }
    }
}
