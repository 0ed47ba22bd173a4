import Conversation
import Formats
import WSCore

/// The far end of the pipeline: standard output, the transcript, and the recording. An output that is read too slowly
/// makes the peer wait.
///
///     peer → messages, pushes, recording, frames, the terminal of the user's editor ── isFull ──► the peer is paused
///                                           └───────────────── didDrain ──────────────────────► it goes on
final class ConnectOutputs {
    let console: Console
    let transcript: Transcript
    /// Shows every frame; nil without `-vv`.
    let trace: FrameTrace?
    /// Standard output; nil if the prompt's terminal shows the messages.
    let messages: MessageWriter?
    /// Standard error, where what answers no request goes there.
    let pushes: MessageWriter?
    /// Where the session is recorded; nil: nowhere.
    private(set) var recorder: Recorder?
    /// Shows messages where lines are typed; nil: there is no prompt.
    var prompt: ConnectPrompt?
    /// Called when an output has taken everything that had to wait, or is not waited for any more.
    var didDrain: () -> Void = {}
    /// Called once when standard output cannot be written any more.
    var didFail: (IOError) -> Void = { _ in }
    /// Called when the recording cannot be written any more.
    var recordingDidFail: (Failure) -> Void = { _ in }

    /// Copied from the arguments: reading it in the settings, a variable of the run, would copy them all.
    private let verbosity: Int
    private lazy var logTimer = Timer(on: loop) { [unowned self] in
        if isLogBusy { watchLog() } else { didDrain() }
    }
    private let loop: EventLoop

