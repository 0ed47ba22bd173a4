/// How a server, as an HTTP proxy, takes part in tunnels.
/// - `layer`: TLS with the clients whose connections are intercepted, with certificates of an authority.
/// - `intercepts`: Whether the tunnel that a request asks for is intercepted.
/// - `settings`: How to connect to the target of a CONNECT request, with TLS.
package typealias Tunneling = (
    layer: TLSLayer, intercepts: (RequestHead) -> Bool,
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
        let settings: Connector.Settings
        do throws(HandshakeRefusal) {
            settings = try tunneling.settings(request, target)
        } catch {
            return forward(request, [], on: stream, facts, with: forwarding, refusing: error)
        }
        let tunnelOpening = TunnelOpening(
            request, on: stream, firstBytes: firstBytes, by: settings, forwarding.resources,
            watch: resources.deadPeerDetector
        ) { [unowned self] opening, outcome in
            others.tunnelOpenings[ObjectIdentifier(opening)] = nil
            defer { updateAccepting() }
            switch outcome {
            case .secured(let server):
                let intercepted = Intercepted(origin: .init(target: target, isSecure: true), server: server)
                secure(stream, opening.firstBytes, from: peer, facts, in: intercepted, by: tunneling.layer)
            case .plain:
                var peer = peer
                peer.intercepted = Intercepted(origin: .init(target: target, isSecure: false), server: nil)
                makeOpening(on: stream, from: peer, acceptsHTTP2: false).start(with: opening.firstBytes)
            case .connected(let server, let serverBytes):
                let answer = opening.hasAnswered ? [] : TunnelOpening.answer
                tunnel(request, between: stream, and: server, facts)
                    .start(answer: answer, clientBytes: opening.firstBytes, serverBytes: serverBytes)
            case .failed(let error) where !opening.hasAnswered:
                let refusal = forwarding.refusal(error, request)
                forward(request, [], on: stream, facts, with: forwarding, refusing: refusal)
            case .failed(let error):
                stream.abort()
                report(forwarding.refusal(error, request), facts)
            case .abandoned(let refusal):
                stream.close()
                if let refusal { report(refusal, facts) }
            }
        }
        others.tunnelOpenings[ObjectIdentifier(tunnelOpening)] = tunnelOpening
        tunnelOpening.start(examiningWithin: tunneling.intercepts(request) ? self.settings.handshakeTimeout : nil)
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
    private func tunnel(
        _ request: RequestHead, between client: any ByteStream, and server: any ByteStream, _ facts: OpeningFacts
    ) -> Tunnel {
        let identifier = ObjectIdentifier(client)
        let tunnel = Tunnel(request, between: client, and: server, facts: facts, memory: resources.memory) {
            [unowned self] served in
            others.tunnels[identifier] = nil
            updateAccepting()
            observer?(.served(served))
        }
        others.tunnels[identifier] = tunnel
        return tunnel
    }

    /// Ends all tunnels.
    package func endTunnels() {
        for tunnel in others.tunnels.values { tunnel.end(because: "the proxy has ended") }
    }
}
