import COpenSSL

/// The settings, trusted authorities, and resumable sessions that all TLS sessions of a client or server share.
/// Confined to one thread, together with its sessions.
package final class TLSContext {
    internal let handle: OpaquePointer
    internal let isServer: Bool
    internal let verifies: Bool
    internal let pins: [TLSPin]
    internal let minimumVersion: TLSVersion
    internal let hasCertificate: Bool
    internal let keyLog: (@Sendable (String) -> Void)?
    /// Issues the certificate of each session, or `nil` if all have the same one.
    internal let authority: CertificateAuthority?
    /// The versions of HTTP that a server selects from, in its order of preference.
    internal let versions: [HTTPVersion]
    internal var resumption = ResumptionStore()

    /// Creates a client's context.
    /// - Throws: ``TLSConfigurationError`` if a certificate, key, or authority cannot be used.
    package init(client settings: TLSClientSettings) throws(TLSConfigurationError) {
        handle = try Self.makeHandle(TLS_client_method())
        isServer = false
        verifies = settings.verifiesPeer
        pins = settings.pins
        minimumVersion = settings.minimumVersion
        hasCertificate = settings.certificate != nil
        keyLog = settings.keyLog
        authority = nil
        versions = []
        try configure()
        // Reading the system's authorities takes time and is unnecessary without verification.
        if settings.verifiesPeer { try settings.trust.load(into: handle, option: "--ca") }
        if let certificate = settings.certificate {
            try use(certificate, certificateOption: "--cert", keyOption: "--key")
        }
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        // Without this mode, OpenSSL does not report sessions, so none are stored.
        if settings.resumesSessions { wsx_ssl_ctx_keep_client_sessions(handle) }
        SSL_CTX_sess_set_new_cb(handle) { session, resumable in
            guard let owner = TLSSession.owner(of: session), let resumable else { return 0 }
            owner.keep(resumable)
            return 1
        }
        // Called when the server requests a certificate, whether or not there is one.
        SSL_CTX_set_cert_cb(
            handle,
            { session, _ in
                TLSSession.owner(of: session)?.clientCertificateWasRequested = true
                return 1
            }, nil)
        // RFC 8446 §4.2.6: servers that want a certificate for some paths only can request it after the handshake.
        // Offered even without a certificate, as in curl: such a server then continues, or says what it requires.
        SSL_CTX_set_post_handshake_auth(handle, 1)
        // OpenSSL refuses to renegotiate (RFC 5246 §7.4.1.1) and reports it only here.
        SSL_CTX_set_info_callback(handle) { session, event, value in
            let refusal = SSL3_AL_WARNING << 8 | SSL_AD_NO_RENEGOTIATION
            guard event == SSL_CB_WRITE_ALERT, value == refusal, let session else { return }
            TLSSession.owner(of: session)?.hasRefusedRenegotiation = true
        }
    }

    /// Creates a server's context.
    /// - Throws: ``TLSConfigurationError`` if a certificate, key, or authority cannot be used.
    package init(server settings: TLSServerSettings) throws(TLSConfigurationError) {
        handle = try Self.makeHandle(TLS_server_method())
        isServer = true
        verifies = settings.clientTrust != nil
        pins = []
        minimumVersion = .tls12
        hasCertificate = true
        keyLog = settings.keyLog
        authority = nil
        versions = settings.acceptsHTTP2 ? [.http2, .http1] : [.http1]
        try configureServer()
        try use(settings.certificate, certificateOption: "--tls-cert", keyOption: "--tls-key")
        if let trust = settings.clientTrust {
            try trust.load(into: handle, option: "--client-ca")
            nameClientAuthorities()
            SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        guard var keys = settings.ticketKeys else { return }
        guard wsx_ssl_ctx_set_ticket_keys(handle, &keys, keys.count) == 1 else {
            throw .unavailable(reason: OpenSSLErrors.takeWords())
        }
    }

    /// Creates a server's context without a certificate: each session gets one for its host, and offers HTTP/1.1.
    /// - Throws: ``TLSConfigurationError/unavailable(reason:)``.
    package init(
        authority: CertificateAuthority, keyLog: (@Sendable (String) -> Void)?
    ) throws(TLSConfigurationError) {
        handle = try Self.makeHandle(TLS_server_method())
        isServer = true
        verifies = false
        pins = []
        minimumVersion = .tls12
        hasCertificate = true
        self.keyLog = keyLog
        self.authority = authority
        versions = [.http1]
        try configureServer()
    }

    deinit {
        SSL_CTX_free(handle)
    }

    private static func makeHandle(_ method: OpaquePointer?) throws(TLSConfigurationError) -> OpaquePointer {
        OpenSSLErrors.clear()
        guard let handle = SSL_CTX_new(method) else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        return handle
    }

    /// Applies the settings for both roles.
    private func configure() throws(TLSConfigurationError) {
        // At least 112 bits of security: RSA and DH with 2048 bits or more, ECDSA with 224 or more, no SHA-1.
        SSL_CTX_set_security_level(handle, 2)
        wsx_ssl_ctx_harden(handle)
        // Otherwise, record buffers would take most of an idle connection's memory.
        wsx_ssl_ctx_release_buffers(handle)
        let minimum = minimumVersion == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
        guard wsx_ssl_ctx_set_versions(handle, minimum, TLS1_3_VERSION) == 1 else {
            throw .unavailable(reason: OpenSSLErrors.takeWords())
        }
        SSL_CTX_set_cert_verify_callback(
            handle,
            { store, _ in
                guard let store else { return 0 }
                let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
                return TLSSession.owner(of: session.map { OpaquePointer($0) })?.verify(store) == true ? 1 : 0
            }, nil)
        if keyLog != nil {
            SSL_CTX_set_keylog_callback(handle) { session, line in
                guard let line, let keyLog = TLSSession.owner(of: session)?.context.keyLog else { return }
                keyLog(String(cString: line))
            }
        }
    }

    private func configureServer() throws(TLSConfigurationError) {
        try configure()
        wsx_ssl_ctx_prefer_sha256(handle)
        wsx_ssl_ctx_keep_no_sessions(handle)
        // A session with a client certificate can only be resumed where client certificates are required, too.
        let sessionContext = Array("wsx".utf8)
        SSL_CTX_set_session_id_context(handle, sessionContext, UInt32(sessionContext.count))
        SSL_CTX_set_alpn_select_cb(handle, selectApplicationProtocol, nil)
    }

    private func use(
        _ source: TLSCertificateSource, certificateOption: String, keyOption: String
    ) throws(TLSConfigurationError) {
        let identity = try source.identity(certificateOption: certificateOption, keyOption: keyOption)
        OpenSSLErrors.clear()
        guard X509_check_private_key(identity.leaf, identity.key) == 1 else {
            OpenSSLErrors.clear()
            throw .keyDoesNotFit(
                certificateOption: certificateOption, keyOption: source.key == nil ? certificateOption : keyOption)
        }
        let result = identity.issuers.withHandle {
            SSL_CTX_use_cert_and_key(handle, identity.leaf, identity.key, $0, 1)
        }
        guard result == 1 else {
            throw .weakCertificate(option: certificateOption, reason: OpenSSLErrors.takeWords())
        }
    }

    /// Sends the names of the accepted authorities to clients, so they can choose a certificate (RFC 8446 §4.2.4).
    private func nameClientAuthorities() {
        let objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(handle))
        for index in 0..<wsx_object_count(objects) {
            guard let certificate = X509_OBJECT_get0_X509(wsx_object(objects, index)) else { continue }
            SSL_CTX_add_client_CA(handle, certificate)
        }
    }
}

