import WSCore

/// One client of `wsx listen`.
final class ListenClient: ConnectionHandler {
    /// The client's number, from 1.
    let number: Int

    /// What the log is to say of the client at the end; nil: there is no log.
    let logLine: ConnectionLogLine?

    /// What runs for it; nil: nothing does.
    var program: ProgramSession?

    private unowned let run: ListenRun
    private let mode: ListenMode
    private let isObserved: Bool
    /// Shows every frame; nil: nobody asked for it.
    private let trace: FrameTrace?

    /// Makes the handler of a client that has just been accepted.
    init(_ client: Server<ListenClient>.Client, of run: ListenRun) {
        number = client.number
        logLine =
            run.keepsLog
            ? ConnectionLogLine(
                address: client.address, request: client.upgrade.request, acceptTime: run.loop.turnTime) : nil
        self.run = run
        mode = run.settings.arguments.mode
        isObserved = run.observesMessages
        trace = run.makeTrace(ofClient: number)
    }

    /// Shows a message, and does with it what the mode says.
    func connection(
        _ connection: Connection<ListenClient>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        if isObserved { run.received(payload, as: kind, from: number, on: connection) }
        switch mode {
        case .conversation: break
        case .exec: program?.receive(payload, from: connection)
        case .broadcast: run.relay(payload, as: kind, from: connection)
        case .echo:
            guard outbox.send(payload, as: kind) else { return }
            if isObserved { run.echoed(payload, as: kind, to: number) }
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
        program?.clientDidDrain()
        run.clientDidDrain(number)
    }

    /// Reports the end.
    func connection(_ connection: Connection<ListenClient>, didEnd end: ConnectionEnd) {
        program?.clientLeft()
        run.ended(number, end, connection)
    }
}
