import WSCore

// Clients that come and go.
extension ListenRun {
    /// Makes the handler of a client whose request is accepted, and tells of it.
    func opened(_ client: Server<ListenClient>.Client) -> ListenClient {
        let request = client.upgrade.request
        // A target in absolute form has an authority of its own, which is not where we listen.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
        if !settings.isEmbedded {
            let origin = client.address.map { " from \($0)" } ?? ""
            let subprotocol = client.upgrade.subprotocol.map { ", subprotocol \($0)" } ?? ""
            console.notice(escapingControls("Client \(client.number) connected\(origin): \(target)\(subprotocol)"))
        }
        if settings.arguments.verbosity > 0 {
            if let tls = client.tls { console.notice(ReportedTLS.lines(tls, with: nil).joined(separator: "\n")) }
            for line in ReportedHead.lines(of: request) {
                console.show(transcript.head(line, .received))
            }
            let response = String(decoding: client.responseBytes, as: UTF8.self)
            for line in ReportedHead.lines(ofSent: response) { console.show(transcript.head(line, .sent)) }
        }
        output?.events?.writeOpen(
            url: urlPrefix + target, subprotocol: client.upgrade.subprotocol, extensions: client.extensions,
            client: client.number)
        // What is read goes to the clients there are: the input waits for the first.
        loop.atEndOfTurn(self)
        return ListenClient(number: client.number, of: self)
    }

    /// Tells of a request that was refused.
    func refused(_ refusal: HandshakeRefusal, _ address: SocketAddress?) {
        guard !settings.isEmbedded else { return }
        let origin = address.map { " from \($0)" } ?? ""
        console.notice("Refused a request\(origin): \(refusal.status), \(refusal.reason)")
    }

    /// Tells of a request that asked for no WebSocket, and of its answer.
    func answered(_ served: ServedRequest) {
        guard !settings.isEmbedded else { return }
        let origin = served.address.map { " from \($0)" } ?? ""
        let request = escapingControls("\(served.request.method) \(served.request.target)")
        let bytes = TrafficReport.size(served.contentByteCount) + (served.isComplete ? "" : ", not all")
        let time = Failure.words(for: served.duration)
        console.notice("Answered \(request)\(origin): \(served.status), \(bytes), \(time)")
    }

    /// Tells of a client with whom there is no TLS.
    func failedToSecure(_ error: TLSError, _ address: SocketAddress?) {
        let origin = address.map { " from \($0)" } ?? ""
        console.notice("Refused a client\(origin): \(error)")
    }

    /// Says once that clients have to wait for descriptors.
    func reachedLimit(_ count: Int) {
        guard !hasReportedLimit else { return }
        hasReportedLimit = true
        console.error("\(count) clients fill the descriptor limit: further ones wait; ulimit -n raises it")
    }

    /// A client's connection is over.
    func ended(_ number: Int, _ end: ConnectionEnd, _ connection: Connection<ListenClient>) {
        server.remove(number)
        if !settings.isEmbedded {
            let violation = end.violation.map { ", \($0)" } ?? ""
            let reason = end.reason.isEmpty ? "" : " \"\(escapingControls(end.reason))\""
            console.notice("Client \(number) disconnected: \(end.code.rawValue)\(reason)\(violation)")
            if settings.arguments.verbosity > 0 {
                let traffic = TrafficReport.words(
                    sent: connection.sentTraffic, received: connection.receivedTraffic, showsWire: true)
                console.notice("Client \(number): \(traffic)")
            }
        }
        if let violation = end.violation { output?.events?.writeFailure(.violation(violation), client: number) }
        output?.events?.writeClose(end, client: number)
        if isEnding, server.connections.isEmpty { return stop() }
        clientDidDrain(number)
    }
}

extension ListenRun: EndOfTurnWork {
    /// A client has come.
    func endTurn() {
        readOn()
    }
}