extension HTTPVersion {
    /// The list of its name for ALPN, preceded by its length.
    var protocolOffer: [UInt8] { [UInt8(protocolName.utf8.count)] + protocolName.utf8 }
}

/// Selects HTTP/2 if the server accepts it and the client offers it, otherwise HTTP/1.1.
private let selectApplicationProtocol: SSL_CTX_alpn_select_cb_func = {
    session, chosen, chosenCount, offered, count, _ in
    guard let offered, let chosen, let chosenCount else { return SSL_TLSEXT_ERR_NOACK }
    let list = UnsafeBufferPointer(start: offered, count: Int(count))
    let context = session.flatMap { TLSSession.owner(of: $0)?.context }
    for version in context?.versions ?? [.http1] {
        var offset = 0
        while offset < list.count {
            let nameCount = Int(list[offset])
            let start = offset + 1
            guard start + nameCount <= list.count else { break }
            if list[start..<start + nameCount].elementsEqual(version.protocolName.utf8) {
                chosen.pointee = offered + start
                chosenCount.pointee = UInt8(nameCount)
                return SSL_TLSEXT_ERR_OK
            }
            offset = start + nameCount
        }
    }
    // RFC 7301 §3.2: a server that supports none of the offered protocols sends a fatal alert.
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

extension LibraryVersion {
    /// The version of OpenSSL.
    package static var openSSL: LibraryVersion {
        LibraryVersion(name: "OpenSSL", text: String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)))
    }
}
