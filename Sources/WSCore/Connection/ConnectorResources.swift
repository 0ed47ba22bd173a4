/// What connectors of one loop share, and remember from one connection to the next: TLS sessions and cookies.
public final class ConnectorResources {
    /// The cookies that servers have set.
    public internal(set) var cookies = CookieStore()
    /// TLS with the server that the user named.
    let serverLayer: TLSLayer?
    /// TLS with others, to which it redirects: the certificate is not for them.
    let otherServerLayer: TLSLayer?
    /// TLS with proxies: neither the pins nor the certificate for the server are for them.
    let proxyLayer: TLSLayer?

    /// Makes resources.
    /// - Parameter tls: What is asked of TLS; nil: it will not be used.
    public init(tls settings: TLSClientSettings? = nil) throws(TLSConfigurationError) {
        guard var settings else {
            serverLayer = nil
            otherServerLayer = nil
            proxyLayer = nil
            return
        }
        let serverLayer = try TLSLayer(client: settings)
        self.serverLayer = serverLayer
        // To read the system's authorities takes longer than anything else at the start: once, where once will do.
        let hasCertificate = settings.certificate != nil
        settings.certificate = nil
        otherServerLayer = hasCertificate ? try TLSLayer(client: settings) : serverLayer
        guard hasCertificate || !settings.pins.isEmpty else {
            proxyLayer = TLSLayer(sharingContextOf: serverLayer)
            return
        }
        settings.pins = []
        proxyLayer = try TLSLayer(client: settings)
    }

    /// Prepares TLS with a server, which `isOther` than the one that the user named or not.
    func secure(
        _ stream: any ByteStream, name: TLSServerName, sessionKey: String, isOther: Bool,
        completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        secure(
            stream, with: isOther ? otherServerLayer : serverLayer, name: name, sessionKey: sessionKey,
            completion: completion)
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
