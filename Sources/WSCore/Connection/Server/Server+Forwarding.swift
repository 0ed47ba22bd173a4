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
        if let failure = peer.intercepted?.failure {
            return refuse(forwarding.refusal(failure, request), request, on: opening.stream, opening.facts)
        }
        let exchange = ForwardedExchange(
            request, firstBytes, on: opening.stream, facts: opening.facts, forwarding,
            prepared: peer.intercepted?.prepared, memory: resources.memory)
        others.forwardedExchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run { [unowned self] served in
            remove(exchange)
            observer?(.served(served))
            if let exchange = served.exchange { observer?(.exchanged(exchange)) }
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
            observer?(.refused(refusal, OpeningFacts(of: served)))
            if let exchange = served.exchange { observer?(.exchanged(exchange)) }
        }
    }

    private func remove(_ exchange: ForwardedExchange) {
        others.forwardedExchanges[ObjectIdentifier(exchange)] = nil
        updateAccepting()
    }
}
