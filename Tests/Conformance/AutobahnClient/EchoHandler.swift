import WSCore

/// The handler of one connection to the suite. It echoes every message, or keeps the last one for queries.
final class EchoHandler: ConnectionHandler {
    /// The last message of a connection that does not echo.
    private(set) var answer: [UInt8] = []
    /// How the connection ended.
    private(set) var end: ConnectionEnd?

    private let echoes: Bool

    /// Creates a handler.
    init(echoes: Bool) {
        self.echoes = echoes
    }

    /// Echoes a message with its type, or keeps it.
    func connection(_ connection: Connection<EchoHandler>, received payload: RawSpan, as kind: MessageKind) {
        if echoes { connection.send(payload, as: kind) } else { answer = payload.withUnsafeBytes { Array($0) } }
    }

    /// Keeps the end of the connection.
    func connection(_ connection: Connection<EchoHandler>, didEnd end: ConnectionEnd) {
        self.end = end
    }
}
