import WSCore

/// What became of the messages and connections of a load test.
public struct LoadTally: Equatable, Sendable {
    /// Messages that were sent: each that is to be echoed is received, lost or mismatched in the end.
    public var sent = 0
    /// Messages that were due and not sent: their connections took no more, or this end could not keep up.
    public var unsent = 0
    /// Messages whose reply was right.
    public var received = 0
    /// Messages without a reply.
    public var lost = 0
    /// Messages whose reply was something else.
    public var mismatched = 0
    /// Messages that came beyond those that were sent for.
    public var duplicated = 0
    /// Right replies that came after the reply to a later message.
    public var reordered = 0

    /// Connections that could not be made.
    public var connectErrors = 0
    /// Connections whose upgrade was not accepted.
    public var handshakeErrors = 0
    /// Connections on which the server broke the protocol.
    public var protocolErrors = 0
    /// Connections that the server closed or that were lost.
    public var closedErrors = 0
    /// Attempts to connect, replies and closing handshakes that took too long.
    public var timeouts = 0

    /// Payloads of messages that were sent, in bytes.
    public var sentBytes = 0
    /// Payloads of messages that were received, in bytes.
    public var receivedBytes = 0
    /// Frames that were sent as they travelled, in bytes.
    public var sentWireBytes = 0
    /// Frames that were received as they travelled, in bytes.
    public var receivedWireBytes = 0

    /// Whether each reply was right, in its order, and the only one.
    public var isFlawless: Bool { lost == 0 && mismatched == 0 && duplicated == 0 && reordered == 0 }
    /// What is wrong with them: `3 lost, 1 reordered`.
    public var faults: String {
        ResultWords.counts([
            (lost, "lost"), (mismatched, "mismatched"), (duplicated, "duplicated"), (reordered, "reordered"),
        ])
    }
    /// The number of errors of all kinds.
    public var errorCount: Int { connectErrors + handshakeErrors + protocolErrors + closedErrors + timeouts }

    /// Adds what went over a connection.
    public mutating func addBytes(sent: Traffic, received: Traffic) {
        sentBytes += sent.messageBytes
        sentWireBytes += sent.wireBytes
        receivedBytes += received.messageBytes
        receivedWireBytes += received.wireBytes
    }

    /// Takes off what went over a connection until now and will be part of what is added at its end.
    public mutating func subtractBytes(sent: Traffic, received: Traffic) {
        sentBytes -= sent.messageBytes
        sentWireBytes -= sent.wireBytes
        receivedBytes -= received.messageBytes
        receivedWireBytes -= received.wireBytes
    }

    /// Counts bytes from the beginning.
    public mutating func forgetBytes() {
        (sentBytes, sentWireBytes, receivedBytes, receivedWireBytes) = (0, 0, 0, 0)
    }
}

extension LoadTally {
    /// A count, and its name in JSON.
    public typealias NamedCount = (name: StaticString, count: WritableKeyPath<LoadTally, Int> & Sendable)

    /// What became of messages.
    public static let messageCounts: [NamedCount] = [
        ("sent", \.sent), ("received", \.received), ("lost", \.lost), ("mismatched", \.mismatched),
        ("duplicated", \.duplicated), ("reordered", \.reordered), ("unsent", \.unsent),
    ]

    /// What became of connections.
    public static let errorCounts: [NamedCount] = [
        ("connect", \.connectErrors), ("handshake", \.handshakeErrors), ("protocol", \.protocolErrors),
        ("closed", \.closedErrors), ("timeout", \.timeouts),
    ]

    /// What went and came, in bytes.
    internal static let byteCounts: [NamedCount] = [
        ("sent", \.sentBytes), ("received", \.receivedBytes), ("wire_sent", \.sentWireBytes),
        ("wire_received", \.receivedWireBytes),
    ]
}
