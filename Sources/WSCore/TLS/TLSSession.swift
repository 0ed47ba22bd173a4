import COpenSSL

/// A TLS session without I/O: ciphertext is received and produced as bytes.
///
///      from the transport ─→ decrypt ─→ plaintext
///      to the transport ←─ output ←─ encrypt ←─ plaintext
///
/// After each call, send the contents of ``output``, even if the call throws: it then contains the alert for the peer.
/// Confined to the thread of its context.
package final class TLSSession {
    private enum State {
        /// The first `recognizedBytes` bytes of the peer, at most 2, were recognized as TLS.
        case handshaking(recognizedBytes: Int)
        case established
        /// The peer has ended its side with close_notify. This side may still send.
        case peerEnded
        indirect case failed(TLSError)
    }

    internal let context: TLSContext
    internal let handle: OpaquePointer
    private let name: TLSServerName?
    private let resumptionKey: String
    /// The version of HTTP that a client offers; nil for no offer.
    private let version: HTTPVersion?

    /// Ciphertext to send.
    package var output = ByteBuffer()
    private var state = State.handshaking(recognizedBytes: 0)
    /// A fact for ``summary``, whatever the state.
    internal var clientCertificateWasRequested = false
    /// Whether the server of TLS 1.2 wanted to renegotiate. Few servers continue after the refusal.
    package internal(set) var hasRefusedRenegotiation = false

    /// The part of the current call's ciphertext that OpenSSL has not read.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// 1 if a byte was read but reported as not consumed: more plaintext is available without further ciphertext.
    private var heldBackBytes = 0
    private var problem: TLSCertificateProblem?

    /// Creates a client's session.
    /// - Parameters:
    ///   - context: The client's context.
    ///   - name: The name that the server's certificate must contain.
    ///   - sessionKey: Identifies the server, as "host:port". Only sessions with the same key are resumed.
    ///   - version: The version of HTTP to offer as the application protocol (RFC 7301); nil for no offer. Default:
    ///     HTTP/1.1.
    package init(client context: TLSContext, name: TLSServerName, sessionKey: String, version: HTTPVersion? = .http1) {
        precondition(!context.isServer)
        self.context = context
        self.name = name
        self.version = version
        handle = Self.makeHandle(context)
        resumptionKey = "\(name.verifiedText) \(sessionKey)"
        if !Self.setName(name, of: handle) { state = .failed(.invalidServerName(name.verifiedText)) }
        SSL_set_connect_state(handle)
        if let offer = version?.protocolOffer { SSL_set_alpn_protos(handle, offer, UInt32(offer.count)) }
        if let session = context.resumption.take(for: resumptionKey) {
            SSL_set_session(handle, session)
            SSL_SESSION_free(session)
        }
        connect()
    }

    /// Creates a server's session.
    package init(server context: TLSContext) {
        precondition(context.isServer)
        self.context = context
        name = nil
        version = nil
        handle = Self.makeHandle(context)
        resumptionKey = ""
        SSL_set_accept_state(handle)
        connect()
    }

    deinit {
        // OpenSSL does not resume a session without a shutdown, but reconnecting after a loss is the purpose of
        // resumption.
        if failure == nil { SSL_set_shutdown(handle, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(handle)
    }

    private static func makeHandle(_ context: TLSContext) -> OpaquePointer {
        guard let handle = SSL_new(context.handle) else { endWithoutMemory() }
        return handle
    }

    private func connect() {
        SSL_set_ex_data(handle, 0, Unmanaged.passUnretained(self).toOpaque())
        guard let transport = TLSTransport.make(for: self) else { endWithoutMemory() }
        SSL_set_bio(handle, transport, transport)
    }

    /// Configures the name to send and to verify. Returns false if it is not a valid name.
    private static func setName(_ name: TLSServerName, of handle: OpaquePointer) -> Bool {
        let text = name.verifiedText
        guard !text.isEmpty, !text.utf8.contains(0) else { return false }
        let parameters = SSL_get0_param(handle)
        // RFC 9525 §2, §6.3: ignore the common name, and allow a wildcard only as a whole label.
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        switch name {
        case .name:
            // RFC 6066 §3: send only names, not addresses.
            return wsx_ssl_set_server_name(handle, text) == 1 && X509_VERIFY_PARAM_set1_host(parameters, text, 0) == 1
        case .address: return X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1
        }
    }

    /// The session that owns an OpenSSL handle.
    internal static func owner(of handle: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(handle, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Starts the handshake. A client's first message is then in ``output``; a server waits for it.
    /// - Throws: ``TLSError``.
    package func start() throws(TLSError) {
        if let failure { throw failure }
        OpenSSLErrors.clear()
        if !context.isServer { try continueHandshake() }
    }

    /// Receives ciphertext, continues the handshake if necessary, and decrypts until `plaintext` is full or all
    /// ciphertext is consumed. While more plaintext is available, some ciphertext is reported as not consumed; pass it
    /// again.
    /// - Parameters:
    ///   - ciphertext: The received bytes. May be empty.
    ///   - plaintext: Receives the decrypted bytes. 16 KiB hold a whole record. If it is empty, nothing is consumed
    ///     after the handshake.
    /// - Returns: The number of bytes consumed and the number of bytes written.
    /// - Throws: ``TLSError``. After an error, every call throws the same error.
    package func decrypt(
        _ ciphertext: RawSpan, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> (consumedBytes: Int, plaintextBytes: Int) {
        if let failure { throw failure }
        return try ciphertext.withUnsafeBytes { (bytes) throws(TLSError) in
            if case .handshaking(let recognizedBytes) = state { try recognize(bytes, after: recognizedBytes) }
            input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(heldBackBytes))
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            OpenSSLErrors.clear()
            if !isEstablished, try !continueHandshake() { return (bytes.count - input.count, 0) }
            let plaintextBytes = read(into: plaintext)
            if let failure, plaintextBytes == 0 { throw failure }
            let consumedBytes = bytes.count - input.count
            // An empty call has nothing to report, and the byte held back will be passed again.
            if consumedBytes > 0 {
                heldBackBytes = failure != nil || SSL_pending(handle) > 0 ? 1 : 0
            }
            return (max(0, consumedBytes - heldBackBytes), plaintextBytes)
        }
    }

    /// Encrypts `plaintext` into ``output``. Call it only after the handshake, outside a message of TLS
    /// (``isInMessage``), and before ``close()``.
    /// - Throws: ``TLSError``.
    package func encrypt(_ plaintext: RawSpan) throws(TLSError) {
        if let failure { throw failure }
        precondition(isEstablished)
        guard !plaintext.isEmpty else { return }
        OpenSSLErrors.clear()
        let isWritten = plaintext.withUnsafeBytes { bytes in
            var count = 0
            // Our transport accepts everything, so either all of it is written or the session has failed.
            return SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count) == 1
        }
        guard isWritten else {
            throw hasSentClose ? .failed(reason: "the session was closed by this side") : fail()
        }
    }

    /// Sends close_notify once (RFC 8446 §6.1). Data from the peer can still be decrypted.
    package func close() {
        guard isEstablished, !hasSentClose else { return }
        OpenSSLErrors.clear()
        SSL_shutdown(handle)
    }

    /// Handles the end of the transport. After the handshake, data was truncated unless the peer ended its side before;
    /// see ``hasEnded``.
    /// - Throws: ``TLSError/endedDuringHandshake(peerHasAnswered:)``, or an earlier error.
    package func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        if case .handshaking(let recognizedBytes) = state {
            throw fail(.endedDuringHandshake(peerHasAnswered: recognizedBytes > 0))
        }
    }

    /// Whether the handshake is complete and the session has not failed.
    package var isEstablished: Bool {
        switch state {
        case .established, .peerEnded: true
        case .handshaking, .failed: false
        }
    }

    /// The size of the ciphertext so far, in bytes.
    var wireBytes: (received: Int, sent: Int) {
        (Int(clamping: BIO_number_read(SSL_get_rbio(handle))), Int(clamping: BIO_number_written(SSL_get_wbio(handle))))
    }

    /// Whether the server has requested a client certificate and we have none.
    package var lacksCertificate: Bool { clientCertificateWasRequested && !context.hasCertificate }

    /// Whether a message of TLS has arrived only in part, such as a request for a certificate with the names of many
    /// authorities. Until the rest arrives, OpenSSL encrypts nothing.
    package var isInMessage: Bool {
        if case .established = state { SSL_in_init(handle) == 1 } else { false }
    }

    /// Whether the peer has ended its side with close_notify.
    package var hasEnded: Bool {
        if case .peerEnded = state { true } else { false }
    }

    private var failure: TLSError? { if case .failed(let error) = state { error } else { nil } }

    /// Whether this side has sent close_notify.
    private var hasSentClose: Bool { SSL_get_shutdown(handle) & SSL_SENT_SHUTDOWN != 0 }

    /// The application protocol that the server selected; `nil` for none. Safe to print.
    private var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(handle, &name, &count)
        guard count > 0 else { return nil }
        return escapingControls(String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self))
    }

    /// The negotiated parameters, or `nil` before the handshake is complete.
    package var summary: TLSSummary? {
        guard isEstablished else { return nil }
        let isTLS13 = SSL_version(handle) == TLS1_3_VERSION
        let certificate = wsx_ssl_peer_certificate(handle)
        return TLSSummary(
            version: "TLS \(isTLS13 ? TLSVersion.tls13 : .tls12)",
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(handle)).map { String(cString: $0) } ?? "unknown",
            group: wsx_ssl_group_name(handle).map { String(cString: $0) },
            applicationProtocol: applicationProtocol,
            isResumed: SSL_session_reused(handle) == 1,
            isVerified: context.verifies && certificate != nil,
            peerCertificate: certificate.map { TLSCertificateSummary($0) },
            clientCertificateWasRequested: clientCertificateWasRequested,
            // That of a client lacks the first certificate here.
            chainOrderNote: context.isServer ? nil : CertificateVerifier.chainOrderNote(SSL_get_peer_cert_chain(handle))
        )
    }
}

