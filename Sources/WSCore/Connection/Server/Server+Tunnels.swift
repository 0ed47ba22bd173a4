/// How a server, as an HTTP proxy, takes part in tunnels.
/// - `layer`: TLS with the clients whose connections are intercepted, with certificates of an authority.
/// - `intercepts`: Whether connections to a target are intercepted.
/// - `settings`: How to connect to the target of a CONNECT request, with TLS.
package typealias Tunneling = (
    layer: TLSLayer, intercepts: (ProxyTarget) -> Bool,
    settings: (RequestHead, ProxyTarget) throws(HandshakeRefusal) -> Connector.Settings
)

// Requests for tunnels.
extension Server {
    /// Connects a client to the target of a CONNECT request.
    func connect(
        _ request: RequestHead, _ firstBytes: [UInt8], of opening: ServerOpening, from peer: Peer,
        by tunneling: Tunneling, with forwarding: RequestForwarding
    ) {
        let (stream, facts) = (opening.stream, opening.facts)
        guard let target = ProxyTarget(connecting: request.target) else { return stream.close() }
        do throws(HandshakeRefusal) {
            let settings = try tunneling.settings(request, target)
            guard tunneling.intercepts(target) else {
                return tunnel(
                    request, firstBytes, by: settings, on: stream, facts, answer: Interception.answer, with: forwarding)
            }
            let interception = Interception(stream, firstBytes: firstBytes, by: settings, forwarding.resources)
            let identifier = ObjectIdentifier(interception)
            others.interceptions[identifier] = interception
            interception.start(timeout: self.settings.handshakeTimeout) { [unowned self] outcome, firstBytes in
                others.interceptions[identifier] = nil
                defer { updateAccepting() }
                switch outcome {
                case .secured(let server):
                    let intercepted = Intercepted(origin: .init(target: target, isSecure: true), server: server)
                    secure(stream, firstBytes, from: peer, facts, in: intercepted, by: tunneling.layer)
                case .plain:
                    var peer = peer
                    peer.intercepted = Intercepted(origin: .init(target: target, isSecure: false), server: nil)
                    makeOpening(on: stream, from: peer, acceptsHTTP2: false).start(with: firstBytes)
                case .foreign:
                    tunnel(request, firstBytes, by: settings, on: stream, facts, answer: [], with: forwarding)
                case .abandoned(let reason):
                    stream.close()
                    guard let reason else { return }
                    report(HandshakeRefusal(status: 408, reason: reason, request: request), facts)
                }
            }
        } catch {
            forward(request, [], on: stream, facts, with: forwarding, refusing: error)
        }
    }

    /// Starts TLS with a client, which takes us for the server.
    private func secure(
        _ stream: any ByteStream, _ firstBytes: [UInt8], from peer: Peer, _ facts: OpeningFacts,
        in intercepted: Intercepted, by layer: TLSLayer
    ) {
        let target = intercepted.origin.target
        let session: TLSSession
        do throws(TLSConfigurationError) {
            session = try TLSSession(server: layer.context, host: target.host, nowSeconds: WallTime.now.seconds)
        } catch {
            stream.abort()
            observer?(.failedToSecure(.failed(reason: "\(error)"), facts, intercepted: target))
            return
        }
        let secured = TLSStream(stream, session: session, layer: layer)
        let peer = Peer(
            address: peer.address, tls: secured, endpointIndex: peer.endpointIndex, intercepted: intercepted)
        makeOpening(on: secured, from: peer, acceptsHTTP2: false).start()
        secured.start(with: firstBytes)
    }

    /// Passes what follows between the client and the target untouched.
    /// - Parameter answer: The response to the client; empty if it has been sent.
    private func tunnel(
        _ request: RequestHead, _ firstBytes: [UInt8], by settings: Connector.Settings, on client: any ByteStream,
        _ facts: OpeningFacts, answer: [UInt8], with forwarding: RequestForwarding
    ) {
        var settings = settings
        settings.isTunnel = true
        let identifier = ObjectIdentifier(client)
        let connector = Connector(settings, resources: forwarding.resources, on: loop) { [unowned self] result in
            others.tunnelConnectors[identifier] = nil
            guard case .failure(let error) = result else { return }
            let refusal = forwarding.refusal(error, request)
            if !answer.isEmpty { return forward(request, [], on: client, facts, with: forwarding, refusing: refusal) }
            client.abort()
            updateAccepting()
            report(refusal, facts)
        }
        others.tunnelConnectors[identifier] = connector
        connector.didConnect = { [unowned self] server, serverBytes in
            others.tunnelConnectors[identifier] = nil
            let tunnel = Tunnel(request, between: client, and: server, facts: facts, memory: resources.memory) {
                [unowned self] served in
                others.tunnels[identifier] = nil
                updateAccepting()
                observer?(.served(served))
            }
            others.tunnels[identifier] = tunnel
            tunnel.start(answer: answer, clientBytes: firstBytes, serverBytes: serverBytes)
        }
        updateAccepting()
        connector.start()
    }

    /// Ends all tunnels.
    package func endTunnels() {
        for tunnel in others.tunnels.values { tunnel.end(because: "the proxy has ended") }
    }
}
