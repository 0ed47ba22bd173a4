import WSCore

@testable import Listen
@testable import Peer

/// A client without a connection, which records calls.
final class FakeClient: ServedClient {
    let number: Int
    var path = ""
    var isFull = false
    var isClosing = false
    var hasReceivedClose = false
    var unsentBytes = 0
    var takenBytes = 0
    var hasUnreadBytes = false
    var waitsForGate = false
    var gate: OutgoingGate?
    var pauseReasons: PauseReasons = []
    var answersPings = true
    /// The sent messages, in order.
    var sent: [String] = []
    /// The number of times its gate had room again.
    var gateDrainCount = 0

    init(_ number: Int) {
        self.number = number
    }

    var takesMessages: Bool { !isClosing && !(gate?.isClosing ?? false) }
    var hasFullGate: Bool { gate?.isFull ?? false }

    func pauseReading(for reasons: PauseReasons) { pauseReasons.formUnion(reasons) }
    func resumeReading(after reasons: PauseReasons) { pauseReasons.subtract(reasons) }
    func stopAnsweringPings() { answersPings = false }

    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { send(.message(kind), payload) }
    func sendPing(_ payload: RawSpan) -> Bool { send(.ping, payload) }
    func sendPong(_ payload: RawSpan) -> Bool { send(.pong, payload) }

    func close(_ frame: CloseFrame) -> Bool {
        guard send(.close(frame), RawSpan()) else { return false }
        isClosing = true
        return true
    }

    func didClose() { gate?.cancel() }

    func terminate() { isClosing = true }

    func letsThrough(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, after pause: Duration) -> Bool {
        gate?.letsThrough(item, payload, mark, after: pause) ?? true
    }

    func gateDidDrain() { gateDrainCount += 1 }

    /// Whether an item may be sent at once, as returned by ``letsThrough(_:_:after:)``.
    func letsThrough(_ item: InputItem, _ text: String = "") -> Bool {
        letsThrough(item, Array(text.utf8).span.bytes)
    }

    private func send(_ item: InputItem, _ payload: RawSpan) -> Bool {
        guard !isClosing else { return false }
        sent.append(words(for: item, payload))
        return true
    }
}

/// Clients without connections.
final class FakeDirectory: ClientDirectory {
    let loop: EventLoop
    private var table = NumberedObjects()
    var connections: NumberedClients<FakeClient> { NumberedClients(table) }
    var hasWaitingPosts = false
    /// The number of times that POST requests could have room.
    private(set) var retryCount = 0
    func retryPosts() { retryCount += 1 }

    /// Creates clients numbered from 1.
    init(_ count: Int, on loop: EventLoop) {
        self.loop = loop
        for number in 1..<count + 1 { table.append(FakeClient(number), number) }
    }

    func removeAll() { table = NumberedObjects() }

    /// The client with a number, which must exist.
    subscript(number: Int) -> FakeClient { connections[number] ?? FakeClient(0) }

    func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: FakeClient?, at path: String?) -> Bool {
        var isOneFull = false
        for client in connections.values where client !== sender && (path == nil || client.path == path) {
            _ = client.send(payload, as: kind)
            if client.isFull { isOneFull = true }
        }
        return isOneFull
    }
}

/// An item in words: `text hello`, `ping x`, `close 1000 bye`.
func words(for item: InputItem, _ payload: RawSpan) -> String {
    let text = payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    return switch item {
    case .message(let kind): "\(kind) \(text)"
    case .ping: "ping \(text)"
    case .pong: "pong \(text)"
    case .close(let frame?), .end(let frame): "close \(frame.code?.rawValue ?? 0) \(frame.reason)"
    case .close(nil): "no close"
    }
}
