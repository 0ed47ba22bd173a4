import Formats
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
        /// When the connection was opened, in the loop's time.
        let time: Duration
    }

    /// What a connection has carried.
    struct Counters {
        var sent = Traffic()
        var received = Traffic()
        /// The bytes that wait to be sent.
        var queuedBytes = 0
    }

    /// The latest opening; nil before the first connection.
    private(set) var opening: Opening?
    /// The lines of the latest opening handshake, of all its requests and responses.
    private(set) var heads: [(line: String, direction: Transcript.Direction)] = []
    /// The end of the last connection that has ended.
    private(set) var lastEnd: ConnectionEnd?
    /// The number of connections that have been opened to the present server.
    private(set) var openedCount = 0
    /// The round trip of the latest ping that was answered.
    private var lastRoundTrip: Duration?
    /// The latest ping of the user that has not been answered.
    private var ping: (payload: [UInt8], time: Duration)?
    /// When the first connection was opened of those that have not been summed up.
    private var openTime: Duration?
    /// What the connections have carried that have ended and not been summed up.
    private var earlierTraffic = Counters()
    /// The connections that have been summed up.
    private var earlierConnectionCount = 0

    // MARK: Events

    /// Takes note that a connection begins to be opened.
    mutating func connectionStarted() {
        heads = []
    }

    /// Keeps a line of the opening handshake.
    mutating func add(head line: String, _ direction: Transcript.Direction) {
        heads.append((line, direction))
    }

    /// Takes note of an open connection.
    mutating func connectionOpened(_ opened: Connector.Opened, at now: Duration) {
        if openTime == nil { openTime = now }
        openedCount += 1
        lastRoundTrip = nil
        opening = Opening(
            request: opened.request, upgrade: opened.upgrade, tls: opened.tls, peer: opened.peer,
            isCompressed: opened.deflate != nil, time: now)
    }

    /// Takes note of a ping that the user sends.
    mutating func pingSent(_ payload: RawSpan, at now: Duration) {
        ping = (payload.withUnsafeBytes { Array($0) }, now)
    }

    /// Takes note of the round trip of a ping that somebody else has measured.
    mutating func measured(roundTrip: Duration) {
        lastRoundTrip = roundTrip
    }

    /// Takes a pong.
    /// - Returns: The time since the user's latest ping, if it answers that one (RFC 6455 §5.5.3: it has the same payload).
    mutating func pongReceived(_ payload: RawSpan, at now: Duration) -> Duration? {
        guard let ping, payload.withUnsafeBytes({ $0.elementsEqual(ping.payload) }) else { return nil }
        self.ping = nil
        lastRoundTrip = now - ping.time
        return lastRoundTrip
    }

    /// Takes note of the end of a connection.
    mutating func connectionEnded(_ end: ConnectionEnd, _ counters: Counters) {
        earlierTraffic.sent += counters.sent
        earlierTraffic.received += counters.received
        ping = nil
        lastEnd = end
    }

    /// Counts from here on: what there was has been summed up.
    mutating func beginAnew() {
        openTime = nil
        earlierConnectionCount = openedCount
        earlierTraffic = Counters()
    }

    /// Counts the connections of another server.
    mutating func serverChanged() {
        openedCount = 0
        earlierConnectionCount = 0
    }

    // MARK: Reports

    /// One line that says what the connections have carried, and how the last one ended; nil: there was none.
    func summary(at now: Duration, showsWire: Bool) -> String? {
        guard let openTime else { return nil }
        let count = openedCount - earlierConnectionCount
        let traffic = TrafficReport.words(
            sent: earlierTraffic.sent, received: earlierTraffic.received,
            showsWire: opening?.isCompressed ?? false || showsWire)
        let connections = count > 1 ? ", \(count) connections" : ""
        let end = lastEnd.map { "; \(Failure.words(forEndWith: $0.code))" } ?? ""
        return "Disconnected after \(Phrase.duration(now - openTime))\(connections): \(traffic)\(end)."
    }

    /// The facts of the open connection, each with its name; a value may have several lines. Nil: none was opened.
    func facts(at now: Duration, _ counters: Counters) -> [(name: String, value: String)]? {
        guard let opening else { return nil }
        var facts = [("URL", "\(opening.request.url)"), ("address", opening.peer)]
        facts.append(("open for", Phrase.duration(now - opening.time)))
        if let tls = opening.tls {
            facts.append(("TLS", ReportedTLS.lines(tls, with: nil).joined(separator: "\n").droppingPrefix("TLS: ")))
        }
        if let subprotocol = opening.upgrade.subprotocol {
            facts.append(("subprotocol", escapingControls(subprotocol)))
        }
        facts.append(("compression", Self.compression(opening, counters)))
        facts.append(("sent", Self.fact(counters.sent)))
        facts.append(("received", Self.fact(counters.received)))
        if counters.queuedBytes > 0 { facts.append(("queued", TrafficReport.size(counters.queuedBytes))) }
        let roundTrip = lastRoundTrip.map { "\(Phrase.milliseconds($0)) ms" } ?? "not measured; /ping does"
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

extension Traffic {
    fileprivate static func += (sum: inout Traffic, other: Traffic) {
        sum.messages &+= other.messages
        sum.messageBytes &+= other.messageBytes
        sum.wireBytes &+= other.wireBytes
    }
}

extension String {
    /// The text without a beginning that it may have.
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
