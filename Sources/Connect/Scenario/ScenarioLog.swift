import UserInterface
import WSCore

/// Shows the traffic of a scenario on standard error: the opening handshake, messages, pings, pongs, and close frames
/// with `-v`, and each frame with `-vv`.
struct ScenarioLog {
    private let console: Console
    private let transcript: Transcript
    /// Shows each frame, or `nil` without `-vv`.
    let trace: FrameTrace?

    /// Creates a log, or returns `nil` without `-v`.
    init?(_ arguments: ConnectArguments, console: Console, on loop: EventLoop) {
        guard arguments.transcript.verbosity > 0 else { return nil }
        self.console = console
        transcript = console.makeTranscript(for: arguments, on: loop)
        trace = arguments.transcript.verbosity > 1 ? FrameTrace(transcript: transcript) { console.show($0) } : nil
    }

    /// Shows a step in opening the connection.
    func show(_ step: Connector.Step) {
        let report = step.report(without: console.secrets)
        guard let direction = report.direction else {
            return console.notice(report.lines.joined(separator: "\n"))
        }
        for line in report.lines { console.show(transcript.head(line, direction)) }
    }

    /// Shows a message.
    func show(_ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction) {
        guard direction == .sent else { return console.show(transcript.message(payload, as: kind, direction)) }
        let masked = console.secrets.masking(payload.withUnsafeBytes { Array($0) })
        console.show(transcript.message(masked.span.bytes, as: kind, direction))
    }

    /// Shows a ping or a pong.
    func show(_ control: Opcode, _ payload: RawSpan, _ direction: Transcript.Direction) {
        console.show(transcript.control(control, payload, direction))
    }

    /// Shows a close frame.
    func show(close frame: CloseFrame, _ direction: Transcript.Direction) {
        console.show(transcript.close(frame, direction))
    }
}
