import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The outputs of messages and events: standard output, the transcript, and the recording. A slow output pauses the
/// clients.
///
///      client ──► received ──► stdout, transcript, recording ── isFull ──► all clients are paused
///                                           └── backlog is written ──────► they resume, in turns
final class ListenOutputs {
    let diagnostics: Diagnostics
    let transcript: Transcript
    /// Keeps and shows the messages of a prompt, or `nil` without a prompt.
    let view: MessageView?
    /// Shows messages above the line being typed, or `nil` without a prompt.
    var editor: (any PromptEditor)?
    /// The payload of the last ping from the input or the prompt. Pongs with it are shown.
    private var promptPing: [UInt8]?
    /// Pauses the clients. Set before the first client connects.
    weak var senders: (any SenderControl)?
    /// Called when an output has written its backlog.
    var didDrain: () -> Void = {}
    /// Called when an output fails, which ends the run. The failure is `nil` if the reader of standard output closed
    /// it.
    var didFail: (Failure?) -> Void = { _ in }

    /// Writes messages to standard output, or `nil` if it is not used for messages.
    private let messages: MessageWriter?
    /// Records the session on request.
    let recording: SessionRecording
    /// Shows everything in browsers, or `nil` without `--page`.
    let page: LivePage?
    let faults: Faults
    private let verbosity: Int
    /// The messages that are neither written nor shown.
    let hiding: ClientHiding
    /// Whether the server relays: what it sends comes from another server and is shown like what it receives.
    let isRelay: Bool
    /// Decodes what `--encode` has encoded, to show it.
    private let sentPipeline: Pipeline
    /// The same for what is sent to the server of a relay.
    private let injectedPipeline: Pipeline
    private var undecoded = UndecodedMessages()
    private var recorder: Recorder? { recording.recorder }
    /// The clients waiting for the outputs, or `nil` if none has had to wait.
    private var turns: OutputTurns?

