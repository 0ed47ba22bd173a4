import WSCore

// Clients that come and go.
extension ListenRun {
    /// Makes the handler of a client whose request is accepted, and tells of it.
    func opened(_ client: Server<ListenClient>.Client) -> ListenClient {
        log.opened(client)
        let request = client.upgrade.request
        // A target in absolute form has an authority of its own, which is not where we listen.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
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

    /// A client's connection is over.
    func ended(_ number: Int, _ end: ConnectionEnd, _ connection: Connection<ListenClient>) {
        server.remove(number)
        let cause = watch?.remove(number)
        log.ended(end, cause, of: connection)
        let failure = cause?.failure ?? failure(of: end)
        if let failure { writeEvent { $0.writeFailure(failure, client: number) } }
        writeEvent { $0.writeClose(end, client: number) }
        if settings.arguments.servesOnce { return endAfterOnlyClient(with: failure) }
        if stopIfOver() { return }
        slowReaders.clientDidDrain(number)
    }

    /// What a connection's end is a failure of: where there are many, that clients come and go is none of the server's.
    private func failure(of end: ConnectionEnd) -> Failure? {
        guard settings.arguments.servesOnce else { return end.violation.map { .failure(of: $0) } }
        return Failure.failure(of: end, closeTimeout: settings.arguments.closeTimeout)
    }
}

extension ListenRun: EndOfTurnWork {
    /// A client has come.
    func endTurn() {
        readOn()
    }
}
