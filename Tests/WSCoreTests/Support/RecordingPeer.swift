import WSCore

/// Records the events of a connection and runs a test's actions.
final class RecordingPeer: ConnectionHandler {
    typealias Receive = (Connection<RecordingPeer>, RawSpan, MessageKind) -> Void

    var events: [Event] = []
    var messageCount = 0
    var drainCount = 0
    var end: ConnectionEnd?
    var endCount = 0
    /// Whether messages are recorded in ``events``.
    var remembersMessages = true
    /// Whether the consumer of the messages is stuck.
    var isStuck = false
    var onMessage: Receive?
    var onDrain: (() -> Void)?
    var onEnd: (() -> Void)?

    func connection(_ connection: Connection<RecordingPeer>, received payload: RawSpan, as kind: MessageKind) {
        messageCount += 1
        if remembersMessages { events.append(.message(kind, bytes(of: payload))) }
        onMessage?(connection, payload, kind)
    }

    func connection(_ connection: Connection<RecordingPeer>, receivedPing payload: RawSpan) {
        events.append(.ping(bytes(of: payload)))
    }

    func connection(_ connection: Connection<RecordingPeer>, receivedPong payload: RawSpan) {
        events.append(.pong(bytes(of: payload)))
    }

    func connection(_ connection: Connection<RecordingPeer>, receivedClose frame: CloseFrame) {
        events.append(.close(frame))
    }

    func connectionDidDrain(_ connection: Connection<RecordingPeer>) {
        drainCount += 1
        onDrain?()
    }

    func connectionIsStuck(_ connection: Connection<RecordingPeer>) -> Bool { isStuck }

    func connection(_ connection: Connection<RecordingPeer>, didEnd end: ConnectionEnd) {
        self.end = end
        endCount += 1
        onEnd?()
    }
}

/// Echoes every message.
func echo(_ connection: Connection<RecordingPeer>, _ payload: RawSpan, _ kind: MessageKind) {
    connection.send(payload, as: kind)
}

extension Connection {
    /// Sends a text message.
    @discardableResult
    func send(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { send($0.bytes, as: .text) }
    }

    /// Sends a binary message.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { send($0.bytes, as: .binary) }
    }
}
