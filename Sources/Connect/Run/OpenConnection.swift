import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// An open connection, and everything that ends with it.
struct OpenConnection {
    let connection: Connection<ConnectRun>
    var heartbeat: HeartbeatTimer<ConnectRun>?
    /// Whether fragments of a message are still to come, without a prompt. Control frames may precede them.
    var hasUnfinishedMessage = false
    /// The wait for replies after the end of the input.
    var linger: InactivityTimer?
    /// Shows the progress of large messages, once there was one and there is no prompt.
    var transfer: TransferStatus?
    /// Whether the closing handshake waits for programs of `--answer`.
    var closesAfterAnswers = false
    /// Whether the messages that begin the connection have been sent.
    var hasBegunSending = false
}

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
