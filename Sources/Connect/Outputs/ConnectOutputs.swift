import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The outputs of the pipeline: standard output, the transcript, and the recording. A slow output pauses the peer.
///
///     peer → messages, pushes, recording, frames, the terminal of the user's editor ── isFull ──► the peer is paused
///                                           └───────────────── didDrain ──────────────────────► it resumes
final class ConnectOutputs {
    let diagnostics: Diagnostics
    let transcript: Transcript
    /// Keeps and shows the messages of a prompt, or `nil` without a prompt.
    let view: MessageView?
    /// Shows each frame, or `nil` without `-vv`.
    let trace: FrameTrace?
    /// Writes messages to standard output, or `nil` if the prompt shows them on the terminal, or a scenario only judges them.
    let messages: MessageWriter?
    /// Writes messages that answer no request to standard error, or `nil` if they go to standard output.
    let pushes: MessageWriter?
    /// Records the session on request.
    let recording: SessionRecording
    /// Shows everything in browsers, or `nil` without `--page`.
    let page: LivePage?
    /// Encodes sent messages for the recording, or `nil` without `--encode`.
    var encoder: TextEncoder?
    /// The prompt, or `nil` if there is none.
    var prompt: ConnectPrompt?
    /// Judges what arrives, or `nil` without a scenario.
    var judge: ScenarioSource?
    /// Called when an output has written its backlog, or no longer has to be waited for.
    var didDrain: () -> Void = {}
    /// Called once when writing to standard output fails.
    var didFail: (IOError) -> Void = { _ in }

    /// The name of the application protocol, or `nil` if there is none. Its messages are recorded, not the lines.
    var protocolName: String?
    /// The numbers of the messages that were sent as requests.
    private(set) var requestMessages: RequestMessages
    /// Copied from the arguments: reading it through the run's settings would copy all of them.
    private let verbosity: Int
    /// Whether the reader of standard output may write to the terminal of the prompt, as in `wsx URL | jq .`.
    let sharesTerminal: Bool
    /// Checks whether standard error has room again.
    private var logTimer: Timer?
    private var undecoded = UndecodedMessages()
    /// What was done to the message that is being received, for the page.
    private var edit: MessageEdit?
    private var recorder: Recorder? { recording.recorder }

