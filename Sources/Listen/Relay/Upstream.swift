import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The connection to the server on behalf of one client of `wsx relay`.
///
/// Messages, pings, pongs, and close frames pass in both directions. Each side is paused while the other does not read. A side
/// that is lost ends the other with a close frame: 1001 to the server, and 1014 to the client.
final class Upstream {
    private let number: Int
    private let broadcaster: Broadcaster<Server<ListenClient>>
    /// Change the messages of either side, or `nil` to forward them as they are.
    private let (clientRewriting, serverRewriting): (RelayRewriting?, RelayRewriting?)
    /// Decodes, edits, and answers the server's messages, or `nil` if there is no need.
    private var pipeline: ClientPipeline?
    private let firstBytes: [UInt8]
    /// Delays or drops what the client sends, or `nil` to forward it at once.
    private var gate: OutgoingGate?
    private let ended: (ProtocolError?) -> Void
    private var server: Connection<Upstream>?
    private weak var client: Connection<ListenClient>?
    /// The close frames that arrived and were forwarded.
    private var clientFrame: CloseFrame?
    private var serverFrame: CloseFrame?
    /// The number of pings that were answered for the server. As many pongs of the server are not forwarded.
    private var answeredPingCount = 0
    /// The number of text messages that the rules have seen.
    private var seenCount: UInt64 = 0

    /// Creates the connection. Call ``start(for:)`` next.
    /// - Parameters:
    ///   - rewriting: Returns what changes the messages of a side.
    ///   - pipeline: Makes what decodes and answers the server's messages.
    ///   - ended: Called when the connection has ended, with the server's violation if there was one. A close frame for the
    ///     client follows.
    init(
        _ opened: Connector.Opened, _ settings: Connection<Upstream>.Settings, resources: ConnectionResources,
        client number: Int, broadcaster: Broadcaster<Server<ListenClient>>,
        rewriting: (RelaySide) -> RelayRewriting?,
        pipeline: (AnsweredPeer, MessageEditor.Rewriting?) -> ClientPipeline?,
        ended: @escaping (ProtocolError?) -> Void
    ) {
        self.number = number
        self.broadcaster = broadcaster
        (clientRewriting, serverRewriting) = (rewriting(.client), rewriting(.server))
        self.ended = ended
        firstBytes = opened.firstBytes
        gate = broadcaster.faults.makeServerGate(ofClient: number, host: self)
        server = Connection(
            opened.stream, settings: settings, deflate: opened.deflate, resources: resources, handler: self)
        self.pipeline = pipeline(
            AnsweredPeer { [unowned self] in
                answer($0, as: $1)
            } pause: { [unowned self] in
                server?.pauseReading(for: .program)
            } resume: { [unowned self] in
                server?.resumeReading(after: .program)
            }, self.rewriting(of: .server))
        passHeld()
    }

    /// Starts receiving from the server, after the response to the client.
    func start(for client: Connection<ListenClient>) {
        self.client = client
        broadcaster.loop.atEndOfTurn(DeferredWork { [self] in server?.start(with: firstBytes) })
    }

    /// What changes the messages of a side, or `nil` if nothing does.
    func rewriting(of side: RelaySide) -> MessageEditor.Rewriting? {
        guard let rewriting = side == .client ? clientRewriting : serverRewriting else { return nil }
        return { [unowned self] text in
            seenCount += 1
            return rewriting.rewrite(text, number: seenCount, client: number)
        }
    }

    // MARK: From the client

    /// Forwards a client's message to the server.
    func receive(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        forward(.message(kind), payload)
        if !hasRoom { client.pauseReading(for: .upstream) }
    }

    /// Forwards a client's ping or pong to the server.
    ///
    /// A relay that answers messages also answers pings: clients such as `wsx -1` take what arrives before a pong for a
    /// greeting, and the server's would come after the answers to later messages.
    func receive(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>) {
        if opcode == .ping, client.handler.pipeline?.answersMessages ?? false, !client.isFull {
            answeredPingCount += 1
            broadcaster.send(.pong, payload, to: client)
        }
        forward(opcode == .ping ? .ping : .pong, payload)
        if !hasRoom { client.pauseReading(for: .upstream) }
    }

