/// Why a redirect is not followed.
public enum RedirectError: Error, Equatable {
    /// There is no Location, or an empty one; the status of the response.
    case missingLocation(status: Int)
    /// There are several Location fields, which differ; their values.
    case severalLocations([String])
    /// Location is no reference to a URL; its value and why.
    case invalidLocation(String, URLError)
    /// Location has a scheme that a server cannot redirect to; the scheme.
    case forbiddenScheme(String)
    /// A redirect leads from TLS to a connection without.
    case wouldDropEncryption(WebSocketURL)
    /// A redirect leads from a Unix socket to somewhere else.
    case leavesSocket(WebSocketURL)
    /// More redirects followed one another than are allowed.
    case tooMany(maximum: Int)

    /// A name for scripts and the manual, which stays the same.
    public var identifier: String {
        switch self {
        case .missingLocation: "missing-location"
        case .severalLocations: "several-locations"
        case .invalidLocation: "invalid-location"
        case .forbiddenScheme: "forbidden-redirect-scheme"
        case .wouldDropEncryption: "insecure-redirect"
        case .leavesSocket: "redirect-from-socket"
        case .tooMany: "too-many-redirects"
        }
    }
}

extension RedirectError: CustomStringConvertible {
    /// Why, and what to try; safe to print whatever the server sent.
    public var description: String {
        switch self {
        case .missingLocation(let status):
            "the server answered \(status) without saying where to (Location); check the URL"
        case .severalLocations(let locations):
            """
            the server redirects to \(Self.shown(locations)), more than one place; \
            connect to one of them yourself
            """
        case .invalidLocation(let location, let error):
            "the server redirects to \(Self.shown([location])): \(error)"
        case .forbiddenScheme(let scheme):
            "the server redirects to the scheme \(quoted(scheme)), which is not followed; connect to it yourself"
        case .wouldDropEncryption(let url):
            "a redirect from wss to ws would drop the encryption; connect to \(Self.shown(url)) yourself"
        case .leavesSocket(let url):
            "a redirect from a Unix socket to the network is not followed; connect to \(Self.shown(url)) yourself"
        case .tooMany(let maximum):
            maximum == 0
                ? "redirects are not followed; allow them with --max-redirects"
                : """
                more than \(maximum) redirect\(maximum == 1 ? "" : "s"), perhaps in a circle; check the server, \
                or allow more with --max-redirects
                """
        }
    }

    private static func shown(_ locations: [String]) -> String {
        quoted(locations.map(WebSocketURL.withoutUserInfo).joined(separator: ", "))
    }

    private static func shown(_ url: WebSocketURL) -> String { escapingControls(url.description) }
}
