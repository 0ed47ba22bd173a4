import WSCore

/// One visit to the suite: echoes every message or, where the suite has something to say, keeps the last one.
final class EchoHandler: ConnectionHandler {
    /// The last message of a visit that does not echo.
    private(set) var answer: [UInt8] = []
    /// How the connection ended.
    private(set) var end: ConnectionEnd?

    private let echoes: Bool

    /// Makes a handler.
    init(echoes: Bool) {
        self.echoes = echoes
    }

    /// Sends a message back as what it came, or keeps it.
    func connection(
        _ connection: Connection<EchoHandler>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        if echoes { outbox.send(payload, as: kind) } else { answer = payload.withUnsafeBytes { Array($0) } }
    }

    /// Keeps the end.
    func connection(_ connection: Connection<EchoHandler>, didEnd end: ConnectionEnd) {
        self.end = end
    }
}
