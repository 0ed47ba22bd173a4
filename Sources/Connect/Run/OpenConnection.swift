import Conversation
import Formats
import UserInterface
import WSCore

/// An open connection, and everything that ends with it.
struct OpenConnection {
    let connection: Connection<ConnectRun>
    var heartbeat: HeartbeatTimer<ConnectRun>?
    /// Tells replies from greetings, or `nil` if nothing depends on it.
    var replies: ReplyCount?
    /// Whether fragments of a message are still to come, without a prompt. Control frames may precede them.
    var hasUnfinishedMessage = false
    /// Limits the wait for the pong of ``replies`` while it tells greetings from replies. Otherwise `nil`.
    var greetingTimer: DeadlineTimer?
    /// The wait for replies after the end of the input.
    var linger: InactivityTimer?
    /// Shows the progress of large messages, once there was one and there is no prompt.
    var transfer: TransferStatus?
    /// Whether the messages that begin the connection have been sent.
    var hasBegunSending = false
}

/// The stages that exist only if requested.
struct OptionalStages {
    /// The conditions of messages that are neither written nor counted, with `--hide`.
    var hiding: [MessageCondition] = []
    /// Writes messages with placeholders, or `nil` without `--template` and saved messages.
    var writer: TemplateWriter?
    /// Replaces the placeholders of messages to send, or `nil` without `--template`.
    var templates: TemplateStage?
    /// Sends the steps of a scenario instead of the input, or `nil` without `--scenario`.
    var scenario: ScenarioSource?
    /// Decodes received messages, or `nil` without `--decode`.
    var codecs: CodecStage?
    /// Encodes messages to send, or `nil` without `--encode`.
    var encoder: MessageEncoder?
    /// Speaks an application protocol, or sends first messages and answers, or `nil` if there are none.
    var pipeline: Pipeline?

    /// Whether a message is hidden. The parameters are those of ``MessageCondition/matches(_:payload:)``.
    @inline(__always)
    func hides(_ text: RawSpan, _ payload: RawSpan) -> Bool {
        // Most runs have no condition.
        !hiding.isEmpty && matchesHiding(text, payload)
    }

    private func matchesHiding(_ text: RawSpan, _ payload: RawSpan) -> Bool {
        for condition in hiding where condition.matches(text, payload: payload) { return true }
        return false
    }

    /// Whether there is an application protocol.
    var hasProtocol: Bool { pipeline?.hasProtocol ?? false }
}
