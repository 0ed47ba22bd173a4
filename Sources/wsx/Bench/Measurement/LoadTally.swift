import WSCore

/// What became of the messages and connections of a load test.
struct LoadTally: Equatable, Sendable {
    /// Messages that were sent: each that is to be echoed is received, lost or mismatched in the end.
    var sent = 0
    /// Messages that were due and not sent: their connections took no more, or this end could not keep up.
    var unsent = 0
    /// Messages whose reply was right.
    var received = 0
    /// Messages without a reply.
    var lost = 0
    /// Messages whose reply was something else.
    var mismatched = 0
    /// Messages that came beyond those that were sent for.
    var duplicated = 0
    /// Right replies that came after the reply to a later message.
    var reordered = 0

    /// Connections that could not be made.
    var connectErrors = 0
    /// Connections whose upgrade was not accepted.
    var handshakeErrors = 0
    /// Connections on which the server broke the protocol.
    var protocolErrors = 0
    /// Connections that the server closed or that were lost.
    var closedErrors = 0
    /// Attempts to connect, replies and closing handshakes that took too long.
    var timeouts = 0

    /// Payloads of messages, in bytes.
    var sentBytes = 0
    var receivedBytes = 0
    /// Frames as they travelled, in bytes.
    var sentWireBytes = 0
    var receivedWireBytes = 0

    /// Whether each reply was right, in its order, and the only one.
    var isFlawless: Bool { lost == 0 && mismatched == 0 && duplicated == 0 && reordered == 0 }
    /// What is wrong with them: `3 lost, 1 reordered`.
    var faults: String {
        ResultWords.counts([
            (lost, "lost"), (mismatched, "mismatched"), (duplicated, "duplicated"), (reordered, "reordered"),
        ])
    }
    /// The number of errors of all kinds.
    var errorCount: Int { connectErrors + handshakeErrors + protocolErrors + closedErrors + timeouts }

    /// Adds what went over a connection.
    mutating func addBytes(sent: Traffic, received: Traffic) {
        sentBytes += sent.messageBytes
        sentWireBytes += sent.wireBytes
        receivedBytes += received.messageBytes
        receivedWireBytes += received.wireBytes
    }

    /// Takes off what went over a connection until now and will be part of what is added at its end.
    mutating func subtractBytes(sent: Traffic, received: Traffic) {
        sentBytes -= sent.messageBytes
        sentWireBytes -= sent.wireBytes
        receivedBytes -= received.messageBytes
        receivedWireBytes -= received.wireBytes
    }

    /// Counts bytes from the beginning.
    mutating func forgetBytes() {
        (sentBytes, sentWireBytes, receivedBytes, receivedWireBytes) = (0, 0, 0, 0)
    }
}