    /// Opens the outputs that the arguments request.
    ///
    /// - Parameters:
    ///   - isPrompt: Whether the user types lines on the terminal.
    ///   - output: The descriptor of standard output, or `nil` if it is not used for messages.
    ///   - faults: The gates that delay broadcasts from clients.
    /// - Throws: ``Failure/output(_:)``, or ``Failure/badArgument(what:why:)`` for the recording.
    init(
        _ arguments: ListenArguments, isPrompt: Bool, to output: Int32?, faults: Faults, diagnostics: Diagnostics,
        on loop: EventLoop
    ) throws(Failure) {
        self.diagnostics = diagnostics
        self.faults = faults
        verbosity = arguments.transcript.verbosity
        isRelay = arguments.mode.isRelay
        let hidden = HiddenMessages(
            arguments.transcript.hidden, allowing: arguments.conditionPrefixes, diagnostics: diagnostics)
        hiding = ClientHiding(hidden)
        let codecs = arguments.codecs
        sentPipeline = Pipeline(MessageCodecs(decoders: codecs.encoders), clockOffset: 0)
        injectedPipeline = Pipeline(MessageCodecs(decoders: codecs.clientEncoders), clockOffset: 0)
        view = isPrompt ? diagnostics.makeView(for: arguments, showsReceived: output == nil, on: loop) : nil
        view?.filters.includeSent = isRelay
        view?.hidden = hidden
        transcript = view?.transcript ?? diagnostics.makeTranscript(for: arguments, on: loop)
        recording = SessionRecording(diagnostics: diagnostics, conversion: SavedSession.conversion(to:), on: loop)
        page = try LivePage(
            arguments.page,
            .init(
                command: isRelay ? "relay" : "listen", sides: isRelay ? [.client, .server] : [.client],
                holding: codecs.canHold ? arguments.conditionPrefixes : nil),
            diagnostics: diagnostics, on: loop)
        recording.codecs =
            isRelay
            ? codecs.decoders.map { "from:client \($0.name)" } + codecs.serverDecoders.map { "from:server \($0.name)" }
            : codecs.decoders.map(\.name)
        do throws(IOError) {
            messages = try output.map { (output) throws(IOError) in
                try MessageWriter(arguments, colors: diagnostics, to: output, on: loop)
            }
        } catch {
            throw .output(error)
        }
        messages?.didDrain = { [unowned self] in drained() }
        // A reader that closes the pipe is a normal end.
        messages?.didFail = { [unowned self] error in didFail(error == .brokenPipe ? nil : .output(error)) }
        recording.didDrain = { [unowned self] in drained() }
        recording.didFail = { [unowned self] failure in recordingDidFail(failure) }
        guard let path = arguments.transcript.recordPath else { return }
        do throws(IOError) {
            try recording.start(to: path, replacing: true)
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    /// Whether messages are shown or recorded, rather than only answered.
    var observesMessages: Bool { messages != nil || recorder != nil || view != nil || page != nil || verbosity > 1 }
    /// Whether pings, pongs, and close frames that an input sends are shown.
    var showsFrames: Bool { editor != nil || verbosity > 0 }
    /// Whether messages sent to all clients are shown.
    var showsBroadcasts: Bool { editor != nil || verbosity > 1 }

    /// Creates a trace of a client's frames, or returns `nil` if frames are not shown.
    func makeTrace(ofClient number: Int) -> FrameTrace? {
        guard verbosity > 1 else { return nil }
        return FrameTrace(transcript: transcript, client: number) { [diagnostics] in diagnostics.show($0) }
    }

    // MARK: Received

    /// Records and shows a message that has arrived, and that no pipeline decodes. The parameters are those of
    /// ``record(_:as:_:_:of:)``.
    func received(
        _ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection = .incoming, from number: Int
    ) {
        record(payload, as: kind, direction, of: number)
        show(payload, as: kind, nil, direction, of: number)
    }

    /// Records a message as it arrives: from a client or, in the direction `outgoing`, from the server of a relay.
    /// - Parameter mark: What a relay has done to it.
    func record(
        _ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection, _ mark: MessageMark? = nil,
        of number: Int
    ) {
        recorder?.events.writeMessage(payload, as: kind, direction, client: number, mark: mark)
    }

    /// Writes and shows a message that has arrived.
    /// - Parameters:
    ///   - decoding: How it was decoded, or `nil` if it is as received.
    ///   - mark: What a relay has done to it.
    ///   - role: The part that it plays.
    func show(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, _ direction: EventDirection,
        _ mark: MessageMark? = nil, of number: Int, role: Pipeline.Role = .message
    ) {
        let isReceived = direction == .incoming
        defer { if isReceived { pauseIfFull(by: number) } }
        if kind == .text, isReceived { editor?.services.words.remember(payload) }
        let shownDirection: Transcript.Direction = isReceived ? .received : .sent
        let isHidden = role == .hidden || hides(payload, mark, shownDirection, number)
        page?.events.writeShown(
            payload, as: kind, decoding, direction, client: number, mark: mark, role: isHidden ? .hidden : role)
        if isHidden {
            return show(hidden: payload, as: kind, shownDirection, client: number)
        }
        if isReceived, mark == nil || (!isRelay && messages?.events == nil) {
            messages?.write(payload, as: kind, client: number, decoding: decoding)
        } else {
            messages?.events?.writeShown(payload, as: kind, decoding, direction, client: number, mark: mark)
        }
        if let view {
            let role: Transcript.Role = decoding?.problem.map { .undecoded($0) } ?? .plain
            view.show(payload, as: kind, shownDirection, client: number, role: role)
        } else {
            if let problem = decoding?.problem { report(undecoded: problem, of: number) }
            if verbosity > 1, isRelay || !isReceived {
                diagnostics.show(transcript.message(payload, as: kind, shownDirection, client: number))
            }
        }
    }

    /// Reports why a message of a client's connection was not decoded.
    func report(undecoded problem: String, of number: Int) {
        undecoded.report(problem, client: number, to: diagnostics)
    }

    /// Reports why a message of a client's connection is not changed as rules demand.
    /// - Parameter form: What is passed on.
    func report(unedited problem: CodecError, became form: RecordEdit, of number: Int) {
        let words =
            switch form {
            case .unchanged: "not changed (--rewrite)"
            case .changed: "changed only by --drop, and not by --rewrite"
            case .removed: "dropped as a whole, as it cannot lose a part"
            }
        diagnostics.error("a message of client \(number) was \(words): \(problem)")
    }

    /// Shows and records a ping or a pong.
    /// - Parameter roundTrip: The round-trip time if the pong answers a heartbeat.
    func received(control opcode: Opcode, _ payload: RawSpan, roundTrip: Duration?, from number: Int) {
        writeEvent { $0.writeControl(opcode, payload, roundTrip: roundTrip, client: number) }
        let isRequested = opcode == .pong && (promptPing.map { payload.isEqual(to: $0.span.bytes) } ?? false)
        show(control: opcode, payload, .received, client: number, isRequested: isRequested)
        pauseIfFull(by: number)
    }

    /// Shows a close frame, with `-v`. Without it, the log line about the disconnected client has its code and reason.
    func received(close frame: CloseFrame, from number: Int) {
        if verbosity > 0 { diagnostics.show(transcript.close(frame, .received, client: number)) }
    }

    // MARK: Sent

    /// Shows a heartbeat.
    func sentHeartbeat(_ payload: [UInt8], to number: Int) {
        show(control: .ping, payload.span.bytes, .sent, client: number, isRequested: false)
    }

    private func show(
        control opcode: Opcode, _ payload: RawSpan, _ direction: Transcript.Direction, client: Int, isRequested: Bool
    ) {
        if let view {
            view.show(control: opcode, payload, direction, client: client, isRequested: isRequested)
        } else if verbosity > 0 {
            diagnostics.show(transcript.control(opcode, payload, direction, client: client))
        }
    }

    /// Records and shows a message of this end to a client: an answer, or one from the prompt of a relay.
    /// - Parameter mark: What a relay has done to it.
    func answered(_ payload: RawSpan, as kind: MessageKind, _ mark: MessageMark? = nil, to number: Int) {
        record(payload, as: kind, .outgoing, mark, of: number)
        if isRelay {
            withShown(payload, kind) { show($0, as: $1, $2, .outgoing, mark, of: number) }
        } else {
            showOnPage(sent: payload, as: kind, to: [number])
            if verbosity > 1 || view != nil { show(sent: payload, as: kind, client: number) }
        }
    }

    /// Records a message that has been sent to a client, and is shown where it came from.
    func sent(_ payload: RawSpan, as kind: MessageKind, to number: Int) {
        record(payload, as: kind, .outgoing, of: number)
        showOnPage(sent: payload, as: kind, to: [number])
    }

    private func showOnPage(sent payload: RawSpan, as kind: MessageKind, to numbers: [Int]) {
        guard let page else { return }
        withShown(payload, kind) { payload, kind, decoding in
            for number in numbers { page.events.writeShown(payload, as: kind, decoding, .outgoing, client: number) }
        }
    }

    /// Records and shows a message that is sent to the server of a relay in place of a client.
    /// - Parameter mark: Whether the user has typed it. Defaults to that.
    func injected(_ payload: RawSpan, as kind: MessageKind, _ mark: MessageMark? = .injected, from number: Int) {
        record(payload, as: kind, .incoming, mark, of: number)
        withShown(payload, kind, by: injectedPipeline) { show($0, as: $1, $2, .incoming, mark, of: number) }
    }

    /// Whether a message is hidden. Typed messages never are.
    private func hides(_ payload: RawSpan, _ mark: MessageMark?, _ direction: Transcript.Direction, _ client: Int)
        -> Bool
    {
        mark != .injected && hiding.conditions(direction, client).anyMatches(payload, payload: payload)
    }

    /// Keeps a hidden message at the prompt, and shows it with `-v`.
    private func show(
        hidden payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, client: Int
    ) {
        if let view {
            view.show(payload, as: kind, direction, client: client, role: .hidden)
        } else if verbosity > (messages == nil ? 1 : 0) {
            diagnostics.show(transcript.hidden(payload, as: kind, direction, client: client))
        }
    }

    /// Passes on a message of this end as it is shown: as the text that `--encode` has encoded.
    private func withShown(
        _ payload: RawSpan, _ kind: MessageKind, by pipeline: Pipeline? = nil,
        _ body: (RawSpan, MessageKind, Decoding?) -> Void
    ) {
        // A message of another origin, such as an echo, need not be encoded.
        (pipeline ?? sentPipeline).received(payload, as: kind, at: 0) {
            body($0, $1, $3?.problem == nil ? $3 : nil)
        }
    }

    /// Shows a sent message, except at the prompt without the secrets of the run.
    private func show(sent payload: RawSpan, as kind: MessageKind, client: Int?) {
        withShown(payload, kind) { payload, kind, _ in
            if let view {
                view.show(payload, as: kind, .sent, client: client)
            } else {
                let masked = diagnostics.secrets.masking(payload.withUnsafeBytes { Array($0) })
                diagnostics.show(transcript.message(masked.span.bytes, as: kind, .sent, client: client))
            }
        }
    }

    /// Shows an input item sent to one client.
    func showInput(_ item: InputItem, _ payload: RawSpan, to number: Int) {
        let isShown = if case .message = item { verbosity > 1 } else { showsFrames }
        if isShown { show(sent: item, payload, client: number) }
    }

    /// Shows an item sent to one client, or to all if `client` is `nil`.
    func show(sent item: InputItem, _ payload: RawSpan, client: Int?) {
        switch item {
        case .message(let kind): show(sent: payload, as: kind, client: client)
        case .ping:
            promptPing = payload.withUnsafeBytes { Array($0) }
            diagnostics.show(transcript.control(.ping, payload, .sent, client: client))
        case .pong: diagnostics.show(transcript.control(.pong, payload, .sent, client: client))
        case .close(let frame?), .end(let frame): diagnostics.show(transcript.close(frame, .sent, client: client))
        case .close(nil): break
        }
    }

    // MARK: Events

    /// Writes an event to all outputs that take events.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = messages?.events { write(events) }
        if let recorder { write(recorder.events) }
        if let page { write(page.events) }
    }

    /// Whether messages to several clients are recorded, or shown on a page.
    var keepsBroadcasts: Bool { recorder != nil || page != nil }
    /// Whether there is a recording.
    var isRecording: Bool { recorder != nil }
    /// Whether the recording has a backlog.
    var isRecordingFull: Bool { recorder?.isFull ?? false }

    /// Writes an event about what was sent.
    private func writeSent(_ write: (EventWriter) -> Void) {
        if isRelay, let events = messages?.events { write(events) }
        if let recorder { write(recorder.events) }
        if let page { write(page.events) }
    }

    /// Records a message sent to several clients.
    func record(_ payload: RawSpan, as kind: MessageKind, to numbers: [Int]) {
        recorder?.events.writeMessage(payload, as: kind, toClients: numbers)
        showOnPage(sent: payload, as: kind, to: numbers)
    }

    /// Records a ping or a pong from the user or a replay.
    func record(control opcode: Opcode, _ payload: RawSpan, to number: Int) {
        writeSent { $0.writeControl(opcode, payload, .outgoing, client: number) }
        if isRelay { show(control: opcode, payload, .sent, client: number, isRequested: false) }
    }

    /// Records a sent close frame, unless it answers one of the client, whose event follows.
    func record(close frame: CloseFrame, to number: Int, isAnswer: Bool = false) {
        if !isAnswer { writeSent { $0.writeClose(sent: frame, client: number) } }
        if isRelay, verbosity > 0 { diagnostics.show(transcript.close(frame, .sent, client: number)) }
    }

    /// Stops recording. This ends the server, except at the prompt.
    private func recordingDidFail(_ failure: Failure) {
        guard editor != nil else { return didFail(failure) }
        diagnostics.report(failure)
        drained()
    }

    // MARK: Back-pressure

    /// Whether an output has a backlog, or gates delay the broadcasts of clients.
    var isFull: Bool { hasBacklog || faults.holdBroadcasts }
    /// Whether standard output or the recording is slow, or the user's editor has held the terminal for long.
    var hasBacklog: Bool { messages?.isFull ?? false || recorder?.isFull ?? false || editor?.holdsMuch ?? false }

    /// Whether no output has data left to write.
    var isDrained: Bool { messages?.isDrained ?? true && recorder?.isDrained ?? true }

    /// What the outputs would lack if the run ended now.
    var losses: [OutputLoss] { [messages?.loss, recorder?.loss].compactMap(\.self) }

    /// Pauses all clients while an output has a backlog: each of them may already have a large message in its buffer.
    /// - Parameter number: The client that sent the last message.
    func pauseIfFull(by number: Int) {
        guard isFull, let senders else { return }
        let turns = self.turns ?? OutputTurns(of: senders)
        self.turns = turns
        if !turns.isOutputWaitedFor { senders.pauseClients(for: .output) }
        // This also pauses a client that connected after the others were paused.
        senders.pauseSender(number, for: .output)
        turns.didFill(with: number)
    }

    /// Resumes the clients if the outputs have room again.
    func drained() {
        if turns?.isOutputWaitedFor ?? false, !isFull { releaseClients() }
        didDrain()
    }

    /// Resumes the clients even if the outputs have no room, because the run no longer waits for the outputs.
    func releaseClients() {
        turns?.didDrain()
        senders?.resumeClients(after: .output)
    }

    /// Writes as much as the outputs accept now.
    func flush() {
        messages?.flush()
        recorder?.flush()
    }
}