    /// Answers the server in place of the client, and records and shows the answer.
    private func answer(_ payload: RawSpan, as kind: MessageKind) {
        guard takesMessages else { return }
        broadcaster.outputs.injected(payload, as: kind, nil, from: number)
        forward(.message(kind), payload)
        if gate?.isFull ?? false { server?.pauseReading(for: .gate) }
    }

    private func forward(_ item: InputItem, _ payload: RawSpan) {
        if gate?.letsThrough(item, payload) ?? true { pass(item, payload) }
    }

    /// Sends an item that has passed the gate to the server.
    private func pass(_ item: InputItem, _ payload: RawSpan) {
        guard let server else { return }
        switch item {
        case .message(let kind): server.send(payload, as: kind)
        case .ping: server.sendPing(payload)
        case .pong: server.sendPong(payload)
        case .close(let frame?), .end(let frame): server.close(frame)
        case .close(nil): break
        }
    }

    /// Whether the server, and the gate in front of it, take more.
    var hasRoom: Bool { !(server?.isFull ?? false) && !(gate?.isFull ?? false) }

    /// Whether the server can be sent messages.
    var takesMessages: Bool { server.map { !$0.isClosing && !$0.isLost && !(gate?.isClosing ?? false) } ?? false }

    /// Closes the connection to the server, whose answer closes the client.
    func close(_ frame: CloseFrame) {
        forward(.close(frame), RawSpan())
        resumeServer()
    }

    /// Resumes the server when the outputs have written their backlog.
    func outputsDidDrain() { server?.resumeReading(after: .output) }

    /// Forwards a client's close frame to the server, whose answer the client waits for.
    func receive(close frame: CloseFrame) {
        clientFrame = frame
        guard server != nil else { return answerClient() }
        close(frame)
    }

    /// Resumes the server after a client that was not reading.
    func clientDidDrain() {
        if let client, client.isFull || client.hasFullGate { return }
        resumeServer()
    }

    /// Ends the connection to the server: the client is gone.
    func clientLeft() {
        client = nil
        pipeline?.ended()
        guard server != nil else { return }
        close(serverFrame.map { CloseFrame(code: $0.code) } ?? Self.clientIsGone)
    }

    private func resumeServer() { server?.resumeReading(after: .upstream) }

    /// Answers the client's close frame for a server that has not.
    private func answerClient() {
        guard let client, let clientFrame else { return }
        broadcaster.close(client, with: CloseFrame(code: clientFrame.code))
    }

    private static let clientIsGone = CloseFrame(code: .goingAway, reason: "the client is gone")

    /// The close frame for a client whose server is lost, or has violated the protocol.
    private static func badGateway(_ violation: ProtocolError?) -> CloseFrame {
        CloseFrame(code: .badGateway, reason: violation.map { "from the server: \($0)" } ?? "the server is gone")
    }
}

extension Upstream: ConnectionHandler {
    /// Forwards the server's message to the client.
    func connection(_ connection: Connection<Upstream>, received payload: RawSpan, as kind: MessageKind) {
        guard let client else { return }
        if let pipeline {
            let forwarding = take(kind) { pipeline.received(payload, as: kind, arrived: $0, deliver: $1) }
            pass(forwarding, of: payload, as: kind, to: client)
        } else {
            let outputs = broadcaster.outputs
            if outputs.observesMessages { outputs.received(payload, as: kind, .outgoing, from: number) }
            pass(.unchanged, of: payload, as: kind, to: client)
        }
        pauseIfFull(client, connection)
    }

    private func pass(
        _ forwarding: RecordEdit, of payload: RawSpan, as kind: MessageKind, to client: Connection<ListenClient>
    ) {
        switch forwarding {
        case .unchanged: broadcaster.send(.message(kind), payload, .forwarded, to: client)
        case .changed(let message): broadcaster.send(.message(kind), message.span.bytes, .forwarded, to: client)
        case .removed: break
        }
    }

