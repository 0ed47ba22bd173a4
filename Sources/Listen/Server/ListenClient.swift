import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// One client of `wsx listen`.
final class ListenClient: ConnectionHandler {
    /// The client's number; the first client is 1.
    let number: Int
    /// The path of the client's request in normalized form, without the query; empty if it has none.
    let path: String

    /// The details for the log line at the end of the connection, or `nil` if the log is off.
    let logLine: ConnectionLogLine?
    // Copied from the run: reading it there would cost reference counting for each message. Each client has these fields,
    // so their order leaves no gap.
    private let isObserved: Bool
    /// Whether messages are echoed and nothing else happens to them.
    private let isPlainEcho: Bool

    private let equipment: ClientEquipment
    private var run: ListenRun { equipment.run }
    /// What the mode does, or `nil` if messages are only shown.
    var service: (any ClientService)? { equipment.service }
    private var upstream: Upstream? { equipment.upstream }
    /// What decodes, edits, and answers its messages, or `nil` if nothing does.
    var pipeline: ClientPipeline? { equipment.pipeline }

    /// The size, in bytes, from which a message counts toward its sender's share of the turn. A single read holds so
    /// few smaller messages that their total stays below this budget, even when inflated.
    private static let countedBytes = 4 << 10

    /// Creates the handler of a newly accepted client.
    init(_ client: AcceptedClient, of run: ListenRun) {
        number = client.number
        path = client.upgrade.request.normalizedPath ?? ""
        logLine = run.log.line(for: client)
        let service = run.mode.service(for: client)
        isObserved = run.outputs.observesMessages
        if isObserved { run.outputs.hiding.opened(client.number, at: client.upgrade.request.normalizedPath) }
        equipment = ClientEquipment.make(for: client, in: run, service, isObserved: isObserved)
        isPlainEcho = equipment.isPlainEcho && !isObserved
        passHeld()
    }

    /// Sends first messages and starts the replay, before anything is received.
    func didOpen(_ connection: Connection<ListenClient>) {
        service?.begin(with: connection)
        pipeline?.begin()
    }

    /// Echoes a message, or processes it as the mode requires.
    func connection(_ connection: Connection<ListenClient>, received payload: RawSpan, as kind: MessageKind) {
        guard isPlainEcho, payload.byteCount < Self.countedBytes else {
            return take(payload, as: kind, on: connection)
        }
        connection.send(payload, as: kind)
    }

    /// Shows a message and processes it as the mode requires. Not inlined, to keep the plain echo short.
    @inline(never)
    private func take(
        _ payload: RawSpan, as kind: MessageKind, on connection: Connection<ListenClient>
    ) {
        if let gate, gate.ignoresClient { return }
        // With compression, a few bytes on the wire can become a large message. Without it, a turn receives no more
        // than one read.
        if payload.byteCount >= Self.countedBytes { run.broadcaster.budget.spend(payload.byteCount, from: number) }
        if let pipeline {
            receive(payload, as: kind, through: pipeline, on: connection)
        } else {
            if isObserved { run.outputs.received(payload, as: kind, from: number) }
            service?.received(payload, as: kind, from: connection)
        }
        if let gate, gate.countAnswered() {
            connection.stopAnsweringPings()
            if service?.closeAfterPending() ?? false { return }
            run.broadcaster.send(.close(run.faults.closeFrame), RawSpan(), to: connection)
        }
    }

    private func receive(
        _ payload: RawSpan, as kind: MessageKind, through pipeline: ClientPipeline,
        on connection: Connection<ListenClient>
    ) {
        let forwarding = take(kind, on: connection) {
            pipeline.received(payload, as: kind, arrived: $0, deliver: $1)
        }
        if isObserved { run.outputs.pauseIfFull(by: number) }
        pass(forwarding, of: payload, as: kind, from: connection)
    }

