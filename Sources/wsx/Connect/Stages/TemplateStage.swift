import Conversation
import WSCore

/// Replaces the placeholders of text messages when they are sent, for runs with `--template`. A message that is sent again
/// on another connection stays the same.
final class TemplateStage {
    private let columns: VariableNames
    private let secrets: Secrets
    /// The message of `--heartbeat-message`.
    private let heartbeat: Template?
    private var usesLastMessage: Bool
    private var variables: TemplateVariables
    private var stamp = Template.Stamp(sequence: 0, connection: 1, time: 0, seed: 0)
    private var random = SeededRandom(seed: .random(in: .min ... .max))
    private var buffer = ByteBuffer()
    /// The URL to which the connection was redirected, if secrets must not follow.
    private var otherOrigin: WebSocketURL?
    /// The messages of the command line that have been sent, by number.
    private var operands: [Int: [UInt8]] = [:]

    /// Creates the stage of a run, and checks the messages of the command line.
    /// - Returns: The stage, or `nil` without `--template`.
    /// - Throws: ``Failure/badArgument(what:why:)`` for an invalid template.
    static func make(_ settings: ConnectSettings) throws(Failure) -> TemplateStage? {
        guard settings.arguments.data.usesTemplates else { return nil }
        let stage = try TemplateStage(settings)
        for (index, message) in settings.messages.enumerated() where message.kind == .text {
            // A message may arrive before it is sent.
            let followsMessage =
                settings.exchange != nil || settings.arguments.protocols.choice != nil
                || settings.requests != nil && index > 0
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
            let template = try template(text.span.bytes)
            if template.usesLastMessage, followsMessage {
                usesLastMessage = true
                return nil
            }
            let first = stamp
            defer { stamp = first }
            _ = try evaluated(template)
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

    private init(_ settings: ConnectSettings) throws(Failure) {
        columns = settings.data.columns
        secrets = settings.secrets
        let (columns, secrets) = (columns, secrets)
        heartbeat = try settings.arguments.staying.heartbeatMessage.map { (text) throws(Failure) in
            try Template.make(text, of: "--heartbeat-message", variables: columns, secrets: secrets)
        }
        // Lines are parsed when they are typed or read.
        usesLastMessage = settings.isRepl || settings.readsPipe || heartbeat?.usesLastMessage ?? false
        variables = TemplateVariables(columns)
        settings.data.set(&variables)
    }

    /// Begins a connection.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - otherOrigin: The URL to which it was redirected, if secrets must not follow.
    func connectionOpened(_ number: Int, at otherOrigin: WebSocketURL?) {
        stamp.connection = UInt64(number)
        self.otherOrigin = otherOrigin
    }

    /// Handles a received message, which the next messages can refer to.
    func received(_ payload: RawSpan) {
        if usesLastMessage { variables.setLastMessage(payload) }
    }

    /// Replaces the placeholders of a message.
    /// - Parameter text: The message in UTF-8.
    func result(_ text: RawSpan) -> Result<[UInt8], TemplateProblem> {
        do throws(TemplateProblem) {
            return .success(try evaluated(text))
        } catch {
            return .failure(error)
        }
    }

    /// Returns a message of the command line. Its placeholders are replaced when it is sent for the first time.
    /// - Parameter number: The number of the message, from 1.
    func result(_ text: [UInt8], ofOperand number: Int) -> Result<[UInt8], TemplateProblem> {
        if let sent = operands[number] { return .success(sent) }
        let result = result(text.span.bytes)
        if case .success(let message) = result { operands[number] = message }
        return result
    }

    /// Finds out why a text is not a template. Returns `nil` if it is one.
    func problem(in text: RawSpan) -> TemplateProblem? {
        do throws(TemplateProblem) {
            _ = try template(text)
            return nil
        } catch {
            return error
        }
    }

    private func template(_ text: RawSpan) throws(TemplateProblem) -> Template {
        let source = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let template: Template
        do throws(TemplateError) {
            template = try Template(source, variables: columns, environment: secrets.inserted)
        } catch {
            throw TemplateProblem(words: error.suggestion(mayBeColumn: columns.names.isEmpty))
        }
        guard template.insertsSecret else { return template }
        guard let otherOrigin else {
            secrets.record.addMessage(of: "MESSAGE")
            return template
        }
        let redirect = RedirectError.wouldSendSecrets(
            otherOrigin, of: ["a line with {{env:…}} or a secret column of --data"])
        throw TemplateProblem(words: "\(redirect)", redirect: redirect)
    }

    private func evaluated(_ text: RawSpan) throws(TemplateProblem) -> [UInt8] { try evaluated(try template(text)) }

    /// The next message of `--heartbeat-message`.
    func nextHeartbeat() throws(TemplateProblem) -> [UInt8] {
        try heartbeat.map { (template) throws(TemplateProblem) in try evaluated(template) } ?? []
    }

    private func evaluated(_ template: Template) throws(TemplateProblem) -> [UInt8] {
        stamp.sequence += 1
        stamp.time = WallTime.now.millisecondsSinceEpoch
        stamp.seed = random.next()
        buffer.removeAll()
        do throws(TemplateValueError) {
            try template.write(to: &buffer, stamp: stamp, variables: variables)
        } catch {
            stamp.sequence -= 1
            throw TemplateProblem(words: "\(error)")
        }
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}