    /// Passes on what has waited on a page.
    private func passHeld() {
        guard let pipeline, let held = pipeline.held else { return }
        held.pass = { [unowned self, unowned pipeline] message, verdict in
            let kind = message.kind(after: verdict)
            let forwarding = take(kind) { pipeline.settle(message, verdict, arrived: $0, deliver: $1) }
            guard let client else { return }
            pass(forwarding, of: message.message.span.bytes, as: kind, to: client)
            if let server { pauseIfFull(client, server) }
        }
        held.close = { [unowned self] frame in
            if let client { broadcaster.send(.close(frame), RawSpan(), to: client) }
        }
    }

    /// Records and shows a message of the server that a pipeline passes on, before the client's gate.
    /// - Returns: What is forwarded.
    private func take(
        _ kind: MessageKind, by pass: (Pipeline.Arrival, Pipeline.Delivery) -> RecordEdit
    ) -> RecordEdit {
        let outputs = broadcaster.outputs
        let isObserved = outputs.observesMessages
        var edit: MessageEdit?
        return pass { message, done in
            edit = done
            if isObserved { outputs.record(message, as: kind, .outgoing, MessageMark(edit), of: number) }
        } _: { message, kind, role, decoding in
            guard isObserved else {
                if let problem = decoding?.problem { outputs.report(undecoded: problem, of: number) }
                return
            }
            let mark = MessageMark(edit, record: decoding?.position?.number ?? 1)
            outputs.show(message, as: kind, decoding, .outgoing, mark, of: number, role: role)
        }
    }

    /// Forwards the server's ping to the client.
    func connection(_ connection: Connection<Upstream>, receivedPing payload: RawSpan) {
        forward(.ping, payload, connection)
    }

    /// Forwards the server's pong to the client.
    func connection(_ connection: Connection<Upstream>, receivedPong payload: RawSpan) {
        guard answeredPingCount == 0 else { return answeredPingCount -= 1 }
        forward(.pong, payload, connection)
    }

    private func forward(_ item: InputItem, _ payload: RawSpan, _ connection: Connection<Upstream>) {
        guard let client else { return }
        broadcaster.send(item, payload, to: client)
        pauseIfFull(client, connection)
    }

    private func pauseIfFull(_ client: Connection<ListenClient>, _ connection: Connection<Upstream>) {
        if client.isFull || client.hasFullGate { connection.pauseReading(for: .upstream) }
        if broadcaster.outputs.hasBacklog { connection.pauseReading(for: .output) }
    }

    /// Forwards the server's close frame to the client, whose answer the server waits for.
    func connection(_ connection: Connection<Upstream>, receivedClose frame: CloseFrame) {
        serverFrame = frame
        guard let client else {
            connection.close(CloseFrame(code: frame.code))
            return
        }
        if let held = pipeline?.held, held.hold(frame) { return }
        broadcaster.send(.close(frame), RawSpan(), to: client)
    }

    /// Resumes the client after a server that was not reading.
    func connectionDidDrain(_ connection: Connection<Upstream>) {
        gate?.resume()
        gateDidDrain()
    }

    /// Ends the client's connection, unless the closing handshake has.
    func connection(_ connection: Connection<Upstream>, didEnd end: ConnectionEnd) {
        server = nil
        gate?.cancel()
        let waitingFrame = pipeline?.ended()
        client?.handler.dropHeld()
        if let problem = pipeline?.incompleteMessage {
            broadcaster.outputs.report(undecoded: "\(problem)", of: number)
        }
        client?.resumeReading(after: .upstream)
        ended(end.violation)
        if clientFrame != nil {
            answerClient()
        } else if let waitingFrame, let client {
            broadcaster.send(.close(waitingFrame), RawSpan(), to: client)
        } else if serverFrame == nil, let client {
            broadcaster.send(.close(Self.badGateway(end.violation)), RawSpan(), to: client)
        }
    }
}

extension Upstream: GatedHandler {
    /// Resumes the client when the server, and the gate in front of it, have room.
    func gateDidDrain() {
        if hasRoom { client?.resumeReading(after: .upstream) }
        if !(gate?.isFull ?? false) { server?.resumeReading(after: .gate) }
    }
}

extension Upstream: GateHost {
    func gatedConnection(of client: Int) -> (any GatedConnection)? { server }

    func sendDue(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, for client: Int) { pass(item, payload) }
}
