// TLS with the server, and the upgrade.
extension Connector {
    internal func secure(with firstBytes: [UInt8] = []) {
        guard request.url.isSecure, !settings.isTunnel, let stream else { return upgrade(with: firstBytes) }
        enter(.securing)
        let secured = resources.secure(
            stream, name: serverName, sessionKey: request.url.hostField,
            isOther: !isNamedByUser && !settings.redirects.isTrusted, version: request.version
        ) { [self] result in
            switch result {
            case .failure(.protection(let error as TLSError)): finish(.failure(.security(error)))
            case .failure(let error): finish(.failure(.lost(error, .securing)))
            case .success(let summary):
                didStep?(.secured(summary, with: nil))
                upgrade(over: self.stream as? TLSStream, tls: summary)
            }
        }
        stage = .connected(secured)
        secured.start(with: firstBytes)
    }

    /// Whether this is the server the user named, rather than another that it redirected to.
    ///
    /// Only that server receives our certificate and must match the expected name. A redirect from `ws` to `wss` on the
    /// same host still counts.
    private var isNamedByUser: Bool {
        guard settings.isServerOfUser else { return false }
        let named = settings.request.url
        if request.url.isSameOrigin(as: named) { return true }
        guard case .tcp(let host, _) = request.url.endpoint, case .tcp(let namedHost, _) = named.endpoint else {
            return false
        }
        return !named.isSecure && host == namedHost
    }

    private var serverName: TLSServerName {
        if let name = settings.serverName, isNamedByUser {
            return TLSServerName(host: (try? HostAndPort(parsing: name))?.host ?? name)
        }
        guard case .tcp(let host, _) = request.url.endpoint else { return .name("localhost") }
        return TLSServerName(host: host)
    }

    /// Opens a stream of a connection that others use, too.
    internal func upgrade(on shared: HTTP2Pool.Shared) {
        peer = shared.peer
        upgrade(on: shared.connection, tls: shared.tls, isShared: true)
    }

    private func upgrade(
        on connection: HTTP2Connection, over secured: TLSStream? = nil, tls: TLSSummary?, isShared: Bool
    ) {
        enter(.upgrading)
        prepareRequest()
        let opening = HTTP2Opening(request, on: connection, followsRedirects: settings.redirects.maximum != nil) {
            [self] in answered($0, tls, isShared: isShared)
        }
        stage = .upgrading(opening, over: secured)
        opening.didSend = { [unowned self, request] in didStep?(.sent { request.shownHTTP2Head }) }
        opening.start()
    }

    private func prepareRequest() {
        let now = WallTime.now.seconds
        request = request.withCookies(from: resources.cookies, at: now).signed(at: now)
    }

    internal func upgrade(with firstBytes: [UInt8] = [], over secured: TLSStream? = nil, tls: TLSSummary? = nil) {
        guard let stream else { return }
        if let didConnect {
            // The caller takes over the stream.
            stage = .idle
            cancel()
            return didConnect(stream, firstBytes)
        }
        switch request.version {
        case .http1:
            enter(.upgrading)
            prepareRequest()
            let handshake = ClientHandshake(
                request: request, nonce: SecureRandom.bytes(16), omitsBody: didRefuse != nil)
            let followsRedirects = settings.redirects.maximum != nil
            let opening = ClientOpening(handshake, on: stream, followsRedirects: followsRedirects) { [self] in
                answered($0, tls)
            }
            stage = .upgrading(opening, over: secured)
            didStep?(.sent { handshake.shownRequest })
            opening.start(with: firstBytes)
        case .http2:
            let connection = HTTP2Connection(stream)
            upgrade(on: connection, over: secured, tls: tls, isShared: false)
            // The server's settings say how many streams there may be.
            connection.whenReady { [weak self] in self?.share(connection, tls) }
            connection.start(with: firstBytes)
        }
    }

    private func share(_ connection: HTTP2Connection, _ tls: TLSSummary?) {
        poolEntry?.add(HTTP2Pool.Shared(connection: connection, peer: peer ?? "", tls: tls))
        poolEntry = nil
    }

