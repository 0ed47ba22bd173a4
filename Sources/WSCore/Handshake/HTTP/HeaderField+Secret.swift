extension HeaderField {
    /// Whether the field's name suggests that its value is a secret, or the value is a token.
    package var isSecret: Bool {
        Self.isSecret(name: name)
            || SecretText.hasToken(value.utf8) && !Self.publicNames.contains(ASCII.lowercased(name))
                && !isNamed("Sec-WebSocket-Protocol")
    }

    /// Whether a part of the field is a secret: its value, a subprotocol, or a parameter of a URL.
    package var containsSecret: Bool {
        isSecret || !SecretQuery.values(in: value).isEmpty
            || isNamed("Sec-WebSocket-Protocol")
                && !Self.secretSubprotocols(in: HTTPFields([self]).elements(named: name)).isEmpty
    }

    /// Whether fields with this name may contain a secret: HTTP's own, and names that suggest one (``SecretName``).
    package static func isSecret(name: some StringProtocol) -> Bool {
        let name = ASCII.lowercased(name)
        return !publicNames.contains(name) && !name.utf8.starts(with: "sec-websocket-".utf8)
            && SecretName.isSecret(name)
    }

    /// A server's challenges (RFC 9110 §11.6.1, §11.7.1), and whether it allows credentials from other origins.
    private static let publicNames: Set = [
        "www-authenticate", "proxy-authenticate", "access-control-allow-credentials",
    ]

    /// The elements of a Sec-WebSocket-Protocol field that are likely secrets. Servers that browsers log in to take
    /// tokens there: `base64url.bearer.authorization.k8s.io.TOKEN`, or `access_token` and then the token.
    package static func secretSubprotocols(in names: [String]) -> [String] {
        var secrets: [String] = []
        var followsName = false
        for name in names {
            let isTelling = SecretName.isSecret(name)
            let containsValue = name.utf8.contains(UInt8(ascii: ".")) || name.utf8.count >= 20
            if followsName || isTelling && containsValue || SecretText.hasWebToken(name.utf8) { secrets.append(name) }
            followsName = !followsName && isTelling && !containsValue
        }
        return secrets
    }
}
