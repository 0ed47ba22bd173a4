// Requests that go on to another server.
extension Server {
    /// How requests of a tunnel are admitted: not at all if its server cannot be reached.
    func admission(of intercepted: Intercepted?) -> Admission {
        guard let failure = intercepted?.failure, let forwarding else { return admission }
        return .immediate { forwarding.refusal(failure, $0.request) }
    }

    /// Passes a request on, or connects to the target of CONNECT.
    func take(
        _ request: RequestHead, _ firstBytes: [UInt8], of opening: ServerOpening, from peer: Peer,
        with forwarding: RequestForwarding
    ) {
        if let tunneling, request.method == "CONNECT" {
            return connect(request, firstBytes, of: opening, from: peer, by: tunneling, with: forwarding)
        }
        forward(
            request, firstBytes, on: opening.stream, opening.facts, with: forwarding, by: peer.intercepted?.prepared,
            refusing: peer.intercepted?.failure.map { forwarding.refusal($0, request) })
    }

    /// Passes a request on.
    /// - Parameter refusal: The response if that is impossible; nil otherwise.
    func forward(
        _ request: RequestHead, _ firstBytes: [UInt8], on stream: any ByteStream, _ facts: OpeningFacts,
        with forwarding: RequestForwarding, by prepared: PreparedConnection? = nil,
        refusing refusal: HandshakeRefusal? = nil
    ) {
        let exchange = ForwardedExchange(
            request, firstBytes, on: stream, facts: facts, forwarding, prepared: prepared, memory: resources.memory)
        others.forwardedExchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run(refusing: refusal) { [unowned self] served in
            remove(exchange)
            observer?(.served(served))
            if forwarding.reportsExchanges { observer?(.exchanged(served)) }
        }
    }

    /// Passes on the refusal of an upgrade by another server.
    func pass(
        _ response: Connector.UnreadResponse, to request: RequestHead, of opening: ServerOpening,
        with forwarding: RequestForwarding
    ) {
        let exchange = ForwardedExchange(
            request, [], on: opening.stream, facts: opening.facts, forwarding, memory: resources.memory)
        others.forwardedExchanges[ObjectIdentifier(exchange)] = exchange
        exchange.pass(response) { [unowned self] served in
            remove(exchange)
            var reason = served.reason ?? "The server answered \(response.head.status)."
            if !served.isComplete { reason += " The response was cut short." }
            let refusal = HandshakeRefusal(status: served.status, reason: reason, request: request)
            var facts = served.facts
            (facts.receivedBytes, facts.sentBytes) = (served.receivedBytes, served.sentBytes)
            observer?(.refused(refusal, facts))
            if forwarding.reportsExchanges { observer?(.exchanged(served)) }
        }
    }

    func report(_ refusal: HandshakeRefusal, _ facts: OpeningFacts) {
        observer?(.refused(refusal, facts))
        guard forwarding?.reportsExchanges == true, let request = refusal.request else { return }
        observer?(.exchanged(ServedRequest(refusal, of: request, facts, at: loop.turnTime)))
    }

    private func remove(_ exchange: ForwardedExchange) {
        others.forwardedExchanges[ObjectIdentifier(exchange)] = nil
        updateAccepting()
    }
}
