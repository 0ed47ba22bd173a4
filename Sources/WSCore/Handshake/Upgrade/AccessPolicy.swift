/// Who may come in: whoever knows one of these credentials or tokens (RFC 7617, RFC 6750).
///
/// What is presented is compared by its SHA-256 with that of every secret: how long that takes says nothing of how much
/// of a secret was right, of how long the secrets are, or of which one it was.
public struct AccessPolicy: Sendable {
    /// A secret that lets in.
    private struct Secret {
        let digest: [UInt8]
        let login: Login
    }

    private let basicSecrets: [Secret]
    private let bearerSecrets: [Secret]

    /// Lets everybody in.
    public static let open = AccessPolicy()

    /// Makes a policy; without credentials and tokens it lets everybody in.
    public init(credentials: [Credentials] = [], tokens: [BearerToken] = []) {
        basicSecrets = credentials.map {
            Secret(digest: Digest.sha256(Array($0.basicToken.utf8)), login: .basic(user: $0.user))
        }
        bearerSecrets = tokens.map { Secret(digest: Digest.sha256(Array($0.text.utf8)), login: .bearer) }
    }

    /// Whether there is anything to know.
    public var isClosed: Bool { !basicSecrets.isEmpty || !bearerSecrets.isEmpty }

    /// As whom a request with this Authorization (nil: none) comes in; nil: it does not, unless there is nothing to know.
    public func login(with authorization: String?) -> Login? {
        guard let (scheme, token) = authorization.flatMap(Self.parse) else { return nil }
        let digest = Digest.sha256(token)
        // Every one is compared, whatever those before have shown.
        return secrets(for: scheme).reduce(nil) { login, secret in
            Digest.areEqual(secret.digest, digest) ? secret.login : login
        }
    }

    /// The WWW-Authenticate fields of the answer to a request with this Authorization (nil: none) that may not come in.
    public func challenges(to authorization: String?) -> [HeaderField] {
        var values: [String] = []
        // RFC 7617 §2, §2.1: the realm is required; the charset tells clients how to encode what is typed.
        if !basicSecrets.isEmpty { values.append(#"Basic realm="wsx", charset="UTF-8""#) }
        if !bearerSecrets.isEmpty {
            // RFC 6750 §3.1: a request that presents no token is told of no error.
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

    /// RFC 9110 §11.4, §11.1: a scheme, without regard to case, spaces, and what it defines.
    private static func parse(_ authorization: String) -> (scheme: Scheme, token: [UInt8])? {
        let name = authorization.utf8.prefix { $0 != ASCII.space }
        guard let scheme = Scheme(rawValue: ASCII.lowercased(Substring(name))) else { return nil }
        return (scheme, Array(authorization.utf8.dropFirst(name.count).drop { $0 == ASCII.space }))
    }
}
