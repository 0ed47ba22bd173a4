extension LoadTally {
    /// A count, and its name in JSON.
    typealias NamedCount = (name: StaticString, count: WritableKeyPath<LoadTally, Int> & Sendable)

    /// What became of messages.
    static let messageCounts: [NamedCount] = [
        ("sent", \.sent), ("received", \.received), ("lost", \.lost), ("mismatched", \.mismatched),
        ("duplicated", \.duplicated), ("reordered", \.reordered), ("unsent", \.unsent),
    ]

    /// What became of connections.
    static let errorCounts: [NamedCount] = [
        ("connect", \.connectErrors), ("handshake", \.handshakeErrors), ("protocol", \.protocolErrors),
        ("closed", \.closedErrors), ("timeout", \.timeouts),
    ]

    /// What went and came, in bytes.
    static let byteCounts: [NamedCount] = [
        ("sent", \.sentBytes), ("received", \.receivedBytes), ("wire_sent", \.sentWireBytes),
        ("wire_received", \.receivedWireBytes),
    ]
}
