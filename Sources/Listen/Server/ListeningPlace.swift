import Peer
import UserInterface
import WSCore

/// A place where the server listens, as announced to users and in events.
struct ListeningPlace {
    /// The URL that clients connect to.
    let url: String
    /// The common prefix of the clients' URLs; the request target follows it.
    let urlPrefix: String
    /// The URL for browsers, or `nil` for a Unix domain socket.
    let webURL: String?
    /// The address with the actual port, or `nil` for a Unix domain socket.
    let address: SocketAddress?
    /// What a client connects to.
    let destination: Connector.Settings.Destination
    /// The port, or `nil` for a Unix domain socket.
    var port: UInt16? { address?.port }

    /// Describes an endpoint.
    /// - Parameters:
    ///   - address: The address with the actual port, or `nil` for a Unix domain socket.
    ///   - isSecure: Whether the endpoint uses TLS.
    ///   - isProxy: Whether it is an HTTP proxy, whose URL is what applications need.
    init(
        _ endpoint: Server<ListenClient>.Endpoint, boundTo address: SocketAddress?, isSecure: Bool,
        isProxy: Bool = false
    ) {
        self.address = address
        destination =
            address.map { .tcp(host: $0.host, port: $0.port) } ?? .unix(path: endpoint.path ?? "")
        webURL = address.map { address in
            // Browsers cannot open a wildcard address.
            let authority = address.hostBytes.allSatisfy { $0 == 0 } ? "localhost:\(address.port)" : "\(address)"
            return "\(isSecure ? "https" : "http")://\(authority)/"
        }
        if let address {
            urlPrefix = "\(isSecure ? "wss" : "ws")://\(address)"
            url = isProxy ? "\(isSecure ? "https" : "http")://\(address)" : urlPrefix + "/"
        } else {
            let path = endpoint.path ?? ""
            url = (isProxy ? "unix:" : "ws+unix:") + path
            urlPrefix = "ws+unix:\(path):"
        }
    }
}

extension ListeningPlace {
    /// Announces, in notices and events, the listening places and the resources for browsers.
    /// - Parameter hasPrompt: Whether the user can type at a prompt.
    static func announce(
        _ places: [ListeningPlace], by settings: ListenSettings, hasPrompt: Bool, to outputs: ListenOutputs
    ) {
        let (arguments, diagnostics) = (settings.arguments, outputs.diagnostics)
        if !arguments.address.isEmpty, case .inherited? = settings.endpoints.first {
            diagnostics.notice("Ignoring \(escapingControls(arguments.address)): LISTEN_FDS passes the sockets")
        }
        for place in places {
            let url = escapingControls(place.url)
            diagnostics.notice(
                (settings.relay?.proxy == nil
                    ? "Listening on \(url)" : "HTTP proxy on \(url); trust its authority: wsx relay --print-ca")
                    + (hasPrompt ? "; /help lists commands" : ""))
        }
        let webURLs = places.compactMap(\.webURL)
        if let directory = arguments.web.servedDirectory {
            let urls = webURLs.map { " at \($0)" }.joined(separator: " and")
            diagnostics.notice(escapingControls("Serving files from \(directory)\(urls)"))
        }
        if arguments.web.servesConsole {
            for url in webURLs { diagnostics.notice("Console at \(url)") }
        }
        if let pin = settings.selfSignedPin {
            diagnostics.notice("Self-signed certificate; connect with --insecure --pin \(pin)")
        }
        for place in places {
            outputs.writeEvent { events in
                events.write("listening") { event in
                    event.add("url", place.url)
                    if let port = place.port { event.add("port", Int(port)) }
                    if let pin = settings.selfSignedPin { event.add("pin", "\(pin)") }
                }
            }
        }
    }
}

extension Server.Endpoint {
    /// The path of a Unix domain socket, or `nil` for an address.
    fileprivate var path: String? {
        switch self {
        case .tcp: nil
        case .unix(let path): path
        case .inherited(let socket): if case .unix(let path) = socket.place { path } else { nil }
        }
    }
}