    /// Opens the outputs that the settings ask for.
    ///
    /// Throws ``Failure/output(_:)``, or ``Failure/badArgument(what:why:)`` for the recording.
    /// - Parameter output: The descriptor of standard output.
    init(_ settings: ConnectSettings, console: Console, output: Int32, on loop: EventLoop) throws(Failure) {
        let (arguments, isRepl) = (settings.arguments, settings.isRepl)
        self.loop = loop
        self.console = console
        verbosity = arguments.transcript.verbosity
        transcript = console.makeTranscript(for: arguments, isPrompt: isRepl, on: loop)
        trace = verbosity > 1 ? FrameTrace(transcript: transcript) { console.show($0) } : nil
        let isPiped = !isRepl || !StandardDescriptors.isTerminal(output)
        let hasPushes = isPiped && settings.requests != nil && arguments.transcript.display.isQuiet
        do throws(IOError) {
            messages = isPiped ? try MessageWriter(arguments, colors: console, to: output, on: loop) : nil
            pushes =
                hasPushes
                ? try MessageWriter(arguments, colors: console, to: StandardDescriptors.error, on: loop) : nil
        } catch {
            throw .output(error)
        }
        messages?.didDrain = { [unowned self] in didDrain() }
        messages?.didFail = { [unowned self] error in didFail(error) }
        pushes?.didDrain = { [unowned self] in didDrain() }
        // After a failure the writer accepts further messages and drops them.
        pushes?.didFail = { [unowned self] _ in didDrain() }
        guard let path = arguments.transcript.recordPath else { return }
        do throws(IOError) {
            try startRecording(to: path, replacing: true)
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    // MARK: Back-pressure

    /// Whether the peer is to pause: a reader does not keep up, or the user's editor has the terminal for long.
    var isFull: Bool {
        messages?.isFull ?? false || pushes?.isFull ?? false || recorder?.isFull ?? false
            || prompt?.editor.holdsMuch ?? false || isLogBusy
    }

    /// Whether the input must pause, since sent messages are recorded and shown, too.
    var delaysInput: Bool { recorder?.isFull ?? false || isLogBusy }

    /// Whether `-vv` writes frames faster than standard error is read. Without `-vv` there are only a few notices.
    private var isLogBusy: Bool { verbosity > 1 && console.isBusy }

    /// Has ``didDrain`` called when that is over. It does not look whether it is so: who asks has just seen it, and by
    /// now another thread may have written.
    func watchLog() {
        if verbosity > 1 { logTimer.start(after: Console.busyInterval) }
    }

    /// Whether nothing waits to be written.
    var isDrained: Bool {
        messages?.isDrained ?? true && pushes?.isDrained ?? true && recorder?.isDrained ?? true
    }

    /// Writes what can be written at once.
    func flush() {
        messages?.flush()
        recorder?.flush()
        pushes?.flush()
    }

    // MARK: Messages

    /// Whether control frames are shown.
    var showsFrames: Bool { prompt != nil || verbosity > 0 }
    /// Whether messages are shown that are sent.
    var showsSentMessages: Bool { prompt != nil || verbosity > 1 }
    /// Whether every step is shown.
    var isVerbose: Bool { verbosity > 0 }

    /// Records a received message.
    func record(_ payload: RawSpan, as kind: MessageKind) {
        recorder?.events.writeMessage(payload, as: kind)
    }

    /// Writes or shows a received message.
    /// - Parameter reply: What it answers, if it does.
    func write(_ payload: RawSpan, as kind: MessageKind, reply: Reply? = nil) {
        if let messages {
            messages.write(payload, as: kind, reply: reply)
            prompt?.show(payload, as: kind, .received, isShown: false)
        } else {
            let note = reply.map { "(request \($0.number), \(Phrase.milliseconds($0.roundTrip)) ms)" } ?? ""
            show(payload, as: kind, .received, note: note)
        }
    }

    /// Writes a received message that answers no request.
    func write(push payload: RawSpan, as kind: MessageKind) {
        if let pushes { pushes.write(payload, as: kind) } else { write(payload, as: kind) }
    }

    /// Records and shows a message that has been sent, or waits for a connection.
    /// - Parameters:
    ///   - isAgain: Whether it has been sent before, on a connection that was lost.
    ///   - note: A remark after the message.
    func writeSent(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction = .sent,
        again isAgain: Bool = false,
        note: String = ""
    ) {
        if !isAgain { recorder?.events.writeMessage(payload, as: kind, .outgoing) }
        if showsSentMessages { show(payload, as: kind, direction, note: note) }
    }

    /// Shows a message, and keeps it where there is a prompt.
    /// - Parameter note: A remark after the message.
    func show(_ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, note: String = "") {
        if let prompt { return prompt.show(payload, as: kind, direction, note: note) }
        console.show(transcript.message(payload, as: kind, direction, note: note).text)
    }

    // MARK: Frames and notices

    /// Shows a ping or a pong.
    func show(control opcode: Opcode, _ payload: RawSpan, _ direction: Transcript.Direction, note: String = "") {
        if showsFrames { console.show(transcript.control(opcode, payload, direction, note: note)) }
    }

    /// Records and shows a ping or a pong of the user's.
    func writeSent(control opcode: Opcode, _ payload: RawSpan) {
        recorder?.events.writeControl(opcode, payload, .outgoing)
        show(control: opcode, payload, .sent)
    }

    /// Records and shows our own close frame.
    func writeSent(close frame: CloseFrame) {
        recorder?.events.writeClose(sent: frame)
        if showsFrames { console.show(transcript.close(frame, .sent)) }
    }

    /// Shows the peer's close frame.
    func show(close frame: CloseFrame) {
        if showsFrames { console.show(transcript.close(frame, .received)) }
    }

    /// Shows a line of an opening handshake to those who asked for it.
    func show(head line: String, _ direction: Transcript.Direction) {
        if isVerbose { console.show(transcript.head(line, direction)) }
    }

    /// Shows a notice to those who asked for every step.
    func noticeVerbosely(_ line: String) {
        if isVerbose { console.notice(line) }
    }

    /// Writes an event wherever events go.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = messages?.events { write(events) }
        if let recorder { write(recorder.events) }
    }

    // MARK: Recording

    /// Begins to record the session, or to record it elsewhere.
    /// - Parameters:
    ///   - path: The file.
    ///   - isReplacing: Whether a file that is there is emptied; otherwise it is an error.
    func startRecording(to path: String, replacing isReplacing: Bool) throws(IOError) {
        stopRecording()
        let recorder = try Recorder(path: path, replacing: isReplacing, on: loop)
        recorder.didDrain = { [unowned self] in didDrain() }
        recorder.didFail = { [unowned self] error in
            self.recorder = nil
            recordingDidFail(.recording(path: path, error))
        }
        self.recorder = recorder
    }

    /// Ends the recording, if there is one, and says so; what had to wait for it goes on.
    func stopRecording() {
        recorder?.flush()
        // Writing may have failed just now, which has been reported.
        guard let recorder else { return }
        self.recorder = nil
        let path = escapingControls(recorder.path)
        if recorder.isDrained {
            console.notice("Recorded in \(path).")
        } else {
            console.error("recording to \(path): its reader has not taken all of it; the end is missing")
        }
        recorder.close()
        didDrain()
    }
}
