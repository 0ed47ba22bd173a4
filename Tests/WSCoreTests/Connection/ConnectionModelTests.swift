import TestSupport
import Testing

@testable import WSCore

/// Random actions from within every callback of several connections. Each end must receive exactly what the other sent.
@Suite struct ConnectionModelTests {
    enum StreamKind: CaseIterable {
        case plain, tls, throttled
    }

    @Test(
        "whatever handlers do in their callbacks, each message arrives once, in order, and unchanged",
        arguments: StreamKind.allCases, 0..<8 as Range<UInt64>)
    func model(kind: StreamKind, seed: UInt64) throws {
        try withLoop { loop in
            let model = Model(seed: seed, on: loop)
            let resources = ConnectionResources(on: loop)
            let deflate = seed % 2 == 0 ? nil : DeflateParameters()
            for _ in 0..<3 {
                let (near, far) = try streams(kind, on: loop, resources)
                let (client, server) = (ModelHandler(model), ModelHandler(model))
                for (handler, role, stream) in [(client, Role.client, near), (server, .server, far)] {
                    let settings = Connection<ModelHandler>.Settings(
                        role: role, limits: Limits(), fragmentBytes: seed % 3 == 0 ? 50_000 : nil,
                        pausesReadingWhenFull: role == .server, answersAtOnce: role == .server && seed >= 4,
                        queueLimitBytes: 300_000)
                    handler.connection = Connection(
                        stream, settings: settings, deflate: deflate, resources: resources, handler: handler)
                }
                model.pairs.append((client, server))
            }
            for handler in model.handlers {
                handler.connection?.start()
                for _ in 0..<3 { handler.act() }
            }
            let pause = Timer(on: loop) {
                // Without messages in flight, there are no more callbacks.
                if model.actionCount > 0 { model.handlers.randomElement(using: &model.random)?.act() }
                if model.actionCount == 0 { for handler in model.handlers { handler.close() } }
            }
            pause.start(after: .milliseconds(1), every: .milliseconds(1))
            loop.run { model.handlers.allSatisfy { $0.endCount > 0 } }
            withExtendedLifetime(pause) {}
            for (client, server) in model.pairs {
                #expect(client.endCount == 1 && server.endCount == 1)
                expect(server.heard, of: client, by: server)
                expect(client.heard, of: server, by: client)
                client.connection = nil
                server.connection = nil
            }
            // The handlers refer to the model.
            model.pairs = []
        }
    }

    private func streams(
        _ kind: StreamKind, on loop: EventLoop, _ resources: ConnectionResources
    ) throws -> (any ByteStream, any ByteStream) {
        let (near, far) = try makeStreamPair(on: loop)
        switch kind {
        case .plain: return (near, far)
        case .tls:
            let (client, server) = try secure(near, far, TLSLayers(), on: loop)
            return (client.stream, server.stream)
        case .throttled:
            return (near, ThrottledStream(far, bytesPerSecond: 50 << 20, watch: resources.deadPeerDetector))
        }
    }

    private func expect(_ heard: [Event], of speaker: ModelHandler, by listener: ModelHandler) {
        let said = speaker.said
        #expect(heard.count <= said.count)
        let firstDifference = zip(heard, said).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        expectNil(firstDifference)
        // Nothing is lost unless an end has discarded it.
        if !speaker.hasCut, !listener.hasCut { expectEqual(heard.count, said.count) }
    }
}

/// The connections, and what they have in common.
private final class Model {
    let loop: EventLoop
    var random: SeededRandom
    var pairs: [(client: ModelHandler, server: ModelHandler)] = []
    /// The number of actions left.
    var actionCount = 150
    var largeCount = 6
    /// Whether a method of a connection is running, which must not call a handler.
    var isCalling = false

    init(seed: UInt64, on loop: EventLoop) {
        random = SeededRandom(seed: seed)
        self.loop = loop
    }

    var handlers: [ModelHandler] { pairs.flatMap { [$0.client, $0.server] } }

    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    func bytes(_ count: Int, startingWith first: UInt8) -> [UInt8] {
        [first] + Self.pattern[(count & 0x7F)...].prefix(count)
    }

    private static let pattern = (0..<(1 << 20) + 0x80).map { UInt8(truncatingIfNeeded: $0 &* 7) & 0x7F }
}

private final class ModelHandler: ConnectionHandler {
    private let model: Model
    var connection: Connection<ModelHandler>?
    private(set) var said: [Event] = []
    private(set) var heard: [Event] = []
    private(set) var endCount = 0
    /// Whether this end has terminated or abandoned the connection.
    private(set) var hasCut = false
    /// Whether nothing may be delivered any more.
    private var isOver = false

    /// The first byte of each ping, which tells its answers from other pongs.
    private static let pingMark = UInt8(ascii: "p")

    init(_ model: Model) {
        self.model = model
    }

    private func call<R>(_ body: (Connection<ModelHandler>) -> R) -> R? {
        guard let connection else { return nil }
        let wasCalling = model.isCalling
        model.isCalling = true
        defer { model.isCalling = wasCalling }
        return body(connection)
    }

    private func called() {
        expectFalse(model.isCalling, "a method of a connection has called a handler")
        expectFalse(isOver, "something was delivered after the end")
    }

