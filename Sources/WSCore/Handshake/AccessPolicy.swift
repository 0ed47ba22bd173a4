/// Who may come in: whoever knows one of these credentials or tokens (RFC 7617, RFC 6750).
///
/// What is presented is compared by its SHA-256 with that of every secret: how long that takes says nothing of how much
/// of a secret was right, of how long the secrets are, or of which one it was.
public struct AccessPolicy: Sendable {
    private let basicDigests: [[UInt8]]
    private let bearerDigests: [[UInt8]]

    /// Lets everybody in.
    public static let open = AccessPolicy()

    /// Makes a policy; without credentials and tokens it lets everybody in.
    public init(credentials: [Credentials] = [], tokens: [BearerToken] = []) {
        basicDigests = credentials.map { Digest.sha256(Array($0.basicToken.utf8)) }
        bearerDigests = tokens.map { Digest.sha256(Array($0.text.utf8)) }
    }

    /// Whether there is anything to know.
    public var isClosed: Bool { !basicDigests.isEmpty || !bearerDigests.isEmpty }

    /// Whether a request with this Authorization (nil: none) may come in.
    public func admits(_ authorization: String?) -> Bool {
        guard isClosed else { return true }
        guard let (scheme, token) = authorization.flatMap(Self.parse) else { return false }
        let digest = Digest.sha256(token)
        // Every one is compared, whatever those before have shown.
        return digests(for: scheme).reduce(false) { isKnown, known in Digest.areEqual(known, digest) || isKnown }
    }

    /// The WWW-Authenticate fields of the answer to a request with this Authorization (nil: none) that may not come in.
    public func challenges(to authorization: String?) -> [HeaderField] {
        var values: [String] = []
        // RFC 7617 §2, §2.1: the realm is required; the charset tells clients how to encode what is typed.
        if !basicDigests.isEmpty { values.append(#"Basic realm="wsx", charset="UTF-8""#) }
        if !bearerDigests.isEmpty {
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

    private func digests(for scheme: Scheme) -> [[UInt8]] {
        switch scheme {
        case .basic: basicDigests
        case .bearer: bearerDigests
        }
    }

    /// RFC 9110 §11.4, §11.1: a scheme, without regard to case, spaces, and what it defines.
    private static func parse(_ authorization: String) -> (scheme: Scheme, token: [UInt8])? {
        let name = authorization.utf8.prefix { $0 != ASCII.space }
        guard let scheme = Scheme(rawValue: ASCII.lowercased(Substring(name))) else { return nil }
        return (scheme, Array(authorization.utf8.dropFirst(name.count).drop { $0 == ASCII.space }))
    }
}
