/// The versions of TLS that can be asked for; older ones are never spoken (RFC 8996).
public enum TLSVersion: Sendable, Comparable, CaseIterable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13
}

extension TLSVersion: CustomStringConvertible {
    /// The number alone: "1.2".
    public var description: String {
        switch self {
        case .tls12: "1.2"
        case .tls13: "1.3"
        }
    }
}

/// Whose signature under a certificate is believed.
public enum TLSTrust: Sendable, Equatable {
    /// The system's authorities, where OpenSSL finds them; SSL_CERT_FILE and SSL_CERT_DIR say otherwise.
    case system
    /// Only the certificates of a PEM file.
    case file(String)
    /// Only the certificates of the PEM files in a directory.
    case directory(String)
    /// Only these certificates, in PEM.
    case certificates([UInt8])
}

/// What a client asks of TLS.
public struct TLSClientSettings: Sendable {
    /// Whether the server's certificate has to be right; the pins hold either way.
    public var verifiesPeer = true
    /// Whose signature under the server's certificate is believed.
    public var trust = TLSTrust.system
    /// What is shown to a server that asks who we are.
    public var certificate: TLSCertificateSource?
    /// Where there are some, the server's key has to match one of them.
    public var pins: [TLSPin] = []
    /// The oldest version that will do.
    public var minimumVersion = TLSVersion.tls12
    /// Takes the lines of an SSLKEYLOGFILE, without their ends.
    public var keyLog: (@Sendable (String) -> Void)?

    /// Makes the settings that need no words: everything is verified against the system's authorities.
    public init() {}
}

/// What a server does with TLS.
public struct TLSServerSettings: Sendable {
    /// What the server shows to its clients.
    public var certificate: TLSCertificateSource
    /// Whose signature under a client's certificate is believed; nil asks for none, anything else demands one.
    public var clientTrust: TLSTrust?
    /// Takes the lines of an SSLKEYLOGFILE, without their ends.
    public var keyLog: (@Sendable (String) -> Void)?

    /// Makes settings that ask for no client's certificate.
    public init(certificate: TLSCertificateSource, clientTrust: TLSTrust? = nil) {
        self.certificate = certificate
        self.clientTrust = clientTrust
    }
}
