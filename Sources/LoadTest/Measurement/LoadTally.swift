import WSCore

/// The outcomes of a load test's messages and connections.
package struct LoadTally: Equatable, Sendable {
    /// Messages sent. In echo mode, each of them ends up received, lost, or mismatched; in a scenario, also
    /// interrupted.
    package var sent = 0
    /// Messages that were due, or asked for with a number of messages, but not sent: connections were full or lost, or
    /// this end was too slow.
    package var unsent = 0
    /// Messages with a correct reply.
    package var received = 0
    /// Messages without a reply.
    package var lost = 0
    /// Iterations of a scenario that the end of the load has interrupted.
    package var interrupted = 0
    /// Messages that were due while their connection was busy, or all were, in an open loop.
    package var waited = 0
    /// Messages with a different reply.
    package var mismatched = 0
    /// Messages received in excess of those expected.
    package var duplicated = 0
    /// Correct replies received after the reply to a later message.
    package var reordered = 0
    /// Messages received that answer no request, in a mode with requests.
    package var pushes = 0

    /// Connections that failed to connect.
    package var connectErrors = 0
    /// Connections with a failed upgrade.
    package var handshakeErrors = 0
    /// Connections on which the server violated the protocol.
    package var protocolErrors = 0
    /// Connections that the server closed, that were lost, or that exceeded a limit of this end.
    package var closedErrors = 0
    /// Errors reported by the application, such as refused subscriptions, that are no reply to a request.
    package var applicationErrors = 0
    /// Connections on which an opening step of a scenario received a wrong message.
    package var loginErrors = 0
    /// Connection attempts, replies, and closing handshakes that timed out.
    package var timeouts = 0

    /// Connections that were opened with TLS.
    package var tlsHandshakes = 0
    /// Connections that were opened by resuming a TLS session.
    package var tlsResumed = 0

    /// Sent payload bytes.
    package var sentBytes = 0
    /// Received payload bytes.
    package var receivedBytes = 0
    /// Sent bytes of frames, as on the wire.
    package var sentWireBytes = 0
    /// Received bytes of frames, as on the wire.
    package var receivedWireBytes = 0
    /// Sent payload bytes of the measured duration.
    package var loadSentBytes = 0
    /// Received payload bytes of the measured duration.
    package var loadReceivedBytes = 0

    /// Whether each reply was correct, in order, and unique.
    package var isFlawless: Bool { lost == 0 && mismatched == 0 && duplicated == 0 && reordered == 0 }
    /// The faults as text: `3 lost, 1 reordered`.
    package var faults: String {
        ResultWords.counts([
            (lost, "lost"), (mismatched, "mismatched"), (duplicated, "duplicated"), (reordered, "reordered"),
        ])
    }
    /// The number of errors of all kinds.
    package var errorCount: Int {
        connectErrors + handshakeErrors + loginErrors + protocolErrors + closedErrors + applicationErrors
            + timeouts
    }

    /// Adds the traffic of a connection.
    package mutating func addBytes(sent: Traffic, received: Traffic) {
        sentBytes += sent.messageBytes
        sentWireBytes += sent.wireBytes
        receivedBytes += received.messageBytes
        receivedWireBytes += received.wireBytes
    }

    /// Subtracts the traffic of an open connection so far, which its end will add.
    package mutating func subtractBytes(sent: Traffic, received: Traffic) {
        sentBytes -= sent.messageBytes
        sentWireBytes -= sent.wireBytes
        receivedBytes -= received.messageBytes
        receivedWireBytes -= received.wireBytes
    }

    /// Resets the byte counts.
    package mutating func forgetBytes() {
        (sentBytes, sentWireBytes, receivedBytes, receivedWireBytes) = (0, 0, 0, 0)
    }
}

extension LoadTally {
    /// A count and its name in JSON.
    package typealias NamedCount = (name: StaticString, count: WritableKeyPath<LoadTally, Int> & Sendable)

    /// The outcomes of messages.
    package static let messageCounts: [NamedCount] = [
        ("sent", \.sent), ("received", \.received), ("lost", \.lost), ("mismatched", \.mismatched),
        ("duplicated", \.duplicated), ("reordered", \.reordered), ("pushes", \.pushes), ("unsent", \.unsent),
        ("interrupted", \.interrupted),
    ]

    /// The errors of connections.
    package static let errorCounts: [NamedCount] = [
        ("connect", \.connectErrors), ("handshake", \.handshakeErrors), ("login", \.loginErrors),
        ("protocol", \.protocolErrors),
        ("closed", \.closedErrors), ("application", \.applicationErrors), ("timeout", \.timeouts),
    ]

    /// The counts that earlier versions did not write.
    internal static let laterCounts: [WritableKeyPath<LoadTally, Int> & Sendable] = [
        \.pushes, \.loginErrors, \.applicationErrors, \.interrupted,
    ]

    /// The messages that waited.
    internal static let waitCounts: [NamedCount] = [("waited", \.waited)]

    /// The TLS handshakes.
    internal static let tlsCounts: [NamedCount] = [("handshakes", \.tlsHandshakes), ("resumed", \.tlsResumed)]

    /// The sent and received bytes.
    internal static let byteCounts: [NamedCount] = [
        ("sent", \.sentBytes), ("received", \.receivedBytes), ("wire_sent", \.sentWireBytes),
        ("wire_received", \.receivedWireBytes),
    ]

    /// The payload bytes of the measured duration.
    internal static let loadByteCounts: [NamedCount] = [("sent", \.loadSentBytes), ("received", \.loadReceivedBytes)]
}
