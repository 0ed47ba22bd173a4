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
    /// Correct replies whose message is unknown, because a reply was lost or surplus. They have no latency.
    package var latencyOmitted = 0
    /// Lines of the file of samples that were left out, because writing was too slow.
    package var samplesOmitted = 0
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

    /// The number of messages that were due: those sent, and those that were not.
    internal var dueCount: Double { Double(sent) + Double(unsent) }

    /// Whether each reply was correct, in order, and unique.
    package var isFlawless: Bool { CountGroup.faults.allSatisfy { self[keyPath: $0.path] == 0 } }
    /// The faults as text: `3 lost, 1 reordered`.
    package var faults: String { words(for: CountGroup.faults) }

    /// The counts in words, without zeros: `3 lost, 1 reordered`.
    package func words(for counts: [LoadCount]) -> String {
        ResultWords.counts(counts.map { (self[keyPath: $0.path], $0.words ?? "\($0.name)") })
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

    /// The name in JSON, thresholds, and metrics.
    package var name: StaticString { declaration.name }

    /// The kind in words, which follow a number.
    package var words: String { declaration.words }

    /// The words follow a number. Results of earlier versions lack later kinds.
    fileprivate var declaration: (name: StaticString, words: String, isLater: Bool) {
        switch self {
        case .connect: ("connect", "failed to connect", false)
        case .handshake: ("handshake", "rejected by the server", false)
        case .login: ("login", "failed to log in", true)
        case .violation: ("protocol", "violated the protocol", false)
        case .closed: ("closed", "closed or lost", false)
        case .application: ("application", "reported by the application", true)
        case .timeout: ("timeout", "timed out", false)
        }
    }
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
    /// The seconds that connections waited because the server asked for it (Retry-After).
    package var requestedSeconds = 0
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

/// A count of a load test.
///
/// A new one is a property of ``LoadTally``, its declaration in a group below, and a call where it is counted: what
/// writes, reads, and merges results, the table and the page of results, thresholds, and metrics follow the
/// declaration.
package struct LoadCount: Sendable {
    /// When a fault of a reply is known.
    internal enum Fault: Sendable {
        case onArrival
        case afterTimeout
    }

    /// The name in JSON, thresholds, and metrics.
    package let name: StaticString
    package let path: WritableKeyPath<LoadTally, Int> & Sendable
    /// What the count says after a number, if it is not the name and the table of results has no place for it.
    package let words: String?
    /// Set if the count is one of faults.
    internal let fault: Fault?
    package var isFault: Bool { fault != nil }
    /// Whether results of earlier versions lack it.
    internal let isLater: Bool

    internal init(
        _ name: StaticString, _ path: WritableKeyPath<LoadTally, Int> & Sendable, words: String? = nil,
        fault: Fault? = nil, isLater: Bool = false
    ) {
        (self.name, self.path, self.words, self.fault, self.isLater) = (name, path, words, fault, isLater)
    }
}

/// Counts that belong together.
package struct CountGroup: Sendable {
    /// The metric of a run: its name, the label for the names of counts, and an explanation.
    internal typealias Metric = (name: String, label: String, help: String)

    /// The member of results with these counts; empty: each count is a member of the results.
    internal let name: StaticString
    /// The beginning of the names in thresholds.
    internal let prefix: String
    package let counts: [LoadCount]
    /// Set if the counts are known during a run.
    internal let metric: Metric?
    /// Whether results of earlier versions lack it.
    internal let isLater: Bool

    fileprivate init(
        _ name: StaticString, prefix: String? = nil, _ counts: [LoadCount], metric: Metric? = nil,
        isLater: Bool = false
    ) {
        (self.name, self.counts, self.metric, self.isLater) = (name, counts, metric, isLater)
        self.prefix = prefix ?? "\(name)."
    }
}

extension CountGroup {
    /// The outcomes of messages.
    package static let messages = CountGroup(
        "messages", prefix: "",
        [
            LoadCount("sent", \.sent), LoadCount("received", \.received),
            LoadCount("lost", \.lost, fault: .afterTimeout),
            LoadCount("mismatched", \.mismatched, fault: .onArrival),
            LoadCount("duplicated", \.duplicated, fault: .onArrival),
            LoadCount("reordered", \.reordered, fault: .onArrival),
            LoadCount("pushes", \.pushes, isLater: true), LoadCount("unsent", \.unsent),
            LoadCount("interrupted", \.interrupted, words: "in progress at the end of the test", isLater: true),
        ], metric: ("wsx_messages", "outcome", "Messages by outcome."))

    /// The errors of connections.
    package static let errors = CountGroup(
        "errors",
        LoadErrorKind.allCases.map { kind in
            let (name, words, isLater) = kind.declaration
            return LoadCount(name, \.errors[kind], words: words, isLater: isLater)
        }, metric: ("wsx_errors", "kind", "Errors by kind."))

    /// The sent and received bytes.
    internal static let bytes = CountGroup(
        "bytes",
        [
            LoadCount("sent", \.traffic.sent.messageBytes), LoadCount("received", \.traffic.received.messageBytes),
            LoadCount("wire_sent", \.traffic.sent.wireBytes), LoadCount("wire_received", \.traffic.received.wireBytes),
        ])

    /// The payload bytes of the measured duration. Earlier versions wrote only those of the whole run.
    internal static let loadBytes = CountGroup(
        "load_bytes",
        [
            LoadCount("sent", \.loadTraffic.sent.messageBytes),
            LoadCount("received", \.loadTraffic.received.messageBytes),
        ], isLater: true)

    /// The TLS handshakes.
    internal static let tls = CountGroup(
        "tls", [LoadCount("handshakes", \.openings.tlsHandshakes), LoadCount("resumed", \.openings.tlsResumed)],
        isLater: true)

    /// The HTTP/2 connections and their streams.
    internal static let http2 = CountGroup(
        "http2",
        [LoadCount("connections", \.openings.http2Connections), LoadCount("streams", \.openings.http2Streams)],
        isLater: true)

    /// The counts that are members of the results.
    internal static let others = CountGroup(
        "", prefix: "",
        [
            LoadCount("waited", \.waited, isLater: true),
            LoadCount("latency_omitted", \.latencyOmitted, isLater: true),
            LoadCount("samples_omitted", \.samplesOmitted, isLater: true),
            LoadCount("retry_after_s", \.openings.requestedSeconds, isLater: true),
        ])

    /// All counts.
    internal static let all = [messages, errors, bytes, loadBytes, tls, http2, others]

    /// The faults of replies.
    package static let faults = messages.counts.filter(\.isFault)

    /// The group of a count by its name in thresholds, which follows that in JSON, and the count: `errors.connect`,
    /// `bytes.wire_sent`; without a count for `errors`, the sum of all kinds; `nil` if there is none.
    internal static func count(named name: String) -> (group: CountGroup, count: LoadCount?)? {
        if name == "errors" { return (errors, nil) }
        for group in all {
            if let count = group.counts.first(where: { "\(group.prefix)\($0.name)" == name }) { return (group, count) }
        }
        return nil
    }

    /// Whether thresholds for the count with a name may be shares: it is one of messages; `nil` if there is none.
    package static func hasShare(countNamed name: String) -> Bool? {
        count(named: name).map { "\($0.group.name)" == "\(messages.name)" }
    }
}
