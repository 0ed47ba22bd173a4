import Formats
import WSCore

// What `/info` knows, and the summary at the end.
extension ConnectRun {
    /// The facts of the connection, each with its name; the value may have several lines.
    var connectionFacts: [(name: String, value: String)] {
        guard let connection, let opened else {
            return [
                ("URL", "\(settings.connector.request.url)"),
                ("state", expectsConnection ? "connecting" : "disconnected"),
            ]
        }
        var facts = [("URL", "\(opened.request.url)"), ("address", opened.peer)]
        facts.append(("open for", Phrase.duration(loop.now - (connectionTime ?? loop.now))))
        if let tls = opened.tls {
            facts.append(("TLS", ReportedTLS.lines(tls, with: nil).joined(separator: "\n").droppingPrefix("TLS: ")))
        }
        if let subprotocol = opened.upgrade.subprotocol { facts.append(("subprotocol", escapingControls(subprotocol))) }
        facts.append(("compression", compressionFact(connection, opened)))
        facts.append(("sent", Self.fact(connection.sentTraffic)))
        facts.append(("received", Self.fact(connection.receivedTraffic)))
        if connection.queuedBytes > 0 { facts.append(("queued", TrafficReport.size(connection.queuedBytes))) }
        facts.append(("round trip", lastRoundTrip.map { "\(Self.milliseconds($0)) ms" } ?? "not measured; /ping does"))
        return facts
    }

    private func compressionFact(_ connection: Connection<ConnectRun>, _ opened: OpenedFacts) -> String {
        guard opened.isCompressed else { return "none" }
        let extensions = escapingControls(ExtensionHeader.value(of: opened.upgrade.extensions))
        let sent = TrafficReport.savings(connection.sentTraffic)
        return "\(extensions); sent: \(sent), received: \(TrafficReport.savings(connection.receivedTraffic))"
    }

    private static func fact(_ traffic: Traffic) -> String {
        "\(Phrase.count(traffic.messages, "message")), \(TrafficReport.size(traffic.messageBytes)), "
            + "\(TrafficReport.size(traffic.wireBytes)) on the wire"
    }

    /// Says in one line what the connections since the last such line have carried, and how they ended.
    func showSummary(since openTime: Duration) {
        let duration = Phrase.duration(loop.now - openTime)
        let count = (connections?.openedCount ?? 1) - earlierConnectionCount
        let traffic = TrafficReport.words(
            sent: earlierTraffic.sent, received: earlierTraffic.received,
            showsWire: opened?.isCompressed ?? false || settings.arguments.verbosity > 0)
        let connections = count > 1 ? ", \(count) connections" : ""
        console.notice(
            "Disconnected after \(duration)\(connections): \(traffic)\(lastEnd.map { "; \(Failure.words(forEndWith: $0.code))" } ?? "")."
        )
    }
}

/// What was agreed when a connection was opened.
struct OpenedFacts {
    let request: ClientRequest
    let upgrade: ClientUpgrade
    let tls: TLSSummary?
    let peer: String
    let isCompressed: Bool

    init(_ opened: Connector.Opened) {
        request = opened.request
        upgrade = opened.upgrade
        tls = opened.tls
        peer = opened.peer
        isCompressed = opened.deflate != nil
    }
}

extension String {
    /// The text without a beginning that it may have.
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
