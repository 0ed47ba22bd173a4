import WSCore

// Clients that come and go.
extension ListenRun {
    /// Makes the handler of a client whose request is accepted, and tells of it.
    func opened(_ client: Server<ListenClient>.Client) -> ListenClient {
        let request = client.upgrade.request
        // A target in absolute form has an authority of its own, which is not where we listen.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
        if !settings.isEmbedded {
            let subprotocol = client.upgrade.subprotocol.map { ", subprotocol \($0)" } ?? ""
            // Without the query, where tokens may stand; --verbose shows it.
            let path = request.path ?? request.target
            let shown = path.utf8.count > Self.shownTargetBytes ? "\(path.prefix(Self.shownTargetBytes))…" : path
            console.notice(
                escapingControls("Client \(client.number) connected from \(client.address): \(shown)\(subprotocol)"))
        }
        if settings.arguments.verbosity > 0 {
            let number = client.number
            for line in client.tls.map({ ReportedTLS.lines($0, with: nil) }) ?? [] {
                console.notice("Client \(number): \(line)")
            }
            for line in ReportedHead.lines(of: request) {
                console.show(transcript.head(line, .received, client: number))
            }
            let response = String(decoding: client.responseBytes, as: UTF8.self)
            for line in ReportedHead.lines(ofSent: response) {
                console.show(transcript.head(line, .sent, client: number))
            }
        }
        writeEvent { events in
            events.writeOpen(
                url: places[client.endpointIndex].urlPrefix + target, subprotocol: client.upgrade.subprotocol,
                extensions: client.extensions, client: client.number)
        }
        if settings.arguments.servesOnce { server.stopListening() }
        // What is read goes to the clients there are: the input waits for the first.
        loop.atEndOfTurn(self)
        return ListenClient(client, of: self)
    }

    /// Whether there is to be a line for every client.
    var keepsLog: Bool { !settings.isEmbedded && !settings.arguments.isQuiet }

    /// The longest request target that is shown, in bytes.
    private static let shownTargetBytes = 120

    /// Tells of a request that was refused.
    func refused(_ refusal: HandshakeRefusal, _ facts: OpeningFacts) {
        guard keepsLog else { return }
        console.notice(
            ConnectionLogLine(address: facts.address, request: refusal.request, acceptTime: facts.acceptTime).words(
                "Refused a request: \(refusal.status)", status: nil, now: loop.turnTime,
                receivedBytes: facts.receivedBytes, sentBytes: facts.sentBytes, reason: refusal.reason))
    }

    /// Tells of a request that asked for no WebSocket, and of its answer.
    func answered(_ served: ServedRequest) {
        guard keepsLog else { return }
        let isPage = served.request.method == "GET" || served.request.method == "HEAD"
        let method = isPage ? served.request.method : quoted(served.request.method)
        console.notice(
            ConnectionLogLine(address: served.address, request: served.request, acceptTime: served.acceptTime).words(
                "Answered \(method): \(served.status)", status: nil, now: served.endTime,
                receivedBytes: served.receivedBytes, sentBytes: served.sentBytes,
                reason: served.isComplete ? nil : "the client did not take everything"))
    }

    /// Tells of a client with whom there is no TLS.
    func failedToSecure(_ error: TLSError, _ facts: OpeningFacts) {
        guard keepsLog else { return }
        console.notice(
            ConnectionLogLine(address: facts.address, request: nil, acceptTime: facts.acceptTime).words(
                "Refused a client: TLS", status: nil, now: loop.turnTime, receivedBytes: facts.receivedBytes,
                sentBytes: facts.sentBytes, reason: "\(error)"))
    }

    /// Says once that clients have to wait.
    func reachedLimit(_ limit: Server<ListenClient>.Limit) {
        guard !hasReportedLimit else { return }
        hasReportedLimit = true
        switch limit {
        case .descriptors(let count):
            let clients = count == 1 ? "1 client fills" : "\(count) clients fill"
            let limit = settings.share == nil ? "the descriptor limit" : "a thread's part of the descriptor limit"
            console.error("\(clients) \(limit): further ones wait; ulimit -n raises it")
        case .connections(let count):
            let clients = Failure.number(count, "client")
            console.error("\(clients) at a time: further ones wait until one has left; --max-connections allows more")
        }
    }

    /// A client's connection is over.
    func ended(_ number: Int, _ end: ConnectionEnd, _ connection: Connection<ListenClient>) {
        server.remove(number)
        let cause = watch?.remove(number)
        logEnd(end, cause, of: connection)
        let failure = cause?.failure ?? failure(of: end)
        if let failure { writeEvent { $0.writeFailure(failure, client: number) } }
        writeEvent { $0.writeClose(end, client: number) }
        if settings.arguments.servesOnce { return endAfterOnlyClient(with: failure) }
        if stopIfOver() { return }
        slowReaders.clientDidDrain(number)
    }

    /// What a connection's end is a failure of: where there are many, that clients come and go is none of the server's.
    private func failure(of end: ConnectionEnd) -> Failure? {
        guard settings.arguments.servesOnce else { return end.violation.map { .violation($0) } }
        return Failure.failure(of: end, closeTimeout: settings.arguments.closeTimeout)
    }

    private func logEnd(_ end: ConnectionEnd, _ cause: LeavingCause?, of connection: Connection<ListenClient>) {
        guard let line = connection.handler.logLine else { return }
        let number = connection.handler.number
        let reason = end.reason.isEmpty ? "" : " \(quoted(end.reason))"
        let why = (cause?.words ?? end.violation.map { "\($0)" }).map { ", \($0)" } ?? ""
        let (sent, received) = (connection.sentTraffic, connection.receivedTraffic)
        console.notice(
            line.words(
                "Client \(number) disconnected: \(end.code.rawValue)\(reason)\(why)", status: 101,
                now: loop.turnTime, receivedBytes: received.wireBytes, sentBytes: sent.wireBytes))
        guard settings.arguments.verbosity > 0 else { return }
        let traffic = TrafficReport.words(sent: sent, received: received, showsWire: true)
        console.notice("Client \(number): \(traffic)")
    }
}

extension ListenRun: EndOfTurnWork {
    /// A client has come.
    func endTurn() {
        readOn()
    }
}