    private func answered(
        _ result: Result<ClientOpening.Opened, ConnectError>, _ tls: TLSSummary?, isShared: Bool = false
    ) {
        switch result {
        case .failure(.lost(.protection(let error as TLSError), _)): finish(.failure(.security(error)))
        case .failure(.handshake(.http2(let error))) where isShared && error.allowsRepetition:
            replaceStage(with: .idle)
            connectAlone()
        case .failure(.handshake(.refused(let head, let body, let isTruncated))):
            if case .negotiation(let upgrade) = request.purpose, 200...299 ~= head.status {
                return negotiated(upgrade, head, body)
            }
            refused(.refused(head, body: body, bodyIsTruncated: isTruncated), head)
        case .failure(let error): finish(.failure(error))
        case .success(let opened): upgraded(opened, tls, isShared: isShared)
        }
    }

    /// Answers a challenge, or follows a redirect if allowed; otherwise reports the refusal.
    private func refused(_ error: HandshakeError, _ head: ResponseHead) {
        resources.storeCookies(of: head, from: request.url)
        if let next = request.answering(head, random: SecureRandom.bytes(16)) {
            didStep?(.received(head))
            return restart(loggingInAt: nil, with: next.login?.authorization) { [self] in
                request = next
                connect()
            }
        }
        do throws(RedirectError) {
            guard let next = try request.redirected(by: head, settings.redirects) else {
                return refusedFinally(error, head)
            }
            didStep?(.received(head))
            if !isOver { didStep?(.redirected(request, to: next)) }
            guard !isOver else { return }
            replaceStage(with: .idle)
            request = next
            connect()
        } catch {
            finish(.failure(.redirect(error)))
        }
    }

    private func refusedFinally(_ error: HandshakeError, _ head: ResponseHead) {
        let failure = failure(for: error)
        guard let didRefuse, case .upgrading(let opening as ClientOpening, _) = stage else {
            return finish(.failure(failure))
        }
        if case .security = failure { return finish(.failure(failure)) }
        // The caller takes over the stream.
        stage = .idle
        cancel()
        didRefuse(UnreadResponse(head: head, stream: opening.stream, firstBytes: opening.firstBytesOfBody))
    }

    /// Continues as the response to a negotiation says, on a new stream.
    private func negotiated(_ upgrade: ClientRequest, _ head: ResponseHead, _ body: [UInt8]) {
        resources.storeCookies(of: head, from: request.url)
        guard let negotiation = settings.negotiation else { return }
        let next: Negotiation.Next
        do throws(ConnectError) {
            next = try negotiation.next(body.span.bytes, upgrade, settings.redirects)
        } catch {
            return finish(.failure(error))
        }
        didStep?(.received(head))
        if case .negotiate(let next) = next, !isOver { didStep?(.redirected(upgrade, to: next)) }
        guard !isOver else { return }
        replaceStage(with: .idle)
        switch next {
        case .upgrade(let upgrade): request = upgrade
        case .negotiate(let upgrade): negotiate(before: upgrade)
        }
        connect()
    }

    private func upgraded(_ opened: ClientOpening.Opened, _ tls: TLSSummary?, isShared: Bool) {
        resources.storeCookies(of: opened.upgrade.response, from: request.url)
        do throws(DeflateNegotiationError) {
            let deflate = try DeflateAnswer.parameters(in: opened.upgrade.extensions, to: request.extensionOffers)
            didStep?(.received(opened.upgrade.response))
            guard !isOver else { return }
            // The caller takes over the stream.
            stage = .idle
            endPhase()
            finish(
                .success(
                    Opened(
                        stream: opened.stream, request: request, upgrade: opened.upgrade, tls: tls, deflate: deflate,
                        firstBytes: opened.firstBytes, peer: peer ?? "", isShared: isShared,
                        duration: phaseDurations.total, phaseDurations: phaseDurations)))
        } catch {
            finish(.failure(.compression(error)))
        }
    }
}