    /// Passes on what has waited on a page.
    private func passHeld() {
        guard let pipeline, let held = pipeline.held else { return }
        held.pass = { [unowned self, unowned pipeline] message, verdict in
            guard let connection = run.broadcaster.clients[number] else { return }
            let kind = message.kind(after: verdict)
            let forwarding = take(kind, on: connection) {
                pipeline.settle(message, verdict, arrived: $0, deliver: $1)
            }
            pass(forwarding, of: message.message.span.bytes, as: kind, from: connection)
        }
        held.close = { [unowned self] frame in service?.received(close: frame) }
    }

    /// Drops what waits on a page, because the server of a relay is gone.
    func dropHeld() { pipeline?.ended() }

    /// Records, shows, and serves a message that a pipeline passes on.
    private func take(
        _ kind: MessageKind, on connection: Connection<ListenClient>,
        by pass: (Pipeline.Arrival, Pipeline.Delivery) -> RecordEdit
    ) -> RecordEdit {
        var edit: MessageEdit?
        return pass { message, done in
            edit = done
            if isObserved { run.outputs.record(message, as: kind, .incoming, MessageMark(edit), of: number) }
        } _: { message, shownKind, role, decoding in
            if let decoding {
                // A small message may become a large one, or be given up when it exceeds the limit.
                let limitBytes = run.settings.arguments.limits.maximumMessageBytes
                run.broadcaster.budget.spend(decoding.problem == nil ? message.byteCount : limitBytes, from: number)
            }
            if isObserved {
                let mark = MessageMark(edit, record: decoding?.position?.number ?? 1)
                run.outputs.show(
                    message, as: shownKind, decoding, .incoming, mark, of: number, role: role)
            } else if let problem = decoding?.problem {
                run.outputs.report(undecoded: problem, of: number)
            }
            if servesDecoded, role != .answered, role != .hidden {
                service?.received(message, as: kind, from: connection)
            }
        }
    }

    private func pass(
        _ forwarding: RecordEdit, of payload: RawSpan, as kind: MessageKind, from connection: Connection<ListenClient>
    ) {
        guard !servesDecoded else { return }
        switch forwarding {
        case .unchanged: service?.received(payload, as: kind, from: connection)
        case .changed(let message): service?.received(message.span.bytes, as: kind, from: connection)
        case .removed: break
        }
    }

    /// Sends an item to the server of a relay as if the client had sent it. Returns whether the server takes it.
    func inject(_ item: InputItem, _ payload: RawSpan, on connection: Connection<ListenClient>) -> Bool {
        guard let upstream, upstream.takesMessages else { return false }
        switch item {
        case .message(let kind):
            run.outputs.injected(payload, as: kind, from: number)
            upstream.receive(payload, as: kind, from: connection)
        case .ping, .pong:
            let opcode: Opcode = if case .ping = item { .ping } else { .pong }
            run.outputs.received(control: opcode, payload, roundTrip: nil, from: number)
            upstream.receive(control: opcode, payload, from: connection)
        case .close(let frame), .end(let frame as CloseFrame?):
            let frame = frame ?? CloseFrame(code: .normalClosure)
            run.outputs.received(close: frame, from: number)
            upstream.close(frame)
        }
        return true
    }

    /// Whether the server of a relay does not read, and should be sent nothing more.
    var hasFullServer: Bool { upstream.map { !$0.hasRoom } ?? false }

    /// Shows a ping.
    func connection(_ connection: Connection<ListenClient>, receivedPing payload: RawSpan) {
        run.outputs.received(control: .ping, payload, roundTrip: nil, from: number)
        service?.received(control: .ping, payload, from: connection)
    }

    /// Shows a pong.
    func connection(_ connection: Connection<ListenClient>, receivedPong payload: RawSpan) {
        let roundTrip = run.watch?.pongReceived(payload, from: number)
        run.outputs.received(control: .pong, payload, roundTrip: roundTrip, from: number)
        guard roundTrip == nil else { return }
        service?.received(control: .pong, payload, from: connection)
    }

    /// Shows a close frame.
    func connection(_ connection: Connection<ListenClient>, receivedClose frame: CloseFrame) {
        run.outputs.received(close: frame, from: number)
        if upstream != nil, let held = pipeline?.held, held.hold(frame) { return }
        service?.received(close: frame)
    }

