import COpenSSL

/// One TLS connection, without the connection: ciphertext comes in and goes out as bytes.
///
///      from the transport ─→ decrypt ─→ plaintext
///      to the transport ←─ output ←─ encrypt ←─ plaintext
///
/// Whoever drives the session sends what is in ``output`` after each call, also after one that throws: the alert that
/// tells the peer why is there. It is confined to the thread of its context.
public final class TLSSession {
    internal let context: TLSContext
    internal let handle: OpaquePointer
    private let name: TLSServerName?
    private let resumptionKey: String
    private let nameIsUsable: Bool

    /// Ciphertext to be sent.
    public var output = ByteBuffer()
    /// Whether the handshake is done, so that ``encrypt(_:)`` may be called.
    public private(set) var isEstablished = false
    /// Whether the peer has said that nothing more will come (close_notify); we may go on sending.
    public private(set) var hasEnded = false
    /// Whether the transport ended although the peer had not said that nothing more would come.
    public private(set) var isTruncated = false
    internal var clientCertificateWasRequested = false

    /// What of the present call's ciphertext OpenSSL has not taken.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// 1 when a byte was taken that was reported as not consumed: there is more to be had without further ciphertext.
    private var heldBackBytes = 0
    /// How many of the peer's first bytes have been found to be those of TLS.
    private var recognizedBytes = 0
    private var isClosed = false
    private var problem: TLSCertificateProblem?
    private var failure: TLSError?

    /// Makes the client's side of a session.
    /// - Parameter name: Whom the server's certificate has to name.
    /// - Parameter sessionKey: What stands for the server, as "host:port": sessions are resumed only with the same.
    /// - Parameter offersALPN: Whether HTTP/1.1 is offered as what follows (RFC 7301).
    public init(client context: TLSContext, name: TLSServerName, sessionKey: String, offersALPN: Bool = true) {
        precondition(!context.isServer)
        self.context = context
        self.name = name
        handle = Self.makeHandle(context)
        resumptionKey = "\(name.verifiedText) \(sessionKey)"
        nameIsUsable = Self.setName(name, of: handle)
        SSL_set_connect_state(handle)
        if offersALPN {
            SSL_set_alpn_protos(handle, ApplicationProtocol.offer, UInt32(ApplicationProtocol.offer.count))
        }
        if let session = context.resumption.take(for: resumptionKey) {
            SSL_set_session(handle, session)
            SSL_SESSION_free(session)
        }
        connect()
    }

    /// Makes the server's side of a session.
    public init(server context: TLSContext) {
        precondition(context.isServer)
        self.context = context
        name = nil
        handle = Self.makeHandle(context)
        resumptionKey = ""
        nameIsUsable = true
        SSL_set_accept_state(handle)
        connect()
    }

