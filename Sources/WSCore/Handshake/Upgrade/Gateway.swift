/// Maps the heads of requests and responses between a gateway's clients and its server (RFC 9110 §3.7, §7.6): what names
/// the gateway to clients names the server to the server. Clients of a proxy name the server themselves.
package struct Gateway: Sendable {
    /// The server's origin, as in `https://example.com`; nil for a proxy.
    private let serverOrigin: String?
    /// The server's host and port.
    private let serverHost: HostAndPort?
    /// Whether clients use TLS.
    private let isSecure: Bool
    /// The name that finds loops.
    private let identifier: String
    /// The servers that get a login that the senders of requests do not have.
    private let login: LoginScope
    /// The name in Via; nil for no such field.
    private let name: String?

    /// Creates a gateway.
    /// - Parameters:
    ///   - server: The URL of the server, and the Host field of requests to it; nil for a proxy.
    ///   - isSecure: Whether clients use TLS.
    ///   - identifier: A token that no other gateway has (RFC 8586 §2: cdn-id).
    ///   - login: The servers that get a login that the senders of requests do not have. Default: none.
    ///   - name: The name in Via (RFC 9110 §7.6.3): a pseudonym, or a host and port. Default: no such field.
    package init(
        to server: (url: WebSocketURL, host: String)?, isSecure: Bool, identifier: String, login: LoginScope = .none,
        name: String? = nil
    ) {
        self.name = name
        self.identifier = identifier
        self.login = login
        serverOrigin = server.map { $0.url.origin(host: $0.host) }
        serverHost = server.flatMap { try? HostAndPort(parsing: $0.host) }
        self.isSecure = isSecure
    }

    /// The Host field of a request for the server; nil for that of the server's URL.
    package func host(of request: RequestHead) -> String? {
        serverOrigin == nil ? request.fields.first(named: "Host") : nil
    }

    /// Whether a text can be the name in Via: a pseudonym, or a host and port (RFC 9110 §7.6.3).
    package static func isName(_ text: String) -> Bool {
        let isHost = ASCII.allSatisfy(text) { ASCII.isLetter($0) || ASCII.isDigit($0) || ".:-_[]".utf8.contains($0) }
        return text.utf8.count <= 255
            && (ASCII.isToken(text) || isHost && (try? HostAndPort(parsing: text)) != nil)
    }

    /// The fields of a client's request for the server: without those of the connection and of the opening handshake,
    /// with the server's origin in place of the gateway's, and with the gateway's name in CDN-Loop.
    package func fields(of request: RequestHead) -> [HeaderField] {
        let clientOrigin = origin(of: request)
        // RFC 8586 §2: each hop adds its name, even if the client's Connection names the field.
        let hops =
            [Self.field(Self.loopFieldName, of: request.fields, with: identifier)]
            + via(request.fields, request.version == .http2 ? "2" : "1.\(request.minorVersion)")
        return Self.endToEndFields(request.fields).compactMap { field in
            guard !hops.contains(where: { $0.isNamed(field.name) }), !Self.requestFields.contains(where: field.isNamed)
            else { return nil }
            guard field.isNamed("Origin") || field.isNamed("Referer"), let clientOrigin, let serverOrigin else {
                return field
            }
            return Self.replacing(clientOrigin, with: serverOrigin, in: field)
        } + hops
    }

    /// The field Via of a message that arrived in a version of HTTP (RFC 9110 §7.6.3).
    private func via(_ fields: HTTPFields, _ version: String) -> [HeaderField] {
        name.map { [Self.field("Via", of: fields, with: "\(version) \($0)")] } ?? []
    }

    /// A list to which a hop adds an element, as one field.
    private static func field(_ name: String, of fields: HTTPFields, with element: String) -> HeaderField {
        let elements = fields.all(named: name).filter { !$0.isEmpty } + [element]
        return HeaderField(wellFormedName: name, value: elements.joined(separator: ", "))
    }

    /// The trailers of a message for its receiver: without fields that must be known before the content (RFC 9110 §6.5.1).
    static func trailers(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(
            fields.filter { field in
                let name = ASCII.lowercased(field.name)
                return !["content-", "if-", "proxy-", "sec-"].contains(where: name.hasPrefix)
                    && !(connectionFields + headOnlyFields).contains(where: field.isNamed)
            })
    }

    /// Whether a request has passed this gateway before (RFC 8586 §2).
    package func hasForwarded(_ request: RequestHead) -> Bool {
        request.fields.elements(named: Self.loopFieldName).contains { element in
            ASCII.trimmed(Substring(element.prefix { $0 != ";" })) == identifier
        }
    }

    /// The fields of the opening handshake in a request that is no upgrade for the gateway. They pass unchanged.
    package func handshakeFields(of request: RequestHead) -> [HeaderField] {
        request.fields.filter { Self.handshakeFieldNames.contains(where: $0.isNamed) }
    }

    /// The fields of the server's response to a request for its sender: without those of the connection, and with the
    /// gateway's origin in place of the server's.
    package func fields(of response: ResponseHead, to request: RequestHead) -> [HeaderField] {
        var ownFields = via(response.fields, response.version == .http2 ? "2" : "1.\(response.minorVersion)")
        // A page of another site may otherwise embed what the login gives access to.
        if login.includes(request.targetURL), response.status >= 200,
            !response.fields.contains(named: Self.resourcePolicyName)
        {
            ownFields.append(HeaderField(wellFormedName: Self.resourcePolicyName, value: "same-site"))
        }
        return Self.endToEndFields(response.fields).compactMap { field in
            // They would concern all servers on the gateway's host, or lead past the gateway.
            if field.isNamed("Alt-Svc") || Self.upgradeFields.contains(where: field.isNamed) { return nil }
            if name != nil, field.isNamed("Via") { return nil }
            guard let serverOrigin else { return field }
            if field.isNamed("Strict-Transport-Security") { return nil }
            if field.isNamed("Set-Cookie") { return mapped(cookie: field, for: request) }
            if field.isNamed("Location") || field.isNamed("Content-Location") {
                return mapped(location: field, for: request)
            }
            if field.isNamed("Access-Control-Allow-Origin"), let clientOrigin = origin(of: request) {
                return Self.replacing(serverOrigin, with: clientOrigin, in: field)
            }
            return field
        } + ownFields
    }

    /// The gateway's origin, as the sender of a request knows it.
    private func origin(of request: RequestHead) -> String? {
        request.hostAsSent.map { (isSecure ? "https://" : "http://") + $0 }
    }

    /// A URL on the server, under whatever scheme, becomes one on the gateway.
    private func mapped(location field: HeaderField, for request: RequestHead) -> HeaderField {
        guard let clientOrigin = origin(of: request), let serverHost else { return field }
        let scheme = URLForm.scheme(of: field.value)
        let rest = scheme.map { field.value.utf8.dropFirst($0.utf8.count + 1) } ?? field.value.utf8[...]
        guard scheme.map({ URLForm.webSchemes[$0] != nil }) ?? true, rest.starts(with: "//".utf8) else { return field }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        guard let host = try? HostAndPort(parsing: Substring(authority)), host.host == serverHost.host,
            port(host, of: scheme) == port(serverHost, of: nil)
        else { return field }
        return HeaderField(
            wellFormedName: field.name, value: clientOrigin + String(Substring(rest[authority.endIndex...])))
    }

    /// - Parameter scheme: Nil for that of the server.
    private func port(_ host: HostAndPort, of scheme: String?) -> UInt16 {
        let isSecure =
            scheme.flatMap { URLForm.webSchemes[$0] } ?? serverOrigin?.utf8.starts(with: "https:".utf8) ?? false
        return host.port ?? WebSocketURL.defaultPort(isSecure: isSecure)
    }

    /// Without a Domain attribute that includes the server, since the gateway has another name. Without TLS, also without
    /// Secure, and without SameSite=None, which requires it, unless browsers demand and accept Secure.
    private func mapped(cookie field: HeaderField, for request: RequestHead) -> HeaderField {
        let keepsSecure = isSecure || (Self.hasSecurePrefix(field) && isLoopback(request))
        let attributes = field.value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let kept = attributes.enumerated().filter { index, attribute in
            guard index > 0 else { return true }
            let text = ASCII.lowercased(ASCII.trimmed(Substring(attribute)))
            if text.utf8.starts(with: "domain=".utf8) { return !isOfServer(domain: String(text.dropFirst(7))) }
            return keepsSecure || (text != "secure" && text != "samesite=none")
        }
        return HeaderField(
            wellFormedName: field.name, value: kept.map { String(Substring($0.element)) }.joined(separator: ";"))
    }

    /// draft-ietf-httpbis-rfc6265bis §5.4: browsers ignore cookies with these prefixes, in any case, that lack Secure.
    private static func hasSecurePrefix(_ cookie: HeaderField) -> Bool {
        let name = ASCII.lowercased(cookie.value.prefix(9))
        return name.hasPrefix("__secure-") || name.hasPrefix("__host-")
    }

    /// Whether browsers trust the host as they trust TLS, and accept cookies with Secure from it (Secure Contexts §3.1).
    private func isLoopback(_ request: RequestHead) -> Bool {
        guard let text = request.hostAsSent, let host = try? HostAndPort(parsing: text) else { return false }
        return HostAndPort.isLoopback(host.host)
    }

    /// RFC 6265 §5.1.3: a domain matches its own name and all names below it. A leading dot is ignored.
    private func isOfServer(domain: String) -> Bool {
        let domain = domain.first == "." ? String(domain.dropFirst()) : domain
        guard let host = serverHost?.host else { return false }
        return host == domain || host.hasSuffix("." + domain)
    }

    private static func replacing(_ origin: String, with other: String, in field: HeaderField) -> HeaderField {
        let value = field.value
        let start = String(value.prefix(origin.count))
        let rest = value.dropFirst(origin.count)
        guard ASCII.areEqualIgnoringCase(start, origin), rest.isEmpty || "/?#".contains(rest.first ?? "/") else {
            return field
        }
        return HeaderField(wellFormedName: field.name, value: other + rest)
    }

    /// RFC 9110 §7.6.1: the fields that Connection names, and others that concern a single connection. The framing of
    /// the body is stated anew.
    private static func endToEndFields(_ fields: HTTPFields) -> [HeaderField] {
        let named = fields.tokens(named: "Connection")
        return fields.filter { field in
            !named.contains(ASCII.lowercased(field.name)) && !connectionFields.contains(where: field.isNamed)
        }
    }

    /// Fields for routing, framing, authentication, conditions, and caches.
    private static let headOnlyFields = [
        "Age", "Authorization", "Cache-Control", "CDN-Loop", "Cookie", "Expect", "Expires", "Host", "Location",
        "Max-Forwards", "Pragma", "Range", "Retry-After", "Set-Cookie", "Vary", "Via", "WWW-Authenticate",
    ]
    private static let connectionFields = [
        "Connection", "Proxy-Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
        "Content-Length", "Proxy-Authorization", "Proxy-Authenticate",
    ]
    /// The fields that the opening handshake sets on each side.
    private static let upgradeFields = [
        "Sec-WebSocket-Accept", ClientRequest.subprotocolFieldName, ExtensionHeader.fieldName,
    ]
    private static let handshakeFieldNames = ["Sec-WebSocket-Key", "Sec-WebSocket-Version"] + upgradeFields
    static let loopFieldName = "CDN-Loop"
    private static let resourcePolicyName = "Cross-Origin-Resource-Policy"
    private static let requestFields = ["Host"] + handshakeFieldNames
}
