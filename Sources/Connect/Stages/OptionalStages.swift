import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The stages that exist only if requested.
struct OptionalStages {
    /// Writes messages with placeholders, or `nil` without `--template` and saved messages.
    var writer: TemplateWriter?
    /// Replaces the placeholders of messages to send, or `nil` without `--template`.
    var templates: TemplateStage?
    /// Sends the steps of a scenario instead of the input, or `nil` without `--scenario`.
    var scenario: ScenarioSource?
    /// The programs that decode for the pipeline, or `nil` without `--decode exec:`.
    var programs: DecodingPrograms?
    /// The programs that answer messages, or `nil` without `--answer … => exec:`.
    var answerPrograms: AnswerPrograms?
    /// Their answers on the connection of the pipeline.
    var programAnswers: ProgramAnswers?
    /// Encodes messages to send, or `nil` without `--encode`.
    var encoder: TextEncoder?
    /// The program that encodes in place of a codec, or `nil` without `--encode exec:`.
    var encodingProgram: EncodingProgram?
    /// Decodes messages, speaks an application protocol, or sends first messages and answers, or `nil` if there are none.
    var pipeline: Pipeline?

    /// Whether there is an application protocol.
    var hasProtocol: Bool { pipeline?.hasProtocol ?? false }
}

extension OptionalStages {
    /// Creates the encoder of a run with `--encode`, and checks the messages of the command line.
    /// - Throws: ``Failure/badInput(what:why:)`` for a message that cannot be encoded, or
    ///   ``Failure/badArgument(what:why:)`` for the text of an option.
    mutating func makeEncoder(_ settings: ConnectSettings, diagnostics: Diagnostics) throws(Failure) {
        let codecs = settings.arguments.codecs.encoders
        guard !codecs.isEmpty else { return }
        let programs = codecs.filter { $0.program != nil }
        guard programs.count < 2 else {
            throw .badArgument(what: "--encode \(programs[1].name)", why: "only one codec can be a program")
        }
        if let codec = programs.first,
            let command = try ProgramCommand.commands(of: programs, option: "--encode", settings.secrets).first
        {
            let limits = settings.arguments.client.limits
            do throws(IOError) {
                encodingProgram = try EncodingProgram(
                    command, codec: codec, limitBytes: limits.maximumMessageBytes, timeout: limits.closeTimeout,
                    timeLimit: settings.arguments.ending.timeout, diagnostics: diagnostics)
            } catch {
                throw .system(error)
            }
        }
        let encoder = TextEncoder(codecs, program: encodingProgram?.encode)
        self.encoder = encoder
        // A call is encoded, and not the line from which it is made.
        let messages = settings.lines.makesCalls ? [] : settings.messages
        for (index, message) in messages.enumerated() {
            // The text depends on values that exist only when it is sent.
            if message.isPiece { continue }
            if settings.arguments.data.usesTemplates, TemplateStage.mayHavePlaceholders(message.payload) { continue }
            if let problem = encoder.problem(with: message.payload.span.bytes, as: message.kind) {
                throw encodingProgram?.failure ?? .badInput(what: "message \(index + 1)", why: "\(problem)")
            }
        }
        guard let plan = settings.exchange else { return }
        do throws(Failure) {
            try plan.check(encoder)
        } catch {
            throw encodingProgram?.failure ?? error
        }
    }
}