    /// Carries out up to two random actions.
    func act() {
        for _ in 0..<model.number(below: 3) where model.actionCount > 0 {
            model.actionCount -= 1
            switch model.number(below: 100) {
            case ..<40: say(model.bytes(model.number(below: 300), startingWith: 0), as: .binary)
            case ..<48: say(model.bytes(model.number(below: 70_000), startingWith: UInt8(ascii: "t")), as: .text)
            case ..<55: sayLarge()
            case ..<63: ping()
            case ..<68: pong()
            case ..<76: model.handlers.randomElement(using: &model.random)?.act()
            case ..<84: broadcast()
            case ..<90: pause()
            case ..<96: query()
            case 96: close()
            case 97: cut { $0.terminate() }
            case 98: cut { $0.abandon(with: CloseFrame(code: .tryAgainLater)) }
            default: model.handlers.randomElement(using: &model.random)?.close()
            }
        }
    }

    private func say(_ bytes: [UInt8], as kind: MessageKind) {
        if call({ $0.send(bytes.span.bytes, as: kind) }) == true { said.append(.message(kind, bytes)) }
    }

    private func sayLarge() {
        guard model.largeCount > 0 else { return }
        model.largeCount -= 1
        say(model.bytes(1 << 20, startingWith: 1), as: .binary)
    }

    private func ping() {
        let payload = model.bytes(model.number(below: 50), startingWith: Self.pingMark)
        if call({ $0.sendPing(payload.span.bytes) }) == true { said.append(.ping(payload)) }
    }

    private func pong() {
        let payload = model.bytes(model.number(below: 50), startingWith: 0)
        if call({ $0.sendPong(payload.span.bytes) }) == true { said.append(.pong(payload)) }
    }

    /// Sends a message to all clients, also to the sender.
    private func broadcast() {
        let bytes = model.bytes([10, 20_000][model.number(below: 2)], startingWith: 2)
        let message = SharedMessage(bytes.span.bytes, as: .binary)
        let isAtOnce = model.number(below: 2) == 0
        for (_, server) in model.pairs
        where server.call({ (isAtOnce && $0.sendAtOnce(message)) || $0.send(message) }) == true {
            server.said.append(.message(.binary, bytes))
        }
    }

    private func pause() {
        call { $0.pauseReading() }
        model.loop.atEndOfNextTurn(DeferredWork { [weak self] in self?.call { $0.resumeReading() } })
    }

    private func query() {
        call { connection in
            expectEqual(connection.sentTraffic.messages, said.count { if case .message = $0 { true } else { false } })
            if !hasCut { #expect(connection.receivedTraffic.messages <= heard.count) }
            #expect(connection.queuedBytes <= connection.sentTraffic.wireBytes)
            _ = (connection.isFull, connection.isInMessage, connection.incomingProgress, connection.unsentBytes)
        }
    }

    func close() {
        let frame = CloseFrame(code: .normalClosure, reason: "done")
        if call({ $0.close(frame) }) == true { said.append(.close(frame)) }
    }

    private func cut(_ body: (Connection<ModelHandler>) -> Void) {
        guard let connection, connection.isOpen else { return }
        hasCut = true
        isOver = true
        let wasClosing = connection.isClosing
        call(body)
        if !wasClosing, connection.outbox.isSendingOver { said.append(.close(CloseFrame(code: .tryAgainLater))) }
    }

    // MARK: Events

    func connectionWillReceive(_ connection: Connection<ModelHandler>) {
        called()
        if model.number(below: 4) == 0 { act() }
    }

    func connection(_ connection: Connection<ModelHandler>, received payload: RawSpan, as kind: MessageKind) {
        called()
        let bytes = bytes(of: payload)
        heard.append(.message(kind, bytes))
        if payload.byteCount >= SharedBytes.largeMessageBytes, model.largeCount > 0 {
            model.largeCount -= 1
            if call({ $0.send(payload, as: kind) }) == true { said.append(.message(kind, bytes)) }
        }
        act()
    }

    func connection(_ connection: Connection<ModelHandler>, receivedPing payload: RawSpan) {
        called()
        heard.append(.ping(bytes(of: payload)))
        act()
    }

    func connection(_ connection: Connection<ModelHandler>, receivedPong payload: RawSpan) {
        called()
        let bytes = bytes(of: payload)
        if bytes.first != Self.pingMark { heard.append(.pong(bytes)) }
        act()
    }

    func connection(_ connection: Connection<ModelHandler>, receivedClose frame: CloseFrame) {
        called()
        heard.append(.close(frame))
        let isAnswered = said.contains { if case .close = $0 { true } else { false } }
        if !isAnswered { said.append(.close(CloseFrame(code: frame.code))) }
        expectTrue(connection.isClosing)
        act()
        isOver = true
    }

    func connection(_ connection: Connection<ModelHandler>, receivedHeader header: FrameHeader) {
        called()
        if model.number(below: 8) == 0 { act() }
    }

    func connection(_ connection: Connection<ModelHandler>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        called()
        if model.number(below: 8) == 0 { act() }
    }

    func connectionDidDrain(_ connection: Connection<ModelHandler>) {
        called()
        act()
    }

    func connection(_ connection: Connection<ModelHandler>, didEnd end: ConnectionEnd) {
        expectFalse(model.isCalling)
        endCount += 1
        isOver = true
        act()
    }

    private func bytes(of payload: RawSpan) -> [UInt8] { payload.withUnsafeBytes { Array($0) } }
}
