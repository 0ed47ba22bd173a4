import Conversation
import Peer
import UserInterface
import WSCore

/// Replaces the placeholders of text messages when they are sent, for runs with `--template`. A message that is sent again
/// on another connection stays the same.
final class TemplateStage {
    private let writer: TemplateWriter
    /// The message of `--heartbeat-message`.
    private let heartbeat: Template?

    /// Creates the stage of a run, and checks the messages of the command line.
    /// - Returns: The stage, or `nil` without `--template`.
    /// - Throws: ``Failure/badArgument(what:why:)`` for an invalid template.
    static func make(_ settings: ConnectSettings, _ writer: TemplateWriter) throws(Failure) -> TemplateStage? {
        guard settings.arguments.data.usesTemplates else { return nil }
        let stage = try TemplateStage(settings, writer)
        for (index, text) in settings.arguments.messages.texts.enumerated() {
            let (what, secrets) = ("message \(index + 1)", settings.secrets)
            // Mistakes are reported below.
            guard
                let template = try? Template(
                    text, variables: secrets.names(settings.data.columns, isTyped: true), environment: { _ in "" })
            else { continue }
            try secrets.runPrograms(of: template, for: what)
        }
        for (index, message) in settings.messages.enumerated() where message.kind == .text {
            // A message may arrive before it is sent.
            let followsMessage =
                settings.exchange != nil || settings.arguments.protocols.choice != nil
                || settings.lines.areRequests && index > 0
            if let problem = stage.check(operand: message.payload, followsMessage: followsMessage) {
                throw .badArgument(what: "message \(index + 1)", why: problem.words)
            }
        }
        return stage
    }

    /// Finds out why a message of the command line cannot be sent.
    /// - Parameter followsMessage: Whether values of a received message may exist when it is sent.
    private func check(operand text: [UInt8], followsMessage: Bool) -> TemplateProblem? {
        do throws(TemplateProblem) {
            let template = try writer.template(text.span.bytes)
            if writer.followsMessage(template), followsMessage {
                if template.usesLastMessage { writer.usesLastMessage = true }
            } else {
                try writer.check(template)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Whether a text may contain placeholders. Others are the same text after their evaluation.
    static func mayHavePlaceholders(_ text: [UInt8]) -> Bool {
        let brace = UInt8(ascii: "{")
        return zip(text, text.dropFirst()).contains { $0 == brace && $1 == brace }
    }

    private init(_ settings: ConnectSettings, _ writer: TemplateWriter) throws(Failure) {
        self.writer = writer
        heartbeat = try settings.arguments.staying.heartbeatMessage.map { (text) throws(Failure) in
            try Template.make(
                text, of: "--heartbeat-message", variables: settings.data.columns,
                isTyped: !settings.heartbeatIsFile, secrets: settings.secrets)
        }
        if heartbeat?.usesLastMessage ?? false { writer.usesLastMessage = true }
    }

    /// Replaces the placeholders of a message.
    /// - Parameter text: The message in UTF-8.
    func result(_ text: RawSpan) -> Result<[UInt8], TemplateProblem> {
        do throws(TemplateProblem) {
            return .success(try writer.text(of: writer.template(text)))
        } catch {
            return .failure(error)
        }
    }

    /// Finds out why a text is not a template. Returns `nil` if it is one.
    func problem(in text: RawSpan) -> TemplateProblem? {
        do throws(TemplateProblem) {
            _ = try writer.template(text)
            return nil
        } catch {
            return error
        }
    }

    /// The next message of `--heartbeat-message`.
    func nextHeartbeat() throws(TemplateProblem) -> [UInt8] {
        try heartbeat.map { (template) throws(TemplateProblem) in try writer.text(of: template) } ?? []
    }
}
