import Conversation
import WSCore

/// Replaces the placeholders of text messages to send. This is the first stage after the input, for runs with
/// `--template`.
final class TemplateStage {
    private let columns: VariableNames
    private let secrets: Secrets
    /// The message of `--heartbeat-message`.
    private let heartbeat: Template?
    private let usesLastMessage: Bool
    private var variables: TemplateVariables
    private var stamp = Template.Stamp(sequence: 0, connection: 1, time: 0, seed: 0)
    private var random = SeededRandom(seed: .random(in: .min ... .max))
    private var buffer = ByteBuffer()

    /// Creates the stage of a run, and evaluates the messages of the command line.
    /// - Returns: The stage, or `nil` without `--template`.
    /// - Throws: ``Failure/badArgument(what:why:)`` for an invalid template.
    static func make(_ settings: inout ConnectSettings) throws(Failure) -> TemplateStage? {
        guard settings.arguments.data.usesTemplates else { return nil }
        let stage = try TemplateStage(settings)
        for (index, message) in settings.messages.enumerated() where message.kind == .text {
            do throws(TemplateProblem) {
                settings.messages[index].payload = try stage.evaluated(message.payload.span.bytes)
            } catch {
                throw .badArgument(what: "message \(index + 1)", why: error.words)
            }
        }
        settings.connector.redirects.secretMessages = settings.secrets.record.messageSources
        return stage
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
    /// - Parameter number: The number of the connection, from 1.
    func connectionOpened(_ number: Int) {
        stamp.connection = UInt64(number)
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

    private func evaluated(_ text: RawSpan) throws(TemplateProblem) -> [UInt8] {
        let source = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let template: Template
        do throws(TemplateError) {
            template = try Template(
                source, variables: columns, environment: secrets.inserted(intoMessageOf: "MESSAGE"))
        } catch {
            throw TemplateProblem(words: error.suggestion(mayBeColumn: columns.names.isEmpty))
        }
        return try evaluated(template)
    }

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
