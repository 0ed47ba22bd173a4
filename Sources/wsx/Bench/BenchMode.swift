/// What a load test does with its connections.
enum BenchMode: String, CaseIterable, Sendable {
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

    /// What results call it.
    var noun: String {
        switch self {
        case .echo: "Echo"
        case .send: "Sending"
        case .receive: "Receiving"
        case .connect: "Opening"
        case .broadcast: "Broadcast"
        case .idle: "Idling"
        }
    }
}
