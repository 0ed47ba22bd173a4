extension BenchMode {
    /// What results begin with.
    /// - Parameter messages: What was sent: `text messages of 20 bytes`.
    func headline(_ messages: String) -> String {
        switch self {
        case .echo: "Echo of \(messages)"
        case .send: "Sending of \(messages)"
        case .receive: "Receiving of messages"
        case .connect: "Opening of connections"
        case .broadcast: "Broadcast of \(messages)"
        case .idle: "Idling"
        }
    }

    /// What the rate counts.
    var countedThings: String {
        switch self {
        case .echo: "replies"
        case .send: "messages sent"
        case .receive: "messages received"
        case .connect: "connections"
        case .broadcast: "deliveries"
        case .idle: "pongs"
        }
    }

    /// What became of that many, without what was wrong.
    func counts(sent: String, received: String) -> (name: String, text: String) {
        switch self {
        case .echo, .send, .receive: ("messages", "\(sent) sent, \(received) received")
        case .connect: ("connections", "\(sent) tried, \(received) opened")
        case .broadcast: ("messages", "\(sent) published, \(received) delivered")
        case .idle: ("pings", "\(sent) sent, \(received) answered")
        }
    }

    /// Whether what is received has a latency.
    var hasLatencies: Bool { self != .send && self != .receive }

    /// Whether each message is looked at when it comes back.
    var verifiesMessages: Bool { self == .echo || self == .broadcast }
}