    /// Traces a frame's header.
    func connection(_ connection: Connection<ListenClient>, receivedHeader header: FrameHeader) {
        guard let trace else { return }
        trace.received(header)
        run.broadcaster.budget.spend(TurnBudget.bytesPerShownFrame, from: number)
        run.outputs.pauseIfFull(by: number)
    }

    /// Traces a piece of a frame's payload.
    func connection(_ connection: Connection<ListenClient>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        guard let trace else { return }
        trace.received(piece, of: header)
        run.outputs.pauseIfFull(by: number)
    }

    /// Traces sent frames.
    var sentFrameObserver: (any SentFrameObserver)? { trace }

    /// Resumes everything that waited for room in the send queue.
    func connectionDidDrain(_ connection: Connection<ListenClient>) {
        gate?.resume()
        service?.clientDidDrain()
        run.broadcaster.slowReaders.clientDidDrain(number)
        run.server.retryPosts()
    }

    /// Closes the client with 1013.
    func connectionIsStalled(_ connection: Connection<ListenClient>, holding byteCount: Int) {
        run.log.stalled(number, holding: byteCount)
        run.outputs.record(close: .memoryIsScarce, to: number)
        connection.abandon(with: .memoryIsScarce)
    }

    /// Whether the client's program has stopped reading the client's messages.
    func connectionIsStuck(_ connection: Connection<ListenClient>) -> Bool { service?.isStuck ?? false }

    /// Cleans up after the end of the connection.
    func connection(_ connection: Connection<ListenClient>, didEnd end: ConnectionEnd) {
        gate?.cancel()
        if let problem = pipeline?.incompleteMessage {
            run.outputs.report(undecoded: "\(problem)", of: number)
        }
        pipeline?.ended()
        service?.ended(end)
        if isObserved { run.outputs.hiding.ended(number) }
        run.ended(end, of: connection)
    }

    /// Whether the service gets messages as they are decoded.
    private var servesDecoded: Bool { service?.takesDecoded ?? false }
    private var trace: FrameTrace? { equipment.trace }
    fileprivate var gate: OutgoingGate? { equipment.gate }

    /// Whether items for the client wait in its gate.
    var waitsForGate: Bool { gate?.isHolding ?? false }
    /// The number of messages that wait there.
    var waitingMessageCount: Int { gate?.waitingMessageCount ?? 0 }
}

extension Server: ClientDirectory where Handler == ListenClient {
    func send(
        _ payload: RawSpan, as kind: MessageKind, toAllBut sender: Connection<ListenClient>?, at path: String?
    ) -> Bool {
        send(payload, as: kind, toAllBut: sender, where: path.map { path in { $0.path == path } })
    }
}

/// A handler of connections whose items pass through a gate.
protocol GatedHandler: ConnectionHandler {
    /// Resumes work that waited for room in the gate.
    func gateDidDrain()
}

extension Connection: GatedConnection where Handler: GatedHandler {
    func gateDidDrain() { handler.gateDidDrain() }
}

extension ListenClient: GatedHandler {
    func gateDidDrain() {
        service?.clientDidDrain()
        run.server.retryPosts()
    }
}

// Requirements that involve more than the connection go to its handler.
extension Connection: ServedClient where Handler == ListenClient {
    var number: Int { handler.number }
    var path: String { handler.path }

    var takesMessages: Bool { !isClosing && !isLost && !(handler.gate?.isClosing ?? false) }

    var takenBytes: Int { sentTraffic.wireBytes - unsentBytes }

    var waitsForGate: Bool { handler.waitsForGate }

    func didClose() {
        handler.gate?.cancel()
        handler.service?.didClose()
        // Keep reading, to receive the client's close frame.
        resumeReading(after: [.gate, .program, .upstream, .replay, .slowReader])
    }

    var hasFullGate: Bool { handler.gate?.isFull ?? false }

    func letsThrough(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, after pause: Duration) -> Bool {
        handler.gate?.letsThrough(item, payload, mark, after: pause) ?? true
    }
}
