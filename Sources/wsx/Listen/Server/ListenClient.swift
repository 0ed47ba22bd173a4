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
    /// Whether messages are sent back and nothing else.
    private let isPlainEcho: Bool
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
        service = run.settings.arguments.mode.service
        isObserved = run.outputs.observesMessages
        let trace = run.outputs.makeTrace(ofClient: client.number)
        let gate = run.faults.makeGate(ofClient: client.number)
        let replay = run.settings.replay.map {
            ReplayFeed($0.conversation(ofClient: client.number), client: client.number, of: run.distributor)
        }
        let program = run.programs?.start(for: client, port: run.places[client.endpointIndex].port)
        let isPlain = trace == nil && gate == nil && replay == nil && program == nil
        isPlainEcho = service == .echo && isPlain && !isObserved
        equipment = isPlain ? nil : Equipment(program: program, trace: trace, gate: gate, replay: replay)
    }

    /// Begins before anything is received.
    func didOpen(_ connection: Connection<ListenClient>) {
        replay?.open()
    }

    /// Takes a message.
    func connection(
        _ connection: Connection<ListenClient>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        guard isPlainEcho, payload.byteCount < Self.countedBytes else {
            return take(payload, as: kind, on: connection, outbox: &outbox)
        }
        outbox.send(payload, as: kind)
    }

    /// Shows a message, and does with it what the mode says. Kept out of the way of the plain echo.
    @inline(never)
    private func take(
        _ payload: RawSpan, as kind: MessageKind, on connection: Connection<ListenClient>, outbox: inout Outbox
    ) {
        if let gate, gate.ignoresClient { return }
        // A few bytes on the wire can be that many; without compression a turn brings no more than a read.
        if payload.byteCount >= Self.countedBytes { run.distributor.budget.spend(payload.byteCount, from: number) }
        if isObserved { run.outputs.received(payload, as: kind, from: number) }
        switch service {
        case .conversation: break
        case .exec: program?.receive(payload, from: connection)
        case .broadcast: run.distributor.relay(payload, as: kind, from: connection)
        case .echo:
            if gate?.letsThrough(.message(kind), payload) ?? true, outbox.send(payload, as: kind), isObserved {
                run.outputs.answered(payload, as: kind, to: number)
            }
        case .replay:
            replay?.answer(payload, as: kind) { send($0, $1, after: $2, through: &outbox) }
        }
        if let gate, gate.isLastMessage() {
            outbox.answersPings = false
            if let replay, replay.isBusy { return replay.closeAtEnd() }
            send(.close(run.faults.closeFrame), RawSpan(), through: &outbox)
        }
    }

    /// Reports a ping.
    func connection(_ connection: Connection<ListenClient>, receivedPing payload: RawSpan, outbox: inout Outbox) {
        run.outputs.received(control: .ping, payload, roundTrip: nil, from: number)
    }

    /// Reports a pong.
    func connection(_ connection: Connection<ListenClient>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        let roundTrip = run.watch?.pongReceived(payload, from: number)
        run.outputs.received(control: .pong, payload, roundTrip: roundTrip, from: number)
    }

    /// Reports a close frame.
    func connection(_ connection: Connection<ListenClient>, receivedClose frame: CloseFrame, outbox: inout Outbox) {
        run.outputs.received(close: frame, from: number)
        program?.clientLeft()
    }

    /// Reports a frame's header.
    func connection(_ connection: Connection<ListenClient>, receivedHeader header: FrameHeader) {
        guard let trace else { return }
        trace.received(header)
        run.distributor.budget.spend(TurnBudget.bytesPerShownFrame, from: number)
        run.outputs.pauseIfFull(by: number)
    }

    /// Reports a frame's payload.
    func connection(_ connection: Connection<ListenClient>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        guard let trace else { return }
        trace.received(piece, of: header)
        run.outputs.pauseIfFull(by: number)
    }

    /// Reports the frames that are sent.
    var sentFrameObserver: (any SentFrameObserver)? { trace }

    /// Reports that there is room again.
    func connectionDidDrain(_ connection: Connection<ListenClient>) {
        gate?.goOn()
        replay?.goOn()
        program?.clientDidDrain()
        run.distributor.slowReaders.clientDidDrain(number)
    }

    /// Whether its program has stopped to take what it sends.
    func connectionIsStuck(_ connection: Connection<ListenClient>) -> Bool { program?.isStuck ?? false }

    /// Reports the end.
    func connection(_ connection: Connection<ListenClient>, didEnd end: ConnectionEnd) {
        gate?.cancel()
        replay?.cancel()
        program?.clientLeft()
        run.ended(end, of: connection)
    }

    fileprivate var program: ProgramSession? { equipment?.program }
    private var trace: FrameTrace? { equipment?.trace }
    fileprivate var gate: OutgoingGate? { equipment?.gate }
    fileprivate var replay: ReplayFeed? { equipment?.replay }

    /// Whether something for the client waits for its time.
    var waitsForGate: Bool { gate?.isHolding ?? false }

    /// Sends something while a message is received.
    private func send(
        _ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero, through outbox: inout Outbox
    ) {
        guard gate?.letsThrough(item, payload, after: pause) ?? true else { return }
        switch item {
        case .message(let kind):
            if outbox.send(payload, as: kind), isObserved { run.outputs.answered(payload, as: kind, to: number) }
        case .ping: if outbox.sendPing(payload) { run.outputs.record(control: .ping, payload, to: number) }
        case .pong: if outbox.sendPong(payload) { run.outputs.record(control: .pong, payload, to: number) }
        case .close(let frame?), .end(let frame):
            if outbox.sendClose(frame) { run.outputs.record(close: frame, to: number) }
        case .close(nil): break
        }
    }
}

extension Server: ClientDirectory where Handler == ListenClient {}

// What needs more than the connection is the handler's.
extension Connection: ServedClient where Handler == ListenClient {
    var number: Int { handler.number }

    var takesMessages: Bool { !isClosing && !(handler.gate?.isClosing ?? false) }

    func didClose() {
        handler.gate?.cancel()
        handler.replay?.cancel()
        handler.program?.clientLeft()
        // What the client answers to the close frame is to be read.
        resumeReading(after: [.gate, .program, .replay, .slowReader])
    }

    var hasFullGate: Bool { handler.gate?.isFull ?? false }

    func letsThrough(_ item: InputItem, _ payload: RawSpan, after pause: Duration) -> Bool {
        handler.gate?.letsThrough(item, payload, after: pause) ?? true
    }

    func gateDidDrain() {
        handler.replay?.goOn()
        handler.program?.clientDidDrain()
    }
}
