/// The credentials and tokens that a server accepts (RFC 7617, RFC 6750).
///
/// Compares SHA-256 hashes of the presented secret and of every configured one. The time reveals neither how much of a
/// secret was right, nor the secrets' lengths, nor which one matched.
package struct AccessPolicy: Sendable {
    /// A configured secret.
    private struct Secret {
        let digest: [UInt8]
        let login: Login
    }

    private let basicSecrets: [Secret]
    private let bearerSecrets: [Secret]

    /// Admits every client.
    package static let open = AccessPolicy()

    /// Creates a policy. Without credentials and tokens, it admits every client.
    package init(credentials: [Credentials] = [], tokens: [BearerToken] = []) {
        basicSecrets = credentials.map {
            Secret(digest: Digest.sha256(Array($0.basicToken.utf8)), login: .basic(user: $0.user))
        }
        bearerSecrets = tokens.map { Secret(digest: Digest.sha256(Array($0.text.utf8)), login: .bearer) }
    }

    /// Whether clients must authenticate.
    package var isClosed: Bool { !basicSecrets.isEmpty || !bearerSecrets.isEmpty }

    /// Authenticates a request by its Authorization value, or `nil` if it has none. Returns `nil` if the value is not
    /// accepted, or if the policy is open.
    package func login(with authorization: String?) -> Login? {
        guard let (scheme, token) = authorization.flatMap(Self.parse) else { return nil }
        let digest = Digest.sha256(token)
        // Compare all secrets, even after a match.
        return secrets(for: scheme).reduce(nil) { login, secret in
            Digest.areEqual(secret.digest, digest) ? secret.login : login
        }
    }

    /// The WWW-Authenticate fields of a 401 response to a request with this Authorization value, or `nil` if it had
    /// none.
    package func challenges(to authorization: String?) -> [HeaderField] {
        var values: [String] = []
        // RFC 7617 §2, §2.1: the realm is required, and charset tells clients how to encode what the user types.
        if !basicSecrets.isEmpty { values.append(#"Basic realm="wsx", charset="UTF-8""#) }
        if !bearerSecrets.isEmpty {
            // RFC 6750 §3.1: a response to a request without a token should not include an error code.
            let isRefused = authorization.flatMap(Self.parse)?.scheme == .bearer
            values.append(#"Bearer realm="wsx""# + (isRefused ? #", error="invalid_token""# : ""))
        }
        return values.map { HeaderField(wellFormedName: "WWW-Authenticate", value: $0) }
    }

    private enum Scheme: String {
        case basic
        case bearer
    }

    private func secrets(for scheme: Scheme) -> [Secret] {
        switch scheme {
        case .basic: basicSecrets
        case .bearer: bearerSecrets
        }
    }

    /// RFC 9110 §11.4, §11.1: a case-insensitive scheme, spaces, and the scheme's own data.
    private static func parse(_ authorization: String) -> (scheme: Scheme, token: [UInt8])? {
        let name = authorization.utf8.prefix { $0 != ASCII.space }
        guard let scheme = Scheme(rawValue: ASCII.lowercased(Substring(name))) else { return nil }
        return (scheme, Array(authorization.utf8.dropFirst(name.count).drop { $0 == ASCII.space }))
    }
}
