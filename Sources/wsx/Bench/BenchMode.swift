import CommandLine

/// What a load test does with its connections.
enum BenchMode: String, OptionChoice {
    /// Sends messages and waits for each to come back.
    case echo
    /// Sends messages, and waits for nothing.
    case send
    /// Counts the messages that come.
    case receive
    /// Opens connections, one after another.
    case connect
    /// Sends on some connections what others are to receive.
    case broadcast
    /// Keeps connections open.
    case idle

    /// Whether connections are opened before the load begins: they are not where opening them is the load.
    var needsConnections: Bool { self != .connect }

    var summary: String {
        switch self {
        case .echo: "round trips, each echo compared with what was sent"
        case .send: "as many messages one way as the server takes"
        case .receive: "count what the server sends"
        case .connect: "opening handshakes, one after another"
        case .broadcast: "how long what one publishes takes to reach all others"
        case .idle: "keep connections open, with a ping now and then"
        }
    }
}
