import COpenSSL

extension TLSError {
    /// The circumstances that determine the meaning of an OpenSSL error.
    struct Circumstances {
        /// The name that a client verifies; nil on a server.
        let serverName: String?
        /// Whether the handshake is complete.
        let isEstablished: Bool
        let minimumVersion: TLSVersion
        /// Whether we have the certificate that the server has requested, or `nil` if it has requested none.
        let hasRequestedCertificate: Bool?
        /// Whether we have refused to renegotiate.
        let hasRefusedRenegotiation: Bool
        /// The version of HTTP that was offered.
        let version: HTTPVersion

        var isServer: Bool { serverName == nil }
    }

    /// Interprets the errors of a failed call.
    init(_ errors: [OpenSSLError], of circumstances: Circumstances) {
        // Prefers an error of the TLS layer: cryptographic functions fail for a reason that TLS knows.
        let error = errors.first { $0.library == ERR_LIB_SSL } ?? errors.first
        guard let error else {
            self = .failed(reason: "no reason given")
            return
        }
        guard error.library == ERR_LIB_SSL else {
            self = .failed(reason: error.words)
            return
        }
        let alert = Int(error.reason) - Int(SSL_AD_REASON_OFFSET)
        self =
            (0...255).contains(alert)
            ? Self.ofAlert(alert, circumstances)
            : Self.ofReason(error, circumstances)
    }

    /// The peer's alert (RFC 8446 §6), or `nil` if there was none, or if this side may have found the problem itself.
    package var peerAlert: (name: String, number: Int)? {
        switch self {
        case .alert(let name, let number): return (name, number)
        case .nothingInCommon(let name?), .clientCertificateRejected(let name), .ownCertificateRejected(let name):
            return (0...255).first { Self.name(ofAlert: $0) == name }.map { (name, $0) }
        case .unrecognizedName:
            let number = Int(SSL_AD_UNRECOGNIZED_NAME)
            return (Self.name(ofAlert: number), number)
        default: return nil
        }
    }

    private static func name(ofAlert number: Int) -> String {
        SSL_alert_desc_string_long(Int32(number)).map { String(cString: $0) } ?? "unknown"
    }

    /// Interprets an alert from the peer (RFC 8446 §6.2).
    private static func ofAlert(_ number: Int, _ circumstances: Circumstances) -> TLSError {
        let name = Self.name(ofAlert: number)
        let alert = Int32(number)
        // Servers say in different ways that they do not continue without renegotiation.
        if circumstances.hasRefusedRenegotiation,
            [SSL_AD_HANDSHAKE_FAILURE, SSL_AD_NO_RENEGOTIATION, SSL_AD_UNEXPECTED_MESSAGE].contains(alert)
        {
            return .renegotiationRequired
        }
        if let error = ofCertificateAlert(alert, name: name, circumstances) { return error }
        // RFC 8446 §6.2: the following alerts concern the handshake and are meaningless after it.
        guard !circumstances.isEstablished else { return .alert(name: name, number: number) }
        switch alert {
        case SSL_AD_PROTOCOL_VERSION: return unsupportedVersion(circumstances)
        case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_INSUFFICIENT_SECURITY: return .nothingInCommon(alert: name)
        case SSL_AD_UNRECOGNIZED_NAME where !circumstances.isServer:
            return .unrecognizedName(circumstances.serverName ?? "")
        case SSL_AD_NO_APPLICATION_PROTOCOL:
            return .noApplicationProtocol(circumstances.version, peerIsServer: !circumstances.isServer)
        default: return .alert(name: name, number: number)
        }
    }

    /// Interprets an alert about our certificate or the lack of one. Returns `nil` for other alerts.
    private static func ofCertificateAlert(
        _ alert: Int32, name: String, _ circumstances: Circumstances
    ) -> TLSError? {
        let isOfCertificate =
            switch alert {
            case SSL_AD_NO_CERTIFICATE, SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE,
                SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA,
                SSL_AD_ACCESS_DENIED, SSL_AD_CERTIFICATE_REQUIRED:
                true
            // TLS 1.2 has no specific alert for a missing certificate.
            case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_DECRYPT_ERROR: circumstances.hasRequestedCertificate != nil
            default: false
            }
        guard isOfCertificate else { return nil }
        if circumstances.isServer { return .ownCertificateRejected(alert: name) }
        if alert == SSL_AD_CERTIFICATE_REQUIRED { return .clientCertificateRequired }
        guard let hasCertificate = circumstances.hasRequestedCertificate else { return nil }
        return hasCertificate ? .clientCertificateRejected(alert: name) : .clientCertificateRequired
    }

    /// Interprets an error that OpenSSL itself detected.
    private static func ofReason(_ error: OpenSSLError, _ circumstances: Circumstances) -> TLSError {
        switch error.reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_UNKNOWN_PROTOCOL,
            SSL_R_INAPPROPRIATE_FALLBACK:
            return unsupportedVersion(circumstances)
        case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM,
            SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_CIPHERS_AVAILABLE,
            SSL_R_UNSUPPORTED_ELLIPTIC_CURVE, SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_CURVE:
            return .nothingInCommon(alert: nil)
        case SSL_R_DH_KEY_TOO_SMALL, SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK:
            return .weakKeyExchange(reason: error.words)
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .clientSentNoCertificate
        case SSL_R_NO_APPLICATION_PROTOCOL:
            return .noApplicationProtocol(circumstances.version, peerIsServer: !circumstances.isServer)
        case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_DECRYPTION_FAILED, SSL_R_WRONG_VERSION_NUMBER,
            SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_DATA_LENGTH_TOO_LONG, SSL_R_ENCRYPTED_LENGTH_TOO_LONG,
            SSL_R_BAD_RECORD_TYPE, SSL_R_RECORD_LENGTH_MISMATCH, SSL_R_RECORD_TOO_SMALL, SSL_R_LENGTH_TOO_SHORT,
            SSL_R_BLOCK_CIPHER_PAD_IS_WRONG:
            return .badRecord(reason: error.words)
        default: return .violation(reason: error.words)
        }
    }

    private static func unsupportedVersion(_ circumstances: Circumstances) -> TLSError {
        .unsupportedVersion(minimum: circumstances.minimumVersion, peerIsServer: !circumstances.isServer)
    }
}