    deinit {
        // A session that was not shut down could not be resumed: the reconnect after a loss is what it is kept for.
        if failure == nil { SSL_set_shutdown(handle, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(handle)
    }

    private static func makeHandle(_ context: TLSContext) -> OpaquePointer {
        guard let handle = SSL_new(context.handle) else { preconditionFailure("OpenSSL has no memory") }
        return handle
    }

    private func connect() {
        SSL_set_ex_data(handle, 0, Unmanaged.passUnretained(self).toOpaque())
        guard let transport = TLSTransport.make(for: self) else { preconditionFailure("OpenSSL has no memory") }
        SSL_set_bio(handle, transport, transport)
    }

    /// Has the name sent and verified; false for what is no name.
    private static func setName(_ name: TLSServerName, of handle: OpaquePointer) -> Bool {
        let text = name.verifiedText
        guard !text.isEmpty, !text.utf8.contains(0) else { return false }
        let parameters = SSL_get0_param(handle)
        // RFC 9525 §2, §6.3: the common name is not looked at, and an asterisk is a whole label.
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        switch name {
        case .name:
            // RFC 6066 §3: only names are sent, not addresses.
            return wsx_ssl_set_server_name(handle, text) == 1 && X509_VERIFY_PARAM_set1_host(parameters, text, 0) == 1
        case .address: return X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1
        }
    }

    /// The session whose part of OpenSSL's this is.
    internal static func owner(of handle: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(handle, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Begins the handshake: a client's first message is then in ``output``. A server waits for it.
    public func start() throws(TLSError) {
        guard nameIsUsable else { throw .invalidServerName(name?.verifiedText ?? "") }
        OpenSSLErrors.clear()
        if !context.isServer { try continueHandshake() }
    }

    /// Takes ciphertext, goes on with the handshake if it is not done, and decrypts until `plaintext` is full or all is
    /// consumed. As long as there is more to be had, not all is reported as consumed; the rest is to be given again.
    /// - Parameter ciphertext: May be empty.
    /// - Parameter plaintext: What is decrypted goes here. 16 KiB or more take a record at once; with no room at all
    ///   nothing is consumed once the handshake is done.
    /// - Returns: How many bytes were consumed, and how many written.
    public func decrypt(
        _ ciphertext: RawSpan, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> (consumedBytes: Int, plaintextBytes: Int) {
        if let failure { throw failure }
        return try ciphertext.withUnsafeBytes { (bytes) throws(TLSError) in
            if recognizedBytes < 2 { try recognize(bytes) }
            input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(heldBackBytes))
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            OpenSSLErrors.clear()
            if !isEstablished, try !continueHandshake() { return (bytes.count - input.count, 0) }
            let plaintextBytes = read(into: plaintext)
            if let failure, plaintextBytes == 0 { throw failure }
            let consumedBytes = bytes.count - input.count
            // Without ciphertext there is nothing to report, and a byte that is held back will be given again.
            if consumedBytes > 0 {
                heldBackBytes = failure != nil || SSL_pending(handle) > 0 ? 1 : 0
            }
            return (max(0, consumedBytes - heldBackBytes), plaintextBytes)
        }
    }

    /// Encrypts into ``output``; to be called once the handshake is done, and not after ``close()``.
    public func encrypt(_ plaintext: RawSpan) throws(TLSError) {
        precondition(isEstablished)
        if let failure { throw failure }
        guard !isClosed else { throw .failed(reason: "the session was closed by this side") }
        guard !plaintext.isEmpty else { return }
        OpenSSLErrors.clear()
        let isWritten = plaintext.withUnsafeBytes { bytes in
            var count = 0
            // Our transport takes everything, so that all is written or the session has failed.
            return SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count) == 1
        }
        guard isWritten else { throw fail() }
    }

    /// Tells the peer that nothing more will come (RFC 8446 §6.1), once; what comes from it can still be decrypted.
    public func close() {
        guard isEstablished, !isClosed, failure == nil else { return }
        isClosed = true
        OpenSSLErrors.clear()
        SSL_shutdown(handle)
    }

    /// Takes note that the transport has ended.
    /// - Throws: ``TLSError/endedDuringHandshake(peerHasAnswered:)``; after the handshake, ``isTruncated`` tells.
    public func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        guard isEstablished else { throw fail(.endedDuringHandshake(peerHasAnswered: recognizedBytes > 0)) }
        isTruncated = !hasEnded
    }

    /// What was agreed on; nil while the handshake is not done.
    public var summary: TLSSummary? {
        guard isEstablished else { return nil }
        var name: UnsafePointer<UInt8>?
        var nameCount: UInt32 = 0
        SSL_get0_alpn_selected(handle, &name, &nameCount)
        let isTLS13 = SSL_version(handle) == TLS1_3_VERSION
        let certificate = wsx_ssl_peer_certificate(handle)
        return TLSSummary(
            version: "TLS \(isTLS13 ? TLSVersion.tls13 : .tls12)",
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(handle)).map { String(cString: $0) } ?? "unknown",
            applicationProtocol: nameCount == 0
                ? nil
                : escapingControls(
                    String(decoding: UnsafeBufferPointer(start: name, count: Int(nameCount)), as: UTF8.self)),
            isResumed: SSL_session_reused(handle) == 1,
            isVerified: context.verifies && certificate != nil,
            peerCertificate: certificate.map { TLSCertificateSummary($0) },
            clientCertificateWasRequested: clientCertificateWasRequested)
    }
}

extension TLSSession {
    /// A record begins with its type, an alert or a part of the handshake at first, and 3, the major version
    /// (RFC 8446 §5.1).
    private func recognize(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        for byte in bytes.prefix(2 - recognizedBytes) {
            let isTLS = recognizedBytes == 0 ? byte == SSL3_RT_HANDSHAKE || byte == SSL3_RT_ALERT : byte == 3
            guard isTLS else {
                throw fail(.notTLS(preview: Array(bytes.prefix(64)), peerIsServer: !context.isServer))
            }
            recognizedBytes += 1
        }
    }

