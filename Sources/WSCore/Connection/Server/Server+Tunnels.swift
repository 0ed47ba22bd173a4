/// How a server, as an HTTP proxy, takes part in tunnels.
package struct Tunneling {
    /// Whether connections to a target are intercepted.
    let intercepts: (ProxyTarget) -> Bool
    /// How to connect to the target of a CONNECT request, with TLS.
    let settings: (RequestHead, ProxyTarget) throws(HandshakeRefusal) -> Connector.Settings
    /// TLS with the clients whose connections are intercepted, with certificates of an authority.
    let layer: TLSLayer

    /// Creates the settings of tunnels.
    package init(
        layer: TLSLayer, intercepts: @escaping (ProxyTarget) -> Bool,
        settings: @escaping (RequestHead, ProxyTarget) throws(HandshakeRefusal) -> Connector.Settings
    ) {
        self.layer = layer
        self.intercepts = intercepts
        self.settings = settings
    }
}

// Requests for tunnels.
extension Server {
    /// Connects a client to the target of a CONNECT request.
    func connect(
        _ request: RequestHead, _ firstBytes: [UInt8], of opening: ServerOpening, from peer: Peer,
        by tunneling: Tunneling, with forwarding: RequestForwarding
    ) {
        guard let target = ProxyTarget(connecting: request.target) else { return opening.stream.close() }
        var settings: Connector.Settings
        do throws(HandshakeRefusal) {
            settings = try tunneling.settings(request, target)
        } catch {
            return refuse(error, request, on: opening.stream, opening.facts)
        }
        if tunneling.intercepts(target) {
            return intercept(
                request, firstBytes, to: target, by: settings, of: opening, from: peer, with: forwarding,
                layer: tunneling.layer)
        }
        tunnel(
            request, firstBytes, by: settings, on: opening.stream, opening.facts, answer: Interception.answer,
            with: forwarding)
    }

    private func intercept(
        _ request: RequestHead, _ firstBytes: [UInt8], to target: ProxyTarget, by settings: Connector.Settings,
        of opening: ServerOpening, from peer: Peer, with forwarding: RequestForwarding, layer: TLSLayer
    ) {
        let (stream, facts) = (opening.stream, opening.facts)
        let interception = Interception(stream, firstBytes: firstBytes) { [loop] failed in
            Connector(settings, resources: forwarding.resources, on: loop) { result in
                if case .failure(let error) = result { failed(error) }
            }
        }
        let identifier = ObjectIdentifier(interception)
        others.interceptions[identifier] = interception
        interception.start(timeout: self.settings.handshakeTimeout) { [unowned self, unowned interception] outcome in
            let firstBytes = interception.firstBytes
            others.interceptions[identifier] = nil
            defer { updateAccepting() }
            switch outcome {
            case .secured(let server):
                let intercepted = Intercepted(origin: .init(target: target, isSecure: true), server: server)
                secure(stream, firstBytes, from: peer, in: intercepted, layer: layer)
            case .plain:
                var peer = peer
                peer.intercepted = Intercepted(origin: .init(target: target, isSecure: false), server: nil)
                makeOpening(on: stream, from: peer, acceptsHTTP2: false).start(with: firstBytes)
            case .foreign:
                tunnel(request, firstBytes, by: settings, on: stream, facts, answer: [], with: forwarding)
            case .abandoned(let reason):
                stream.close()
                guard let reason else { return }
                observer?(.refused(HandshakeRefusal(status: 408, reason: reason, request: request), facts))
            }
        }
    }

    /// Starts TLS with a client, which takes us for the server.
    private func secure(
        _ stream: any ByteStream, _ firstBytes: [UInt8], from peer: Peer, in intercepted: Intercepted, layer: TLSLayer
    ) {
        let target = intercepted.origin.target
        do throws(TLSConfigurationError) {
            let session = try TLSSession(
                server: layer.context, host: target.host, nowSeconds: WallTime.now.seconds)
            let secured = TLSStream(stream, session: session, layer: layer)
            let peer = Peer(
                address: peer.address, tls: secured, endpointIndex: peer.endpointIndex, intercepted: intercepted)
            makeOpening(on: secured, from: peer, acceptsHTTP2: false).start()
            secured.start(with: firstBytes)
        } catch {
            let facts = OpeningFacts(
                address: peer.address, acceptTime: loop.turnTime, receivedBytes: firstBytes.count, sentBytes: 0)
            stream.close()
            observer?(.failedToIntercept(target, .failed(reason: "\(error)"), facts))
        }
    }

    /// Passes what follows between the client and the target untouched.
    /// - Parameter answer: The response to the client; empty if it has been sent.
    private func tunnel(
        _ request: RequestHead, _ firstBytes: [UInt8], by settings: Connector.Settings, on client: any ByteStream,
        _ facts: OpeningFacts, answer: [UInt8], with forwarding: RequestForwarding
    ) {
        var settings = settings
        settings.isTunnel = true
        var key: ObjectIdentifier?
        let connector = Connector(settings, resources: forwarding.resources, on: loop) { [unowned self] result in
            if let key { others.tunnelConnectors[key] = nil }
            guard case .failure(let error) = result else { return }
            let refusal = forwarding.refusal(error, request)
            guard answer.isEmpty else { return refuse(refusal, request, on: client, facts) }
            client.abort()
            updateAccepting()
            observer?(.refused(refusal, facts))
        }
        let identifier = ObjectIdentifier(connector)
        key = identifier
        others.tunnelConnectors[identifier] = (connector, client)
        connector.didConnect = { [unowned self] server, serverBytes in
            others.tunnelConnectors[identifier] = nil
            let tunnel = Tunnel(request, between: client, and: server, facts: facts, memory: resources.memory) {
                [unowned self] ended in
                others.tunnels[ObjectIdentifier(client)] = nil
                updateAccepting()
                observer?(.tunneled(ended))
            }
            others.tunnels[ObjectIdentifier(client)] = tunnel
            tunnel.start(answer: answer, clientBytes: firstBytes, serverBytes: serverBytes)
        }
        updateAccepting()
        connector.start()
    }

    /// Answers in place of a server that cannot be asked.
    func refuse(
        _ refusal: HandshakeRefusal, _ request: RequestHead, on stream: any ByteStream, _ facts: OpeningFacts
    ) {
        var response = WebResponse(refusal)
        response.complete(with: [])
        let exchange = WebExchange(request, response, on: stream, facts: facts)
        others.exchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run(timeout: settings.responseTimeout, memory: resources.memory) { [unowned self] exchange, served in
            others.exchanges[ObjectIdentifier(exchange)] = nil
            updateAccepting()
            observer?(.refused(refusal, OpeningFacts(of: served)))
        }
    }

    /// Ends all tunnels.
    package func endTunnels() {
        for tunnel in others.tunnels.values { tunnel.end(because: "the proxy has ended") }
    }
}
