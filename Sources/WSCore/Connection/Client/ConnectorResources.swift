/// Resources shared by the connectors of one loop. They keep TLS sessions and cookies between connections.
package final class ConnectorResources {
    /// The cookies of files and those received so far.
    package internal(set) var cookies: CookieStore
    /// Whether cookies of responses are sent with later requests. Those of a gateway belong to its clients.
    package var storesCookies = true
    /// Shares HTTP/2 connections; nil if each WebSocket has its own.
    package var http2Pool: HTTP2Pool?
    /// TLS with the server the user named.
    let serverLayer: TLSLayer?
    /// TLS with servers reached by redirects, which do not receive our certificate.
    let otherServerLayer: TLSLayer?
    /// TLS with proxies, to which neither the server's pins nor our certificate apply.
    let proxyLayer: TLSLayer?

    /// Creates the resources.
    /// - Parameters:
    ///   - tls: The TLS settings. Defaults to nil, which rules out TLS.
    ///   - cookies: The first cookies. Defaults to none.
    /// - Throws: ``TLSConfigurationError`` if the settings are invalid.
    package init(
        tls settings: TLSClientSettings? = nil, cookies: CookieStore = CookieStore()
    ) throws(TLSConfigurationError) {
        self.cookies = cookies
        guard var settings else {
            serverLayer = nil
            otherServerLayer = nil
            proxyLayer = nil
            return
        }
        let serverLayer = try TLSLayer(client: settings)
        self.serverLayer = serverLayer
        // Loading the system's CA certificates dominates startup time, so contexts are shared where possible.
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

    func storeCookies(of head: ResponseHead, from url: WebSocketURL) {
        if storesCookies { cookies.receive(head, from: url, at: WallTime.now.seconds) }
    }

    /// Prepares TLS with a server; `isOther` if it is not the one the user named.
    func secure(
        _ stream: any ByteStream, name: TLSServerName, sessionKey: String, isOther: Bool, version: HTTPVersion,
        completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        secure(
            stream, with: isOther ? otherServerLayer : serverLayer, name: name, sessionKey: sessionKey,
            version: version, completion: completion)
    }

    /// Prepares TLS with a proxy.
    func secure(
        _ stream: any ByteStream, with proxy: Proxy, completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        secure(
            stream, with: proxyLayer, name: TLSServerName(host: proxy.host), sessionKey: proxy.description,
            version: .http1, completion: completion)
    }

    private func secure(
        _ stream: any ByteStream, with layer: TLSLayer?, name: TLSServerName, sessionKey: String,
        version: HTTPVersion, completion: @escaping TLSStream.Completion
    ) -> TLSStream {
        guard let layer else { preconditionFailure("these resources were made without TLS") }
        let session = TLSSession(client: layer.context, name: name, sessionKey: sessionKey, version: version)
        return TLSStream(stream, session: session, layer: layer, completion: completion)
    }
}
