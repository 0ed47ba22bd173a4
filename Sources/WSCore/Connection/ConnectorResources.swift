/// What connectors of one loop share, and remember from one connection to the next: TLS sessions and cookies.
public final class ConnectorResources {
    /// The cookies that servers have set.
    public internal(set) var cookies = CookieStore()
    /// TLS with servers.
    private let serverLayer: TLSLayer?
    /// TLS with proxies: neither the pins nor the certificate for the server are for them.
    private let proxyLayer: TLSLayer?

    /// Makes resources.
    /// - Parameter tls: What is asked of TLS; nil: it will not be used.
    public init(tls settings: TLSClientSettings? = nil) throws(TLSConfigurationError) {
        guard var settings else {
            serverLayer = nil
            proxyLayer = nil
            return
        }
        serverLayer = try TLSLayer(client: settings)
        settings.pins = []
        settings.certificate = nil
        proxyLayer = try TLSLayer(client: settings)
    }

    /// Prepares TLS with the server.
    func secure(
        _ stream: any ByteStream, name: TLSServerName, sessionKey: String, completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        secure(stream, with: serverLayer, name: name, sessionKey: sessionKey, completion: completion)
    }

    /// Prepares TLS with a proxy.
    func secure(
        _ stream: any ByteStream, with proxy: Proxy, completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        secure(
            stream, with: proxyLayer, name: TLSServerName(host: proxy.host), sessionKey: proxy.description,
            completion: completion)
    }

    private func secure(
        _ stream: any ByteStream, with layer: TLSLayer?, name: TLSServerName, sessionKey: String,
        completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        guard let layer else { preconditionFailure("these resources were made without TLS") }
        let session = TLSSession(client: layer.context, name: name, sessionKey: sessionKey)
        return TLSStream(stream, session: session, layer: layer, completion: completion)
    }
}
