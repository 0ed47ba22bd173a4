extension ResponseHead {
    /// Whether the response asks for a request to another URL.
    public var isRedirect: Bool {
        switch status {
        // RFC 9110 §15.4: those with a Location to be followed. 300 offers a choice, 304 is about caches.
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

extension ClientRequest {
    /// The request that a response redirects this one to (RFC 9110 §15.4, RFC 6455 §4.1), or nil if it is no redirect.
    ///
    /// Throws ``RedirectError``. What goes along is told at ``redirected(to:)``. `maximumRedirects` bounds how many may
    /// follow one another, and with them a redirect that leads back to itself.
    public func redirected(
        by response: ResponseHead, maximumRedirects: Int
    ) throws(RedirectError) -> ClientRequest? {
        guard response.isRedirect else { return nil }
        guard redirectCount < maximumRedirects else { throw .tooMany(maximum: maximumRedirects) }
        let target = try target(of: response)
        // RFC 6455 §10.6: what began with TLS is not to go on without it.
        guard target.isSecure || !url.isSecure else { throw .wouldDropEncryption(target) }
        return redirected(to: target)
    }

    private func target(of response: ResponseHead) throws(RedirectError) -> WebSocketURL {
        let locations = response.fields.all(named: "Location")
        guard let location = locations.first, !location.isEmpty else {
            throw .missingLocation(status: response.status)
        }
        // RFC 9110 §10.2.2: a single reference. Programs differ in which one they take.
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            throw .severalLocations(locations)
        }
        let target: WebSocketURL
        do throws(URLError) {
            target = try url.resolving(location: location)
        } catch .forbiddenRedirect(let scheme) {
            throw .forbiddenScheme(scheme)
        } catch {
            throw .invalidLocation(location, error)
        }
        if case .tcp = url.endpoint { return target }
        return try targetOnSameSocket(target)
    }

    /// The target as the server behind a Unix socket means it, which knows itself by the Host field alone.
    ///
    /// Somebody who gave the path of a socket does not expect the network to be asked.
    private func targetOnSameSocket(_ target: WebSocketURL) throws(RedirectError) -> WebSocketURL {
        if target.isSameOrigin(as: url) { return target }
        let host = fields.first(named: "Host") ?? ""
        guard !target.isSecure, ASCII.areEqualIgnoringCase(target.hostField, host) else {
            throw .leavesSocket(target)
        }
        return WebSocketURL(
            isSecure: url.isSecure, endpoint: url.endpoint, requestTarget: target.requestTarget,
            userInfo: target.userInfo)
    }
}
