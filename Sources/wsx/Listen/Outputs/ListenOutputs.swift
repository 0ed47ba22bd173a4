import WSCore

/// Wherever messages and events are shown or kept: standard output, the transcript, and the recording. An output that is
/// read too slowly makes the clients wait.
///
///      client ──► received ──► stdout, transcript, recording ── isFull ──► all clients are paused
///                                           └── everything is taken ─────► they go on, in turns
final class ListenOutputs {
    let console: Console
    let transcript: Transcript
    /// Shows messages above the line being typed; nil: there is no prompt.
    var editor: (any PromptEditor)?
    /// Pauses the clients; set before the first one connects.
    weak var senders: (any SenderControl)?
    /// Called when an output has taken everything that had to wait.
    var didDrain: () -> Void = {}
    /// Called when an output cannot be written any more, which ends the run; nil: its reader has seen enough.
    var didFail: (Failure?) -> Void = { _ in }

    /// Standard output; nil where messages are not for it.
    private let messages: MessageWriter?
    /// Where everything is recorded; nil: nowhere.
    private var recorder: Recorder?
    private let faults: Faults
    private let verbosity: Int
    private let isPrompt: Bool
    /// Who waits for the outputs; nil: nobody has had to.
    private var turns: OutputTurns?

    /// Opens the outputs that the arguments ask for.
    ///
    /// Throws ``Failure/output(_:)``, or ``Failure/badArgument(what:why:)`` for the recording.
    /// - Parameters:
    ///   - isPrompt: Whether lines are typed on the terminal.
    ///   - output: The descriptor of standard output; nil: messages are not for it.
    ///   - faults: What holds back messages that clients send to all others.
    init(
        _ arguments: ListenArguments, isPrompt: Bool, to output: Int32?, faults: Faults, console: Console,
        on loop: EventLoop
    ) throws(Failure) {
        self.console = console
        self.faults = faults
        self.isPrompt = isPrompt
        verbosity = arguments.transcript.verbosity
        transcript = console.makeTranscript(for: arguments, isPrompt: isPrompt, on: loop)
        do throws(IOError) {
            messages = try output.map { (output) throws(IOError) in
                try MessageWriter(arguments, colors: console, to: output, on: loop)
            }
        } catch {
            throw .output(error)
        }
        messages?.didDrain = { [unowned self] in drained() }
        // A reader that has gone away is a normal end.
        messages?.didFail = { [unowned self] error in didFail(error == .brokenPipe ? nil : .output(error)) }
        guard let path = arguments.transcript.recordPath else { return }
        do throws(IOError) {
            let recorder = try Recorder(path: path, on: loop)
            recorder.didDrain = { [unowned self] in drained() }
            recorder.didFail = { [unowned self] error in recordingDidFail(path, error) }
            self.recorder = recorder
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    /// Whether messages are shown or recorded, not just answered.
    var observesMessages: Bool { messages != nil || recorder != nil || isPrompt || verbosity > 1 }
    /// Whether pings, pongs and close frames are shown.
    var showsFrames: Bool { editor != nil || verbosity > 0 }
    /// Whether messages that are sent to all clients are shown.
    var showsBroadcasts: Bool { editor != nil || verbosity > 1 }

    /// What shows the frames of a client; nil: nobody asked for it.
    func makeTrace(ofClient number: Int) -> FrameTrace? {
        guard verbosity > 1 else { return nil }
        return FrameTrace(transcript: transcript, client: number) { [console] in console.show($0) }
    }

    // MARK: Received

    /// Shows a client's message.
    func received(_ payload: RawSpan, as kind: MessageKind, from number: Int) {
        if kind == .text { editor?.words.remember(payload) }
        recorder?.events.writeMessage(payload, as: kind, client: number)
        if let messages {
            messages.write(payload, as: kind, client: number)
        } else if editor != nil {
            console.show(transcript.message(payload, as: kind, .received, client: number).text)
        }
        pauseIfFull(by: number)
    }

    /// Shows a ping or a pong.
    /// - Parameter roundTrip: The time since the heartbeat that a pong answers.
    func received(control opcode: Opcode, _ payload: RawSpan, roundTrip: Duration?, from number: Int) {
        writeEvent { $0.writeControl(opcode, payload, roundTrip: roundTrip, client: number) }
        if showsFrames { console.show(transcript.control(opcode, payload, .received, client: number)) }
        pauseIfFull(by: number)
    }

    /// Shows a close frame.
    func received(close frame: CloseFrame, from number: Int) {
        if showsFrames { console.show(transcript.close(frame, .received, client: number)) }
    }

    // MARK: Sent

    /// Shows a heartbeat.
    func sentHeartbeat(_ payload: [UInt8], to number: Int) {
        guard showsFrames else { return }
        console.show(transcript.control(.ping, payload.span.bytes, .sent, client: number))
    }

    /// Records and shows the server's own answer to a client.
    func answered(_ payload: RawSpan, as kind: MessageKind, to number: Int) {
        record(payload, as: kind, to: number)
        guard verbosity > 1 else { return }
        console.show(transcript.message(payload, as: kind, .sent, client: number).text)
    }

    /// Shows what the input sends to one client.
    func showInput(_ item: InputItem, _ payload: RawSpan, to number: Int) {
        let isShown = if case .message = item { verbosity > 1 } else { showsFrames }
        if isShown { show(sent: item, payload, client: number) }
    }

    /// Shows a message to one client, or to all (nil).
    func show(sent item: InputItem, _ payload: RawSpan, client: Int?) {
        switch item {
        case .message(let kind): console.show(transcript.message(payload, as: kind, .sent, client: client).text)
        case .ping: console.show(transcript.control(.ping, payload, .sent, client: client))
        case .pong: console.show(transcript.control(.pong, payload, .sent, client: client))
        case .close(let frame?), .end(let frame): console.show(transcript.close(frame, .sent, client: client))
        case .close(nil): break
        }
    }

    // MARK: Events

    /// Writes an event wherever events go.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = messages?.events { write(events) }
        if let recorder { write(recorder.events) }
    }

    /// Whether everything is recorded.
    var isRecording: Bool { recorder != nil }
    /// Whether the recording does not keep up.
    var isRecordingFull: Bool { recorder?.isFull ?? false }

    /// Records a message to a client.
    func record(_ payload: RawSpan, as kind: MessageKind, to number: Int) {
        recorder?.events.writeMessage(payload, as: kind, .outgoing, client: number)
    }

    /// Records a message to several clients.
    func record(_ payload: RawSpan, as kind: MessageKind, to numbers: [Int]) {
        recorder?.events.writeMessage(payload, as: kind, toClients: numbers)
    }

    /// Records a ping or a pong of the user's, or of a replay.
    func record(control opcode: Opcode, _ payload: RawSpan, to number: Int) {
        recorder?.events.writeControl(opcode, payload, .outgoing, client: number)
    }

    /// Records a close frame.
    func record(close frame: CloseFrame, to number: Int) {
        recorder?.events.writeClose(sent: frame, client: number)
    }

    /// Nothing is recorded any more, which ends the server, but leaves the user at the prompt.
    private func recordingDidFail(_ path: String, _ error: IOError) {
        recorder = nil
        let failure = Failure.recording(path: path, error)
        guard editor != nil else { return didFail(failure) }
        console.report(failure)
        drained()
    }

    // MARK: Back-pressure

    /// Whether standard output or the recording does not keep up, the user's editor has the terminal for long, or what
    /// clients send to all others waits for its time.
    var isFull: Bool {
        messages?.isFull ?? false || recorder?.isFull ?? false || editor?.holdsMuch ?? false || faults.holdBroadcasts
    }

    /// Whether nothing waits to be written.
    var isDrained: Bool { messages?.isDrained ?? true && recorder?.isDrained ?? true }

    /// Pauses all clients while the outputs do not keep up: each may have a large message that has been read.
    /// - Parameter number: The client whose message was the last.
    func pauseIfFull(by number: Int) {
        guard isFull, let senders else { return }
        let turns = self.turns ?? OutputTurns(of: senders)
        self.turns = turns
        if !turns.isOutputWaitedFor { senders.pauseClients(for: .output) }
        // One that has come since then, too.
        senders.pauseSender(number, for: .output)
        turns.didFill(with: number)
    }

    /// Has the clients go on if the outputs have room again.
    func drained() {
        if turns?.isOutputWaitedFor ?? false, !isFull { releaseClients() }
        didDrain()
    }

    /// Has the clients go on, even if the outputs have no room: they are not waited for any more.
    func releaseClients() {
        turns?.didDrain()
        senders?.resumeClients(after: .output)
    }

    /// Writes what can be written at once.
    func flush() {
        messages?.flush()
        recorder?.flush()
    }
}
