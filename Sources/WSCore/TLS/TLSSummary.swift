import COpenSSL

/// The result of a TLS handshake.
public struct TLSSummary: Equatable, Sendable {
    /// The version: "TLS 1.3" or "TLS 1.2".
    public let version: String
    /// OpenSSL's name of the cipher suite.
    public let cipher: String
    /// The group of the key exchange, as in "x25519", or `nil` without one.
    public var group: String?
    /// The application protocol that the server selected (RFC 7301), or `nil`.
    public let applicationProtocol: String?
    /// Whether the session was resumed.
    public let isResumed: Bool
    /// Whether the peer's certificate was verified, not just compared to pins or accepted unchecked.
    public let isVerified: Bool
    /// The peer's certificate, or `nil` on a server that did not request one.
    public let peerCertificate: TLSCertificateSummary?
    /// Whether the server requested a client certificate.
    public let clientCertificateWasRequested: Bool
}

/// The contents of a certificate. All strings are safe to print.
public struct TLSCertificateSummary: Equatable, Sendable {
    /// The subject in one line.
    public let subject: String
    /// The issuer in one line.
    public let issuer: String
    /// The host names and addresses that the certificate is for.
    public let names: [String]
    /// The beginning of the validity, as in "2026-11-21 12:42:18 UTC".
    public let notBefore: String
    /// The end of the validity, as in "2026-11-21 12:42:18 UTC".
    public let notAfter: String
    /// The beginning of the validity in seconds since 1970-01-01 00:00 UTC, or `nil` if it is unreadable.
    public let notBeforeSeconds: Int?
    /// The end of the validity in seconds since 1970-01-01 00:00 UTC, or `nil` if it is unreadable.
    public let notAfterSeconds: Int?
    /// The pin of the certificate's key, or `nil` if it cannot be encoded.
    public let pin: TLSPin?

    internal init(_ certificate: OpaquePointer) {
        subject = X509Text.subject(of: certificate)
        issuer = X509Text.issuer(of: certificate)
        names = X509Text.alternativeNames(of: certificate).all
        let start = X509_get0_notBefore(certificate)
        let end = X509_get0_notAfter(certificate)
        notBefore = X509Text.time(start)
        notAfter = X509Text.time(end)
        notBeforeSeconds = X509Text.seconds(start)
        notAfterSeconds = X509Text.seconds(end)
        pin = TLSPin(certificate: certificate)
    }
}