extension TLSSession {
    /// RFC 8446 §5.1: a record begins with its type, initially an alert or a handshake message, and the major version
    /// 3.
    private func recognize(_ bytes: UnsafeRawBufferPointer, after recognizedBytes: Int) throws(TLSError) {
        for (index, byte) in bytes.prefix(2 - recognizedBytes).enumerated() {
            let isTLS = recognizedBytes + index == 0 ? byte == SSL3_RT_HANDSHAKE || byte == SSL3_RT_ALERT : byte == 3
            guard isTLS else {
                throw fail(.notTLS(preview: Array(bytes.prefix(64)), peerIsServer: !context.isServer))
            }
            state = .handshaking(recognizedBytes: recognizedBytes + index + 1)
        }
    }

    /// Continues the handshake. Returns whether it is complete.
    @discardableResult
    private func continueHandshake() throws(TLSError) -> Bool {
        let result = SSL_do_handshake(handle)
        guard result != 1 else {
            // RFC 7301 §3.1: a server that does not know ALPN, or selects none, does not expect HTTP/2.
            if version == .http2, applicationProtocol == nil {
                throw fail(.noApplicationProtocol(.http2, peerIsServer: true))
            }
            state = .established
            return true
        }
        switch SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ: return false
        case SSL_ERROR_ZERO_RETURN: throw fail(.endedDuringHandshake(peerHasAnswered: true))
        default: throw fail()
        }
    }

    /// Decrypts until the buffer is full or no plaintext is left. Stores an error in `failure`.
    private func read(into plaintext: UnsafeMutableRawBufferPointer) -> Int {
        var total = 0
        while total < plaintext.count, let start = plaintext.baseAddress {
            var count = 0
            let result = SSL_read_ex(handle, start + total, plaintext.count - total, &count)
            guard result == 1 else {
                switch SSL_get_error(handle, result) {
                case SSL_ERROR_WANT_READ: break
                case SSL_ERROR_ZERO_RETURN:
                    state = .peerEnded
                    // RFC 8446 §6.1: ignore data after close_notify.
                    input = UnsafeRawBufferPointer(start: nil, count: 0)
                default: _ = fail()
                }
                return total
            }
            total += count
        }
        return total
    }

    /// Copies part of the current call's ciphertext to OpenSSL.
    internal func takeInput(_ target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, input.count)
        guard count > 0 else { return 0 }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(count)))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return count
    }

    /// Verifies the peer's certificates in `store` during the handshake.
    internal func verify(_ store: OpaquePointer) -> Bool {
        problem = CertificateVerifier(verifies: context.verifies, pins: context.pins, name: name).judge(store)
        // Errors left by the verification must not be attributed to the session.
        OpenSSLErrors.clear()
        return problem == nil
    }

    /// Stores a session for resumption and takes ownership of it.
    internal func keep(_ session: OpaquePointer) {
        guard SSL_SESSION_is_resumable(session) == 1 else {
            SSL_SESSION_free(session)
            return
        }
        context.resumption.keep(session, for: resumptionKey)
    }

    /// Makes the session fail with OpenSSL's error.
    private func fail() -> TLSError {
        let errors = OpenSSLErrors.takeAll()
        if let problem { return fail(context.isServer ? .clientCertificate(problem) : .certificate(problem)) }
        return fail(
            TLSError(
                errors,
                of: TLSError.Circumstances(
                    serverName: name?.verifiedText, isEstablished: isEstablished,
                    minimumVersion: context.minimumVersion,
                    hasRequestedCertificate: clientCertificateWasRequested ? context.hasCertificate : nil,
                    hasRefusedRenegotiation: hasRefusedRenegotiation, version: version ?? .http1)))
    }

    private func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        // The resumption may be the cause, so the next session starts afresh.
        if !context.isServer { context.resumption.removeAll(for: resumptionKey) }
        return error
    }
}
