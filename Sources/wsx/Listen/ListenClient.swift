import WSCore

/// One client of `wsx listen`.
final class ListenClient: ConnectionHandler {
    /// The client's number, from 1.
    let number: Int

    /// What the log is to say of the client at the end; nil: there is no log.
    let logLine: ConnectionLogLine?

    private unowned let run: ListenRun
    // Of the run, which would have its references counted to be asked with every message.
    private let service: ListenMode.Service
    private let isObserved: Bool
    /// What few servers ask for; nil: this one asks for none of it.
    private let equipment: Equipment?

    /// What a client has only where an option asks for it.
    private final class Equipment {
        /// What runs for it.
        let program: ProgramSession?
        /// Shows every frame.
        let trace: FrameTrace?
        /// What it is sent goes through this.
        let gate: OutgoingGate?
        /// What its recording has for it.
        let replay: ReplayFeed?

        init(program: ProgramSession?, trace: FrameTrace?, gate: OutgoingGate?, replay: ReplayFeed?) {
            self.program = program
            self.trace = trace
            self.gate = gate
            self.replay = replay
        }
    }

    /// From so many bytes on, a message counts for its sender's share of the turn. A read holds so few of those that are
    /// smaller that all of them together come to no more, however they inflate.
    private static let countedBytes = 4 << 10

    /// Makes the handler of a client that has just been accepted.
    init(_ client: Server<ListenClient>.Client, of run: ListenRun) {
        number = client.number
        logLine = run.log.line(for: client)
        self.run = run
        service = run.service
        isObserved = run.observesMessages
        let trace = run.makeTrace(ofClient: client.number)
        let gate = run.makeGate(ofClient: client.number)
        let replay = run.settings.replay.map {
            ReplayFeed($0.conversation(ofClient: client.number), client: client.number, of: run)
        }
        let program = run.programs?.start(for: client)
        let isPlain = trace == nil && gate == nil && replay == nil && program == nil
        equipment = isPlain ? nil : Equipment(program: program, trace: trace, gate: gate, replay: replay)
    }

    /// Begins before anything is received.
    func didOpen(_ connection: Connection<ListenClient>) {
        replay?.open()
    }

    /// Shows a message, and does with it what the mode says.
    func connection(
        _ connection: Connection<ListenClient>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        if let gate, gate.ignoresClient { return }
        // A few bytes on the wire can be that many; without compression a turn brings no more than a read.
        if payload.byteCount >= Self.countedBytes { run.budget.spend(payload.byteCount, from: number) }
        if isObserved { run.received(payload, as: kind, from: number, on: connection) }
        switch service {
        case .conversation: break
        case .exec: program?.receive(payload, from: connection)
        case .broadcast: run.relay(payload, as: kind, from: connection)
        case .echo:
            if gate?.letsThrough(.message(kind), payload) ?? true, outbox.send(payload, as: kind), isObserved {
                run.echoed(payload, as: kind, to: number)
            }
        case .replay:
            replay?.answer(payload, as: kind) { send($0, $1, after: $2, through: &outbox) }
        }
        if let gate, gate.isLastMessage() {
            outbox.answersPings = false
            if let replay, replay.isBusy { return replay.closeAtEnd() }
            send(.close(run.settings.faultClose), RawSpan(), through: &outbox)
        }
    }

    /// Reports a ping.
    func connection(_ connection: Connection<ListenClient>, receivedPing payload: RawSpan, outbox: inout Outbox) {
        run.received(control: .ping, payload, from: number, on: connection)
    }

    /// Reports a pong.
    func connection(_ connection: Connection<ListenClient>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        run.received(control: .pong, payload, from: number, on: connection)
    }

    /// Reports a close frame.
    func connection(_ connection: Connection<ListenClient>, receivedClose frame: CloseFrame, outbox: inout Outbox) {
        run.received(close: frame, from: number)
        program?.clientLeft()
    }

    /// Reports a frame's header.
    func connection(_ connection: Connection<ListenClient>, receivedHeader header: FrameHeader) {
        guard let trace else { return }
        trace.received(header)
        run.budget.spend(TurnBudget.bytesPerShownFrame, from: number)
        run.waitForOutput(connection)
    }

    /// Reports a frame's payload.
    func connection(_ connection: Connection<ListenClient>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        guard let trace else { return }
        trace.received(piece, of: header)
        run.waitForOutput(connection)
    }

    /// Reports the frames that are sent.
    var sentFrameObserver: (any SentFrameObserver)? { trace }

    /// Reports that there is room again.
    func connectionDidDrain(_ connection: Connection<ListenClient>) {
        gate?.goOn()
        replay?.goOn()
        program?.clientDidDrain()
        run.slowReaders.clientDidDrain(number)
    }

    /// Whether its program has stopped to take what it sends.
    func connectionIsStuck(_ connection: Connection<ListenClient>) -> Bool { program?.isStuck ?? false }

    /// Reports the end.
    func connection(_ connection: Connection<ListenClient>, didEnd end: ConnectionEnd) {
        gate?.cancel()
        replay?.cancel()
        program?.clientLeft()
        run.ended(number, end, connection)
    }

    /// What runs for it; nil: nothing does.
    var program: ProgramSession? { equipment?.program }
    private var trace: FrameTrace? { equipment?.trace }
    private var gate: OutgoingGate? { equipment?.gate }
    /// What its recording has for it; nil: there is no recording.
    var replay: ReplayFeed? { equipment?.replay }

    /// Its close frame is on its way: nothing follows that, and what it answers is to be read.
    func didClose(_ connection: Connection<ListenClient>) {
        gate?.cancel()
        replay?.cancel()
        program?.clientLeft()
        connection.resumeReading(after: [.gate, .program, .replay, .slowReader])
    }

    // MARK: Sending

    /// Whether so much waits for its time that its source is to pause.
    var hasFullGate: Bool { gate?.isFull ?? false }

    /// Whether something for it waits for its time.
    var waitsForGate: Bool { gate?.isHolding ?? false }

    /// Whether it is on its way out: it is sent nothing more.
    var isLeaving: Bool { gate?.isClosing ?? false }

    /// Sends something while a message is received.
    private func send(
        _ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero, through outbox: inout Outbox
    ) {
        guard gate?.letsThrough(item, payload, after: pause) ?? true else { return }
        switch item {
        case .message(let kind):
            if outbox.send(payload, as: kind), isObserved { run.echoed(payload, as: kind, to: number) }
        case .ping: if outbox.sendPing(payload) { run.record(control: .ping, payload, to: number) }
        case .pong: if outbox.sendPong(payload) { run.record(control: .pong, payload, to: number) }
        case .close(let frame?), .end(let frame): if outbox.sendClose(frame) { run.record(close: frame, to: number) }
        case .close(nil): break
        }
    }

    /// Whether something that answers nothing that is just being received may be sent at once; if not, its gate sends it in
    /// its time, or never.
    /// - Parameter pause: How long it is to wait besides.
    func letsThrough(_ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero) -> Bool {
        gate?.letsThrough(item, payload, after: pause) ?? true
    }
}
