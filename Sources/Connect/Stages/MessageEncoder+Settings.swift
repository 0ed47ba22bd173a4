import Conversation
import Formats
import Peer
import UserInterface
import WSCore

extension MessageEncoder {
    /// Creates the encoder of a run, and checks the messages of the command line. Returns `nil` without `--encode`.
    /// - Throws: ``Failure/badInput(what:why:)`` for a message that cannot be encoded, or
    ///   ``Failure/badArgument(what:why:)`` for the text of an option.
    static func make(_ settings: ConnectSettings, diagnostics: Diagnostics) throws(Failure) -> MessageEncoder? {
        guard let codec = settings.arguments.codecs.encoder else { return nil }
        let arguments = settings.arguments
        let encoder = MessageEncoder(
            codec, program: try EncodingProgram.make(codec, settings, diagnostics: diagnostics),
            checksInput: arguments.replies.calls == nil)
        for (index, message) in settings.messages.enumerated() {
            // The text depends on values that exist only when it is sent.
            if arguments.data.usesTemplates, TemplateStage.mayHavePlaceholders(message.payload) { continue }
            if let problem = encoder.problem(with: message.payload.span.bytes, as: message.kind) {
                throw encoder.programFailure ?? .badInput(what: "message \(index + 1)", why: "\(problem)")
            }
        }
        if let plan = settings.exchange {
            try encoder.check(plan.firstMessages, of: "--first-message")
            try encoder.check(plan.answers.map(\.answer), of: "--answer")
        }
        return encoder
    }

    /// Checks the texts without placeholders. The others are checked when they are sent.
    private func check(_ templates: [Template], of option: String) throws(Failure) {
        for text in templates.compactMap(\.constantText) {
            if let problem = encodingProblem(with: text.span.bytes, as: .text) {
                throw programFailure ?? .badArgument(what: option, why: "\(problem)")
            }
        }
    }
}

extension EncodingProgram {
    /// Finds the program of a codec. Returns `nil` for another codec.
    fileprivate static func make(
        _ codec: Codec, _ settings: ConnectSettings, diagnostics: Diagnostics
    ) throws(Failure) -> EncodingProgram? {
        let limits = settings.arguments.client.limits
        guard let command = try ProgramCommand.commands(of: [codec], option: "--encode", settings.secrets).first else {
            return nil
        }
        do throws(IOError) {
            return try EncodingProgram(
                command, codec: codec, limitBytes: limits.maximumMessageBytes, timeout: limits.closeTimeout,
                timeLimit: settings.arguments.ending.timeout, diagnostics: diagnostics)
        } catch {
            throw .system(error)
        }
    }
}