    /// Returns whether the handshake is done.
    @discardableResult
    private func continueHandshake() throws(TLSError) -> Bool {
        let result = SSL_do_handshake(handle)
        guard result != 1 else {
            isEstablished = true
            return true
        }
        switch SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ: return false
        case SSL_ERROR_ZERO_RETURN: throw fail(.endedDuringHandshake(peerHasAnswered: true))
        default: throw fail()
        }
    }

    /// Decrypts until the room is full, or there is nothing more to decrypt; a failure is left in `failure`.
    private func read(into plaintext: UnsafeMutableRawBufferPointer) -> Int {
        var total = 0
        while total < plaintext.count, let start = plaintext.baseAddress {
            var count = 0
            let result = SSL_read_ex(handle, start + total, plaintext.count - total, &count)
            guard result == 1 else {
                switch SSL_get_error(handle, result) {
                case SSL_ERROR_WANT_READ: break
                case SSL_ERROR_ZERO_RETURN:
                    hasEnded = true
                    // RFC 8446 §6.1: what comes after a close_notify is ignored.
                    input = UnsafeRawBufferPointer(start: nil, count: 0)
                default: _ = fail()
                }
                return total
            }
            total += count
        }
        return total
    }

    /// Gives OpenSSL some of the ciphertext of the present call.
    internal func takeInput(_ target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, input.count)
        guard count > 0 else { return 0 }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(count)))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return count
    }

    /// Judges the peer's certificates while OpenSSL waits; they are the store's.
    internal func verify(_ store: OpaquePointer) -> Bool {
        problem = CertificateVerifier(verifies: context.verifies, pins: context.pins, name: name).judge(store)
        // What the judging left is not to be taken for errors of the session.
        OpenSSLErrors.clear()
        return problem == nil
    }

    /// Takes over what a later session with the same server can be resumed by.
    internal func keep(_ session: OpaquePointer) {
        guard SSL_SESSION_is_resumable(session) == 1 else {
            SSL_SESSION_free(session)
            return
        }
        context.resumption.keep(session, for: resumptionKey)
    }

    /// Makes the session fail with what OpenSSL has to say.
    private func fail() -> TLSError {
        let errors = OpenSSLErrors.takeAll()
        if let problem { return fail(context.isServer ? .clientCertificate(problem) : .certificate(problem)) }
        return fail(
            TLSError(
                errors,
                of: TLSError.Circumstances(
                    isServer: context.isServer, isEstablished: isEstablished, minimumVersion: context.minimumVersion,
                    serverName: name?.verifiedText, certificateWasRequested: clientCertificateWasRequested,
                    hasCertificate: context.hasCertificate)))
    }

    private func fail(_ error: TLSError) -> TLSError {
        failure = error
        // A resumption may be what went wrong: the next session starts afresh.
        if !context.isServer { context.resumption.removeAll(for: resumptionKey) }
        return error
    }
}