    /// Opens the outputs that the settings request.
    ///
    /// - Parameter output: The descriptor of standard output.
    /// - Throws: ``Failure/output(_:)``, or ``Failure/badArgument(what:why:)`` for the recording.
    init(_ settings: ConnectSettings, diagnostics: Diagnostics, output: Int32, on loop: EventLoop) throws(Failure) {
        let (arguments, hasPrompt) = (settings.arguments, settings.hasPrompt)
        self.diagnostics = diagnostics
        verbosity = arguments.transcript.verbosity
        let isPiped = !hasPrompt || !StandardDescriptors.isTerminal(output)
        sharesTerminal = hasPrompt && StandardDescriptors.isPipe(output)
        view = hasPrompt ? diagnostics.makeView(for: arguments, showsReceived: !isPiped, on: loop) : nil
        transcript = view?.transcript ?? diagnostics.makeTranscript(for: arguments, on: loop)
        requestMessages = RequestMessages(expectsErrors: arguments.replies.calls != nil)
        recording = SessionRecording(diagnostics: diagnostics, conversion: SavedSession.conversion(to:), on: loop)
        recording.codecs = arguments.codecs.decoders.map(\.name)
        let canHold = arguments.codecs.canHold
        guard canHold || arguments.page.held.isEmpty else { throw LivePage.unableToHold }
        page = try LivePage(
            arguments.page, .init(command: "connect", sides: [.server], holding: canHold ? [] : nil),
            diagnostics: diagnostics, on: loop)
        trace = verbosity > 1 ? FrameTrace(transcript: transcript) { diagnostics.show($0) } : nil
        let hasPushes = isPiped && settings.lines.areRequests && arguments.transcript.display.isQuiet
        do throws(IOError) {
            messages =
                isPiped && settings.writesMessages
                ? try MessageWriter(arguments, colors: diagnostics, to: output, on: loop) : nil
            pushes =
                hasPushes
                ? try MessageWriter(arguments, colors: diagnostics, to: StandardDescriptors.error, on: loop) : nil
        } catch {
            throw .output(error)
        }
        logTimer = Timer(on: loop) { [unowned self] in
            if isLogBusy { watchLog() } else { didDrain() }
        }
        messages?.didDrain = { [unowned self] in didDrain() }
        messages?.didFail = { [unowned self] error in didFail(error) }
        pushes?.didDrain = { [unowned self] in didDrain() }
        // After a failure, the writer accepts further messages and discards them.
        pushes?.didFail = { [unowned self] _ in didDrain() }
        recording.didDrain = { [unowned self] in didDrain() }
        guard let path = arguments.transcript.recordPath else { return }
        do throws(IOError) {
            try recording.start(to: path, replacing: true)
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    // MARK: Back-pressure

    /// Whether the peer should pause: an output is slow, or the user's editor has held the terminal for long.
    var isFull: Bool {
        messages?.isFull ?? false || pushes?.isFull ?? false || recorder?.isFull ?? false
            || prompt?.editor.holdsMuch ?? false || isLogBusy
    }

    /// Whether the input should pause, because sent messages are also recorded and shown.
    var delaysInput: Bool { recorder?.isFull ?? false || isLogBusy }

    /// Whether `-vv` produces frames faster than standard error accepts them. Without `-vv` there are only a few
    /// notices.
    private var isLogBusy: Bool { verbosity > 1 && diagnostics.isBusy }

    /// Schedules ``didDrain`` for the time when standard error has room again. It does not check first: the caller has
    /// just found it busy, and by now another thread may have changed that.
    func watchLog() {
        if verbosity > 1 { logTimer?.start(after: Diagnostics.busyInterval) }
    }

    /// Whether no output has data left to write.
    var isDrained: Bool {
        messages?.isDrained ?? true && pushes?.isDrained ?? true && recorder?.isDrained ?? true
    }

    /// What the outputs would lack if the run ended now.
    /// - Parameter hasProgram: Whether a program reads the messages, which it may leave unread.
    func losses(hasProgram: Bool) -> [OutputLoss] {
        [hasProgram ? nil : messages?.loss, recorder?.loss].compactMap(\.self)
    }

    /// Writes as much as the outputs accept now.
    func flush() {
        messages?.flush()
        recorder?.flush()
        pushes?.flush()
    }

    // MARK: Messages

    /// Whether notices about sent messages are shown.
    var showsSending: Bool { prompt != nil || verbosity > 0 }
    /// Whether sent messages are shown.
    var showsSentMessages: Bool { prompt != nil || verbosity > 1 }
    /// Whether each step is shown.
    var isVerbose: Bool { verbosity > 0 }

    /// Whether messages are recorded, or shown on a page.
    private var keepsMessages: Bool { page != nil || recorder != nil }

    // Without a recording and a page, the next two cost a pipe nothing.

    /// Records a received message.
    @inline(__always)
    func record(_ payload: RawSpan, as kind: MessageKind, _ edit: MessageEdit? = nil) {
        if keepsMessages { keep(payload, as: kind, edit) }
    }

    /// Records a message as it is sent.
    @inline(__always)
    func record(sent payload: RawSpan, as kind: MessageKind) {
        if keepsMessages { keep(sent: payload, as: kind) }
    }

    @inline(never)
    private func keep(_ payload: RawSpan, as kind: MessageKind, _ edit: MessageEdit?) {
        self.edit = edit
        recorder?.events.writeMessage(payload, as: kind, mark: MessageMark(edit))
    }

    /// Writes or shows a received message.
    /// - Parameters:
    ///   - reply: The request it answers and its round trip, or `nil` if it is not a reply.
    ///   - decoding: How it was decoded, or `nil` if it is as received.
    /// - Returns: Whether the message was written or shown, as opposed to omitted.
    func write(
        _ payload: RawSpan, as kind: MessageKind, reply: Reply? = nil, decoding: Decoding? = nil
    ) -> Bool {
        // Passing the decoding on costs something even without a page.
        if page != nil { showOnPage(payload, as: kind, decoding, reply: reply) }
        if sharesTerminal { prompt?.editor.hideBriefly() }
        let isWritten = messages?.write(payload, as: kind, reply: reply, decoding: decoding)
        guard view != nil else {
            if let decoding, let problem = decoding.problem, !decoding.isReported { report(undecoded: problem) }
            if let judge {
                if messages == nil { show(unwritten: payload, as: kind) }
                judge.received(payload, as: decoding?.kind ?? kind)
            }
            return isWritten ?? true
        }
        let role: Transcript.Role =
            if let problem = decoding?.problem {
                .undecoded(problem)
            } else if let reply {
                requestMessages.role(of: payload, reply)
            } else {
                .plain
            }
        let isShown = show(received: payload, as: kind, role: role)
        return isWritten ?? isShown
    }

    private func showOnPage(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, reply: Reply? = nil,
        role: Pipeline.Role = .message
    ) {
        guard let page else { return }
        let mark = MessageMark(edit, record: decoding?.position?.number ?? 1)
        page.events.writeShown(payload, as: kind, decoding, client: nil, reply: reply, mark: mark, role: role)
    }

    /// Keeps a hidden message at the prompt, and shows it with `-v`.
    func show(hidden payload: RawSpan, as kind: MessageKind) {
        showOnPage(payload, as: kind, nil, role: .hidden)
        if let view { return _ = view.show(payload, as: kind, .received, role: .hidden) }
        if isVerbose { diagnostics.show(transcript.hidden(payload, as: kind, .received)) }
    }

    /// Reports why a message was not decoded.
    func report(undecoded problem: String) { undecoded.report(problem, to: diagnostics) }

    /// Keeps and shows a received message at the prompt.
    /// - Returns: Whether the message has the value that `/pick` selects, if it selects one.
    private func show(received payload: RawSpan, as kind: MessageKind, role: Transcript.Role) -> Bool {
        guard let view else { return true }
        return !view.show(payload, as: kind, .received, role: role).isOmitted
    }

    /// Writes a received message that answers no request.
    /// - Returns: Whether the message was written or shown, as opposed to omitted.
    func write(push payload: RawSpan, as kind: MessageKind, decoding: Decoding? = nil) -> Bool {
        if decoding?.problem != nil { return write(payload, as: kind, decoding: decoding) }
        if page != nil { showOnPage(payload, as: kind, decoding) }
        if let pushes { return pushes.write(payload, as: kind, decoding: decoding) }
        if sharesTerminal { prompt?.editor.hideBriefly() }
        let isWritten = messages?.write(payload, as: kind, decoding: decoding)
        let isShown = show(received: payload, as: kind, role: .notification)
        return isWritten ?? isShown
    }

    /// Records and shows a message that has been sent or is queued for a connection.
    /// - Parameters:
    ///   - isAgain: Whether the message was already sent on a lost connection. It is not recorded again.
    ///   - request: The number of the request that the message is, or `nil` if it is none.
    func writeSent(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction = .sent,
        again isAgain: Bool = false, request: Int? = nil
    ) {
        if !isAgain, protocolName == nil || kind == .binary { record(sent: payload, as: kind) }
        if showsSentMessages { show(payload, as: kind, direction, request: request) }
    }

    @inline(never)
    private func keep(sent payload: RawSpan, as kind: MessageKind) {
        page?.events.writeMessage(payload, as: kind, .outgoing)
        guard let recorder else { return }
        guard let encoder else { return recorder.events.writeMessage(payload, as: kind, .outgoing) }
        do throws(CodecError) {
            try encoder.encode(payload, as: kind) { recorder.events.writeMessage($0, as: $1, .outgoing) }
        } catch {
            // It was not sent either.
        }
    }

    /// Shows a sent or queued message. The prompt also keeps it. Elsewhere, it is shown without the secrets of the run.
    /// - Parameter request: The number of the request that the message is, or `nil` if it is none.
    func show(_ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, request: Int? = nil) {
        guard let view else {
            let note = request.map { "(request \($0))" } ?? ""
            guard direction != .received else {
                return diagnostics.show(transcript.message(payload, as: kind, direction, note: note))
            }
            let masked = diagnostics.secrets.masking(payload.withUnsafeBytes { Array($0) })
            return diagnostics.show(transcript.message(masked.span.bytes, as: kind, direction, note: note))
        }
        let (number, _) = view.show(payload, as: kind, direction)
        if let request { requestMessages[request] = number }
    }

    /// Shows a received message that is not for standard output, such as one of the login, at the prompt or with `-v`.
    func show(unwritten payload: RawSpan, as kind: MessageKind) {
        if view != nil || isVerbose { show(payload, as: kind, .received, request: nil) }
    }

    /// Records an automatic answer, and shows it with `-v`.
    func writeAnswer(_ answer: RawSpan) {
        record(sent: answer, as: .text)
        if isVerbose { show(answer, as: .text, .sent) }
    }

    // MARK: Frames and notices

    /// Shows a ping or a pong.
    /// - Parameter isRequested: Whether the user has sent it, or waits for it.
    func show(
        control opcode: Opcode, _ payload: RawSpan, _ direction: Transcript.Direction, note: String = "",
        isRequested: Bool = false
    ) {
        if let view {
            view.show(control: opcode, payload, direction, note: note, isRequested: isRequested)
        } else if isVerbose {
            diagnostics.show(transcript.control(opcode, payload, direction, note: note))
        }
        if direction == .received { judge?.received(control: opcode) }
    }

    /// Records and shows a ping or a pong sent by the user.
    func writeSent(control opcode: Opcode, _ payload: RawSpan) {
        writeSent { $0.writeControl(opcode, payload, .outgoing) }
        show(control: opcode, payload, .sent, isRequested: true)
    }

    /// Records and shows the close frame that this end sends.
    func writeSent(close frame: CloseFrame) {
        writeSent { $0.writeClose(sent: frame) }
        if isVerbose { diagnostics.show(transcript.close(frame, .sent)) }
    }

    /// Shows the peer's close frame, with `-v`. Without it, the end of the connection is reported in one line.
    func show(close frame: CloseFrame) {
        if isVerbose { diagnostics.show(transcript.close(frame, .received)) }
    }

    /// Shows a line of an opening handshake, with `-v`.
    func show(head line: String, _ direction: Transcript.Direction) {
        if isVerbose { diagnostics.show(transcript.head(line, direction)) }
    }

    /// Shows a notice, with `-v`.
    func noticeVerbosely(_ line: String) {
        if isVerbose { diagnostics.notice(line) }
    }

    /// Writes an event to all outputs that take events.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = messages?.events { write(events) }
        writeSent(write)
    }

    private func writeSent(_ write: (EventWriter) -> Void) {
        if let recorder { write(recorder.events) }
        if let page { write(page.events) }
    }
}

/// The numbers of messages at a prompt that were sent as requests, by the number of the request. The latest ones are
/// kept, in two generations: the older one is discarded when the newer one is full.
struct RequestMessages {
    /// The number of requests per generation.
    static let generationCount = LineQueue.maximumInFlight

    /// Whether replies may report JSON-RPC errors.
    private let expectsErrors: Bool
    private var newer: [Int: Int] = [:]
    private var older: [Int: Int] = [:]

    /// Creates an empty list.
    /// - Parameter expectsErrors: Whether replies may report JSON-RPC errors.
    init(expectsErrors: Bool = false) { self.expectsErrors = expectsErrors }

    /// The number of requests kept.
    var count: Int { newer.count + older.count }

    /// The number of the message, or `nil` if it is unknown.
    subscript(request: Int) -> Int? {
        get { newer[request] ?? older[request] }
        set {
            if newer.count == Self.generationCount {
                older = newer
                newer.removeAll()
            }
            newer[request] = newValue
        }
    }

    /// How a reply is shown.
    func role(of payload: RawSpan, _ reply: Reply) -> Transcript.Role {
        let error = expectsErrors ? JSONRPCError.errors(in: payload).first?.shortDescription : nil
        return .reply(to: self[reply.number], roundTrip: reply.roundTrip, error: error)
    }
}
