import WSCore

/// One client of `wsx listen`.
final class ListenClient: ConnectionHandler {
    /// The client's number, from 1.
    let number: Int
    /// What was queued for the client when it was last seen that its queue is full, and when; nil: it is not full.
    var lastFull: (queuedBytes: Int, time: Duration)?
    /// Whether the client has been closed because it read too slowly: nobody waits for it any more.
    var isGivenUp = false

    private unowned let run: ListenRun
    private let mode: ListenMode
    private let isObserved: Bool
    /// Shows every frame; nil: nobody asked for it.
    private let trace: FrameTrace?
    /// What it is sent goes through this; nil: straight to its connection.
    private let gate: OutgoingGate?
    /// How far its recording has come; nil: it has none.
    private let replay: ReplayProgress?

    /// Makes the handler of a client that has just been accepted.
    init(number: Int, of run: ListenRun) {
        self.number = number
        self.run = run
        mode = run.settings.arguments.mode
        isObserved = run.observesMessages
        trace = run.makeTrace(ofClient: number)
        gate = run.makeGate(ofClient: number)
        replay = run.settings.replay.map { ReplayProgress(through: $0.conversation(ofClient: number)) }
        replay?.conversation.forEachReply(of: 0) { reply, payload in
            gate?.hold(reply.item, payload, after: reply.pause)
        }
    }

    /// Shows a message, and does with it what the mode says.
    func connection(
        _ connection: Connection<ListenClient>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        if let gate, gate.ignoresClient { return }
        if isObserved { run.received(payload, as: kind, from: number, on: connection) }
        switch mode {
        case .conversation: break
        case .broadcast: run.relay(payload, as: kind, from: connection)
        case .echo:
            if gate?.letsThrough(.message(kind), payload) ?? true, outbox.send(payload, as: kind), isObserved {
                run.echoed(payload, as: kind, to: number)
            }
        case .replay:
            if let exchange = replay?.next(for: payload, as: kind) { answer(with: exchange, through: &outbox) }
        }
        if let gate, gate.isLastMessage() {
            outbox.answersPings = false
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
    }

    /// Reports a frame's header.
    func connection(_ connection: Connection<ListenClient>, receivedHeader header: FrameHeader) {
        guard let trace else { return }
        trace.received(header)
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
        lastFull = nil
        gate?.goOn()
        run.clientDidDrain()
    }

    /// Reports the end.
    func connection(_ connection: Connection<ListenClient>, didEnd end: ConnectionEnd) {
        gate?.cancel()
        run.ended(number, end, connection)
    }

    // MARK: Sending

    /// Whether so much of what answers its messages waits for its time that nothing more is read from it.
    var isHeldBack: Bool { mode.answersByItself && gate?.isFull ?? false }

    /// Sends what the server of the recording sent.
    private func answer(with exchange: Int, through outbox: inout Outbox) {
        replay?.conversation.forEachReply(of: exchange) { reply, payload in
            send(reply.item, payload, after: reply.pause, through: &outbox)
        }
    }

    /// Sends something while a message is received.
    private func send(
        _ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero, through outbox: inout Outbox
    ) {
        guard gate?.letsThrough(item, payload, after: pause) ?? true else { return }
        switch item {
        case .message(let kind):
            if outbox.send(payload, as: kind), isObserved { run.echoed(payload, as: kind, to: number) }
        case .ping: outbox.sendPing(payload)
        case .pong: outbox.sendPong(payload)
        case .close(let frame?), .end(let frame): outbox.sendClose(frame)
        case .close(nil): break
        }
    }

    /// Sends a message that answers nothing that is just being received.
    func send(_ payload: RawSpan, as kind: MessageKind, on connection: Connection<ListenClient>) {
        if gate?.letsThrough(.message(kind), payload) ?? true { connection.send(payload, as: kind) }
    }

    /// Sends a ping, or a pong that answers none.
    func send(control opcode: Opcode, _ payload: RawSpan, on connection: Connection<ListenClient>) {
        guard gate?.letsThrough(opcode == .ping ? .ping : .pong, payload) ?? true else { return }
        if opcode == .ping { connection.sendPing(payload) } else { connection.sendPong(payload) }
    }

    /// Closes the client, after all that is still to be sent.
    func close(_ frame: CloseFrame, on connection: Connection<ListenClient>) {
        if gate?.letsThrough(.close(frame), RawSpan()) ?? true { connection.close(frame) }
    }
}
