/// The reason a redirect is not followed.
package enum RedirectError: Error, Equatable {
    /// Location is missing or empty.
    case missingLocation(status: Int)
    /// The response has several different Location fields.
    case severalLocations([String])
    /// Location is not a valid URL reference. Carries its value and the reason.
    case invalidLocation(String, URLError)
    /// Servers may not redirect to this scheme.
    case forbiddenScheme(String)
    /// The redirect leads from TLS to plaintext.
    case wouldDropEncryption(WebSocketURL)
    /// The redirect leads from a Unix domain socket to the network.
    case leavesSocket(WebSocketURL)
    /// Messages with secrets, given for another origin, would be sent to this URL. Carries their names.
    case wouldSendSecrets(WebSocketURL, of: [String])
    /// There were more consecutive redirects than allowed.
    case tooMany(maximum: Int)
}

extension RedirectError: CustomStringConvertible {
    /// The reason and the remedy. Safe to print whatever the server sent.
    package var description: String {
        switch self {
        case .missingLocation(let status):
            "the server answered \(status) without a Location header; check the URL"
        case .severalLocations(let locations):
            """
            the server redirects to several URLs: \(Self.shown(locations)); \
            connect to one of them directly
            """
        case .invalidLocation(let location, let error):
            "the server redirects to \(Self.shown([location])): \(error)"
        case .forbiddenScheme(let scheme):
            "the server redirects to a URL with the scheme \(quoted(scheme)), which wsx does not follow; connect to it directly"
        case .wouldDropEncryption(let url):
            "a redirect from wss:// to ws:// would drop the encryption; connect to \(Self.shown(url)) directly"
        case .leavesSocket(let url):
            "a Unix domain socket cannot redirect to the network; connect to \(Self.shown(url)) directly"
        case .wouldSendSecrets(let url, let names):
            """
            the redirect to \(Self.shown(url)) would send secrets (\(names.joined(separator: ", "))) to another origin; \
            add --location-trusted, or connect to it directly
            """
        case .tooMany(let maximum):
            maximum == 0
                ? "redirects are disabled; raise --max-redirects to follow them"
                : """
                more than \(maximum) redirect\(maximum == 1 ? "" : "s"), perhaps in a loop; check the server, \
                or raise --max-redirects
                """
        }
    }

    private static func shown(_ locations: [String]) -> String {
        quoted(locations.map(WebSocketURL.shown).joined(separator: ", "))
    }

    private static func shown(_ url: WebSocketURL) -> String { url.shortDescription }
}
