extension ResponseHead {
    /// Whether the response redirects the client to another URL.
    package var isRedirect: Bool {
        switch status {
        // RFC 9110 §15.4: the statuses with a Location to follow. 300 offers a choice, and 304 concerns caches.
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

/// Which redirects to follow, and whether secrets are sent along.
package struct RedirectPolicy: Equatable, Sendable {
    /// The maximum number of consecutive redirects, which also ends redirect loops; nil follows none.
    package var maximum: Int?
    /// Whether everything that the user gave is sent to other origins, too.
    package var isTrusted: Bool
    /// The names of secrets that would be sent once the connection is open. If there are any, redirects to other origins
    /// are errors.
    package var secretMessages: [String]

    /// Creates a policy. By default, no redirects are followed.
    package init(maximum: Int? = nil, isTrusted: Bool = false, secretMessages: [String] = []) {
        self.maximum = maximum
        self.isTrusted = isTrusted
        self.secretMessages = secretMessages
    }
}

/// A location that a message names, which is requested in place of the user's URL.
package struct ReceivedLocation: Equatable, Sendable {
    /// The location, which may be relative.
    package let text: String
    /// The URL of the connection with the message.
    let sender: WebSocketURL
    /// The options whose secrets the location contains.
    let secretSources: [String]

    /// Creates a location.
    package init(_ text: String, from sender: WebSocketURL, secretSources: [String]) {
        self.text = text
        self.sender = sender
        self.secretSources = secretSources
    }
}

extension ClientRequest {
    /// The request to make after a redirect (RFC 9110 §15.4, RFC 6455 §4.1), or `nil` if the response is not a
    /// redirect or redirects are not followed.
    ///
    /// ``redirected(to:keepsSecrets:)`` documents the fields that the new request keeps.
    /// - Parameter response: The response to this request.
    /// - Throws: ``RedirectError`` if the redirect must not be followed.
    package func redirected(
        by response: ResponseHead, _ policy: RedirectPolicy
    ) throws(RedirectError) -> ClientRequest? {
        guard response.isRedirect, policy.maximum != nil else { return nil }
        return try redirected(toLocation: try location(in: response), policy)
    }

    /// The request to make after a redirect to a location, which may be relative.
    /// - Throws: ``RedirectError`` if the redirect must not be followed.
    package func redirected(
        toLocation location: String, _ policy: RedirectPolicy
    ) throws(RedirectError) -> ClientRequest {
        let maximum = policy.maximum ?? 0
        guard redirectCount < maximum else { throw .tooMany(maximum: maximum) }
        let target = try target(at: location)
        try check(target, policy)
        return redirected(to: target, keepsSecrets: policy.isTrusted)
    }

    /// The request to make in place of this one, as if the sender of a location had redirected it. The user need not have
    /// allowed redirects, and it does not count as one.
    /// - Throws: ``RedirectError`` if the location must not be followed.
    package func following(_ location: ReceivedLocation, _ policy: RedirectPolicy) throws(RedirectError)
        -> ClientRequest
    {
        var policy = policy
        policy.secretMessages += location.secretSources
        let sender = redirected(to: location.sender, keepsSecrets: policy.isTrusted)
        let target = try sender.target(at: location.text)
        try check(target, policy)
        guard target.isSecure || !location.sender.isSecure else { throw .wouldDropEncryption(target) }
        return sender.addressed(to: target, keepsSecrets: policy.isTrusted, redirectCount: 0)
    }

    /// Checks that this request may be redirected to a URL.
    private func check(_ target: WebSocketURL, _ policy: RedirectPolicy) throws(RedirectError) {
        // RFC 6455 §10.6: a connection that began with TLS must not continue without it.
        guard target.isSecure || !url.isSecure else { throw .wouldDropEncryption(target) }
        guard policy.isTrusted || policy.secretMessages.isEmpty || target.mayReceiveSecrets(of: url) else {
            throw .wouldSendSecrets(target, of: policy.secretMessages)
        }
    }

    private func location(in response: ResponseHead) throws(RedirectError) -> String {
        let locations = response.fields.all(named: "Location")
        guard let location = locations.first, !location.isEmpty else {
            throw .missingLocation(status: response.status)
        }
        // RFC 9110 §10.2.2: Location is a single reference. Programs differ in which of several they use.
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            throw .severalLocations(locations)
        }
        return location
    }

    private func target(at location: String) throws(RedirectError) -> WebSocketURL {
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

    /// The redirect target on the same Unix domain socket. Its server knows itself only by the Host field.
    ///
    /// A user who gives the path of a socket does not expect network access.
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
