import Conversation
import Formats
import Peer
import UserInterface
import WSCore

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
