import Conversation
import Peer
import UserInterface
import WSCore

/// Makes messages of texts with placeholders when they are sent: of text messages with `--template`, of the input with
/// `--wrap`, and of `--last-message`. A line of the input that is sent again on another connection stays the same; a message
/// of the command line is evaluated again.
final class TemplateStage {
    private let writer: TemplateWriter
    /// The message of `--heartbeat-message`, or `nil` without `--template`.
    private let heartbeat: Template?
    /// What is around the input, or `nil` without `--wrap`.
    private let wrap: InputWrap?

    /// Creates the stage of a run, and checks the messages of the command line.
    /// - Returns: The stage, or `nil` if nothing has placeholders.
    /// - Throws: ``Failure/badArgument(what:why:)`` for an invalid template.
    static func make(_ settings: ConnectSettings, _ writer: TemplateWriter) throws(Failure) -> TemplateStage? {
        let usesTemplates = settings.arguments.data.usesTemplates
        guard usesTemplates || settings.wrapKind != nil || settings.arguments.messages.input.lastMessage != nil else {
            return nil
        }
        let stage = try TemplateStage(settings, writer)
        for (index, text) in settings.arguments.messages.texts.enumerated() where usesTemplates {
            let (what, secrets) = ("message \(index + 1)", settings.secrets)
            // Mistakes are reported below.
            guard
                let template = try? Template(
                    text, variables: secrets.names(settings.data.columns, isTyped: true), environment: { _ in "" })
            else { continue }
            try secrets.runPrograms(of: template, for: what)
        }
        for (index, message) in settings.messages.enumerated() {
            guard message.isPiece || usesTemplates && message.kind == .text else { continue }
            // A message may arrive before it is sent.
            let followsMessage =
                settings.exchange != nil || settings.arguments.protocols.choice != nil
                || settings.lines.areRequests && index > 0
            if let problem = stage.check(operand: message, followsMessage: followsMessage) {
                throw .badArgument(what: message.isPiece ? "--wrap" : "message \(index + 1)", why: problem.words)
            }
        }
        return stage
    }

    /// Finds out why a message of the command line cannot be sent.
    /// - Parameter followsMessage: Whether values of a received message may exist when it is sent.
    private func check(operand message: InitialMessage, followsMessage: Bool) -> TemplateProblem? {
        do throws(TemplateProblem) {
            let template = try template(of: message.payload.span.bytes, wraps: message.isPiece)
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
        let heartbeatMessage =
            settings.arguments.data.usesTemplates ? settings.arguments.staying.heartbeatMessage : nil
        heartbeat = try heartbeatMessage.map { (text) throws(Failure) in
            try Template.make(
                text, of: "--heartbeat-message", variables: settings.data.columns,
                isTyped: !settings.heartbeatIsFile, secrets: settings.secrets)
        }
        wrap = try settings.arguments.messages.input.wrap.map { (text) throws(Failure) in
            try InputWrap(text, as: settings.wrapKind ?? .text, settings, writer)
        }
        let lastMessage = settings.arguments.messages.input.lastMessage.map { Array($0.utf8) }
        let last = lastMessage.flatMap { try? writer.template($0.span.bytes) }
        if [heartbeat, wrap?.template, last].contains(where: { $0?.usesLastMessage ?? false }) {
            writer.usesLastMessage = true
        }
    }

    /// The template of a text, or that of `--wrap` with the text as `{{input}}`.
    private func template(of text: RawSpan, wraps: Bool) throws(TemplateProblem) -> Template {
        guard wraps, let wrap else { return try writer.template(text) }
        guard !wrap.needsText || UTF8Validator.isValid(text) else {
            throw TemplateProblem(words: "it is not UTF-8 text; write {{input | base64}} or another filter in --wrap")
        }
        writer.set(input: text)
        return wrap.template
    }

    /// Makes a message.
    /// - Parameters:
    ///   - text: A template in UTF-8, or a piece of the input.
    ///   - wraps: Whether it is a piece.
    func result(_ text: RawSpan, wraps: Bool) -> Result<[UInt8], TemplateProblem> {
        do throws(TemplateProblem) {
            return .success(try writer.text(of: template(of: text, wraps: wraps)))
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

/// The text of `--wrap`.
private struct InputWrap {
    let template: Template
    /// Whether it inserts pieces without a filter, so that they must be UTF-8.
    let needsText: Bool

    /// Parses the text.
    /// - Parameter kind: The kind of the messages.
    init(
        _ text: String, as kind: MessageKind, _ settings: ConnectSettings, _ writer: TemplateWriter
    ) throws(Failure) {
        let option = "--wrap"
        guard settings.data.columns.slot(of: TemplateWriter.inputName) == nil, let slot = writer.inputSlot else {
            throw .badArgument(
                what: option, why: "{{input}} is the input; choose another name for the variable 'input'")
        }
        template = try Template.make(
            text, of: option, variables: writer.wrapNames, allowsBytes: kind == .binary, secrets: settings.secrets)
        guard template.uses(variables: [slot]) else {
            throw .badArgument(
                what: option,
                why: "the place of the input is missing; write {{input}}, {{json:input}}, or {{input | base64}}")
        }
        settings.secrets.record.add(message: text)
        needsText =
            template.insertsAsJSON(variable: slot) || kind == .text && template.count(ofVariable: slot) > 0
    }
}
