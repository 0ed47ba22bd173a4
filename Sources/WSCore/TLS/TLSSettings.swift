/// The supported versions of TLS. Older versions are never used (RFC 8996).
package enum TLSVersion: Sendable, Comparable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
}

extension TLSVersion: CustomStringConvertible {
    /// The version number alone, such as "1.2".
    package var description: String {
        switch self {
        case .tls12: "1.2"
        case .tls13: "1.3"
        }
    }
}

/// The authorities to trust.
package enum TLSTrust: Sendable, Equatable {
    /// The system's authorities in OpenSSL's default locations. SSL_CERT_FILE and SSL_CERT_DIR override them.
    case system
    /// Only the certificates in a PEM file.
    case file(String)
    /// Only the certificates in the PEM files of a directory.
    case directory(String)
    /// Only these certificates, in PEM.
    case certificates([UInt8])
}

/// The TLS settings of a client.
package struct TLSClientSettings: Sendable {
    /// Whether to verify the server's certificate. Pins are checked in any case. Default: true.
    package var verifiesPeer = true
    /// The authorities to trust. Default: ``TLSTrust/system``.
    package var trust = TLSTrust.system
    /// The certificate for servers that request one, or `nil`.
    package var certificate: TLSCertificateSource?
    /// The accepted keys. If any are given, the server's key must match one of them.
    package var pins: [TLSPin] = []
    /// The oldest version to accept. Default: TLS 1.2.
    package var minimumVersion = TLSVersion.tls12
    /// Whether later connections to a server resume the session of an earlier one. Default: true.
    package var resumesSessions = true
    /// Receives the lines of an SSLKEYLOGFILE, without line endings.
    package var keyLog: (@Sendable (String) -> Void)?

    /// Creates the default settings: everything is verified against the system's authorities.
    package init() {}
}

/// The TLS settings of a server.
package struct TLSServerSettings: Sendable {
    /// The server's certificate.
    package var certificate: TLSCertificateSource
    /// The authorities for client certificates, or `nil` not to request them. If given, a client certificate is
    /// required.
    package var clientTrust: TLSTrust?
    /// Receives the lines of an SSLKEYLOGFILE, without line endings.
    package var keyLog: (@Sendable (String) -> Void)?
    /// Whether clients may select HTTP/2 by ALPN.
    package var acceptsHTTP2 = false
    /// The secret keys of session tickets (RFC 5077 §4), ``ticketKeyByteCount`` random bytes, for servers that resume each
    /// other's sessions; `nil`: keys of its own.
    package var ticketKeys: [UInt8]?

    /// OpenSSL: a name of 16 bytes, and two keys of 32.
    package static let ticketKeyByteCount = 80

    /// Creates settings. By default, no client certificate is requested.
    package init(certificate: TLSCertificateSource, clientTrust: TLSTrust? = nil) {
        self.certificate = certificate
        self.clientTrust = clientTrust
    }
}
