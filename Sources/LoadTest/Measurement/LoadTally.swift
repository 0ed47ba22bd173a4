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

    /// Errors of connections and of the application, and timeouts.
    package var errors = ErrorCounts()
    /// What caused errors. Not every error has a known cause.
    package var causes = ErrorCauses()

    /// What connections were opened with.
    package var openings = OpeningCounts()

    /// The traffic of all connections.
    package var traffic = LoadTraffic()
    /// The traffic of the measured duration.
    package var loadTraffic = LoadTraffic()

    /// Whether each reply was correct, in order, and unique.
    package var isFlawless: Bool { lost == 0 && mismatched == 0 && duplicated == 0 && reordered == 0 }
    /// The faults as text: `3 lost, 1 reordered`.
    package var faults: String {
        ResultWords.counts([
            (lost, "lost"), (mismatched, "mismatched"), (duplicated, "duplicated"), (reordered, "reordered"),
        ])
    }
}

/// The kinds of errors in results.
package enum LoadErrorKind: Int, CaseIterable, Sendable {
    /// A connection could not be opened.
    case connect
    /// The server rejected the upgrade.
    case handshake
    /// The server rejected a login, or an opening step of a scenario received a wrong message.
    case login
    /// The server violated the protocol.
    case violation
    /// The server closed the connection, it was lost, or it exceeded a limit of this end.
    case closed
    /// The application reported an error that is no reply to a request, such as a refused subscription.
    case application
    /// A connection attempt, reply, or closing handshake timed out.
    case timeout
}

/// The number of errors of each kind.
package struct ErrorCounts: Equatable, Sendable {
    private var counts = Array(repeating: 0, count: LoadErrorKind.allCases.count)

    /// The number of errors of a kind.
    package subscript(kind: LoadErrorKind) -> Int {
        get { counts[kind.rawValue] }
        set { counts[kind.rawValue] = newValue }
    }

    /// The number of errors of all kinds.
    package var total: Int { counts.reduce(0, +) }
}

/// What connections were opened with.
package struct OpeningCounts: Equatable, Sendable {
    package var tlsHandshakes = 0
    /// The TLS handshakes that resumed a session.
    package var tlsResumed = 0
    package var http2Connections = 0
    /// The streams of these connections with a WebSocket.
    package var http2Streams = 0
}

/// The traffic in both directions.
package struct LoadTraffic: Equatable, Sendable {
    package var sent = Traffic()
    package var received = Traffic()

    package static func += (sum: inout LoadTraffic, other: LoadTraffic) {
        sum.sent += other.sent
        sum.received += other.received
    }

    package static func -= (difference: inout LoadTraffic, other: LoadTraffic) {
        difference.sent -= other.sent
        difference.received -= other.received
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

    /// The faults of replies that are known when the reply arrives.
    internal static let replyFaults: [NamedCount] = [
        ("mismatched", \.mismatched), ("duplicated", \.duplicated), ("reordered", \.reordered),
    ]

    /// The errors of connections.
    package static let errorCounts: [NamedCount] = [
        ("connect", \.errors[.connect]), ("handshake", \.errors[.handshake]), ("login", \.errors[.login]),
        ("protocol", \.errors[.violation]), ("closed", \.errors[.closed]),
        ("application", \.errors[.application]), ("timeout", \.errors[.timeout]),
    ]

    /// The counts that earlier versions did not write.
    internal static let laterCounts: [WritableKeyPath<LoadTally, Int> & Sendable] = [
        \.pushes, \.errors[.login], \.errors[.application], \.interrupted,
    ]

    /// A count other than those of messages, by its name in thresholds, which follows that in JSON: `errors` for the sum
    /// of all kinds, `errors.connect`, `bytes.wire_sent`; `nil` if there is none.
    internal func count(named name: String) -> Int? {
        if name == "errors" { return errors.total }
        for (prefix, counts) in Self.groups {
            if let count = counts.first(where: { "\(prefix)\($0.name)" == name }) { return self[keyPath: count.count] }
        }
        return nil
    }

    /// Whether ``count(named:)`` knows a name.
    package static func hasCount(named name: String) -> Bool { LoadTally().count(named: name) != nil }

    private static let groups: [(prefix: StaticString, counts: [NamedCount])] = [
        ("errors.", errorCounts), ("bytes.", byteCounts), ("load_bytes.", loadByteCounts), ("tls.", tlsCounts),
        ("http2.", http2Counts), ("", waitCounts),
    ]

    /// The messages that waited.
    internal static let waitCounts: [NamedCount] = [("waited", \.waited)]

    /// The TLS handshakes.
    internal static let tlsCounts: [NamedCount] = [
        ("handshakes", \.openings.tlsHandshakes), ("resumed", \.openings.tlsResumed),
    ]

    /// The HTTP/2 connections and their streams.
    internal static let http2Counts: [NamedCount] = [
        ("connections", \.openings.http2Connections), ("streams", \.openings.http2Streams),
    ]

    /// The sent and received bytes.
    internal static let byteCounts: [NamedCount] = [
        ("sent", \.traffic.sent.messageBytes), ("received", \.traffic.received.messageBytes),
        ("wire_sent", \.traffic.sent.wireBytes), ("wire_received", \.traffic.received.wireBytes),
    ]

    /// The payload bytes of the measured duration.
    internal static let loadByteCounts: [NamedCount] = [
        ("sent", \.loadTraffic.sent.messageBytes), ("received", \.loadTraffic.received.messageBytes),
    ]
}
