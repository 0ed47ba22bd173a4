import Conversation
import Formats
import UserInterface
import WSCore

/// The facts about a run's connections: handshake, traffic, and end.
struct ConnectStatistics {
    /// The result of an opening handshake.
    struct Opening {
        let request: ClientRequest
        let upgrade: ClientUpgrade
        let tls: TLSSummary?
        let peer: String
        let isCompressed: Bool
        /// When the connection opened, in loop time.
        let time: Duration
    }

    /// The traffic of a connection.
    struct Counters {
        var sent = Traffic()
        var received = Traffic()
        /// The number of bytes queued for sending.
        var queuedBytes = 0
    }

    /// The latest opening, or `nil` before the first connection.
    private(set) var opening: Opening?
    /// The lines of the latest opening handshake, including all redirects and proxies.
    private(set) var heads: [(line: String, direction: Transcript.Direction)] = []
    /// The last notice about a redirect to another origin.
    private var redirect: String?
    /// The end of the last connection that ended.
    private(set) var lastEnd: ConnectionEnd?
    /// The number of connections opened to the current server.
    private(set) var openedCount = 0
    /// The latest measured round trip.
    private(set) var lastRoundTrip: Duration?
    /// The user's latest unanswered ping.
    private var ping: (payload: [UInt8], time: Duration)?
    /// When the first connection since the last summary opened.
    private var openTime: Duration?
    /// The traffic of connections that have ended since the last summary. It remains until the next connection opens.
    private var earlierTraffic = Counters()
    /// The number of connections before the last summary.
    private var earlierConnectionCount = 0

    // MARK: Events

    /// Handles the start of a connection attempt.
    mutating func connectionStarted() {
        heads = []
    }

    /// Stores a line of the opening handshake.
    mutating func add(head line: String, _ direction: Transcript.Direction) {
        heads.append((line, direction))
    }

    /// Stores a notice about a redirect. Returns whether it differs from the one before: every reconnection follows the
    /// same redirects.
    mutating func isNew(redirect notice: String) -> Bool {
        defer { redirect = notice }
        return notice != redirect
    }

    /// Stores the facts of an open connection.
    mutating func connectionOpened(_ opened: Connector.Opened, at now: Duration) {
        if openTime == nil {
            openTime = now
            earlierTraffic = Counters()
        }
        openedCount += 1
        lastRoundTrip = nil
        opening = Opening(
            request: opened.request, upgrade: opened.upgrade, tls: opened.tls, peer: opened.peer,
            isCompressed: opened.deflate != nil, time: now)
    }

    /// Stores a ping sent by the user.
    mutating func pingSent(_ payload: RawSpan, at now: Duration) {
        ping = (payload.withUnsafeBytes { Array($0) }, now)
    }

    /// Stores a round trip measured elsewhere.
    mutating func measured(roundTrip: Duration) {
        lastRoundTrip = roundTrip
    }

    /// Processes a pong.
    /// - Returns: The time since the user's latest ping if the pong has the same payload (RFC 6455 §5.5.3), or `nil`
    ///   otherwise.
    mutating func pongReceived(_ payload: RawSpan, at now: Duration) -> Duration? {
        guard let ping, payload.withUnsafeBytes({ $0.elementsEqual(ping.payload) }) else { return nil }
        self.ping = nil
        lastRoundTrip = now - ping.time
        return lastRoundTrip
    }

    /// Stores the end of a connection and its traffic.
    mutating func connectionEnded(_ end: ConnectionEnd, _ counters: Counters) {
        earlierTraffic.sent += counters.sent
        earlierTraffic.received += counters.received
        ping = nil
        lastEnd = end
    }

    /// Starts counting again after a summary.
    mutating func beginAnew() {
        openTime = nil
        earlierConnectionCount = openedCount
    }

    /// Starts counting the connections of another server.
    mutating func serverChanged() {
        openedCount = 0
        earlierConnectionCount = 0
    }

    // MARK: Reports

    /// The traffic that the next summary contains: that of earlier connections and of the open one.
    func traffic(with counters: Counters) -> Counters {
        var sum = earlierTraffic
        sum.sent += counters.sent
        sum.received += counters.received
        return sum
    }

    /// One line with the total traffic and the end of the last connection, or `nil` if there was no connection.
    /// - Parameter isVerbose: Whether to include the number of bytes.
    func summary(at now: Duration, isVerbose: Bool) -> String? {
        guard let openTime else { return nil }
        let count = openedCount - earlierConnectionCount
        let (sent, received) = (earlierTraffic.sent, earlierTraffic.received)
        let traffic =
            isVerbose
            ? TrafficReport.words(sent: sent, received: received, showsWire: true)
            : "\(sent.messages) sent, \(received.messages) received"
        let connections = count > 1 ? ", \(count) connections" : ""
        let end = lastEnd.map { "; \(Failure.words(forEnd: $0))" } ?? ""
        return "Disconnected after \(Phrase.duration(now - openTime))\(connections): \(traffic)\(end)."
    }

    /// The facts about the open connection, each with its name, or `nil` if there was none. A value may have several
    /// lines.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    func facts(
        at now: Duration, _ counters: Counters, without secrets: SecretRecord
    ) -> [(name: String, value: String)]? {
        guard let opening else { return nil }
        var facts = [("URL", secrets.masking(line: "\(opening.request.url)")), ("address", opening.peer)]
        facts.append(("open for", Phrase.duration(now - opening.time)))
        facts.append(("HTTP", opening.request.version.number))
        if let tls = opening.tls {
            facts.append(("TLS", ReportedTLS.lines(tls, without: secrets).joined(separator: "\n")))
        }
        if let subprotocol = opening.upgrade.subprotocol {
            facts.append(("subprotocol", escapingControls(secrets.masking(subprotocol))))
        }
        facts.append(("compression", Self.compression(opening, counters)))
        facts.append(("sent", Self.fact(counters.sent)))
        facts.append(("received", Self.fact(counters.received)))
        if counters.queuedBytes > 0 { facts.append(("queued", TrafficReport.size(counters.queuedBytes))) }
        let roundTrip = lastRoundTrip.map { Phrase.latency($0) } ?? "not measured yet; /ping measures it"
        facts.append(("round trip", roundTrip))
        return facts
    }

    private static func compression(_ opening: Opening, _ counters: Counters) -> String {
        guard opening.isCompressed else { return "none" }
        let extensions = escapingControls(ExtensionHeader.value(of: opening.upgrade.extensions))
        let sent = TrafficReport.savings(counters.sent)
        return "\(extensions); sent: \(sent), received: \(TrafficReport.savings(counters.received))"
    }

    private static func fact(_ traffic: Traffic) -> String {
        "\(Phrase.count(traffic.messages, "message")), \(TrafficReport.size(traffic.messageBytes)), "
            + "\(TrafficReport.size(traffic.wireBytes)) on the wire"
    }
}
