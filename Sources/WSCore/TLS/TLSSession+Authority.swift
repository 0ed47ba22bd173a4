import COpenSSL

extension TLSSession {
    /// Creates a server's session with a certificate that the context's authority issues for a host.
    /// - Parameters:
    ///   - context: A context with an authority.
    ///   - host: A host name in ASCII, or an IP address with or without brackets.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``TLSConfigurationError/invalidName(_:)``, or ``TLSConfigurationError/unavailable(reason:)``.
    package convenience init(
        server context: TLSContext, host: String, nowSeconds: Int
    ) throws(TLSConfigurationError) {
        guard let authority = context.authority else { preconditionFailure("the context has no authority") }
        let leaf = try authority.leaf(for: host, nowSeconds: nowSeconds)
        self.init(server: context)
        OpenSSLErrors.clear()
        let result = authority.chain.withHandle { SSL_use_cert_and_key(handle, leaf, authority.leafKey, $0, 1) }
        guard result == 1 else {
            throw .unavailable(reason: OpenSSLErrors.takeWords())
        }
        // A resumed session has the certificate of its first connection: only connections to the same host may resume it.
        let sessionContext = Digest.sha256(Array(ASCII.lowercased(host).utf8))
        SSL_set_session_id_context(handle, sessionContext, UInt32(sessionContext.count))
    }
}
