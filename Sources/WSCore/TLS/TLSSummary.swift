import COpenSSL

/// The result of a TLS handshake.
package struct TLSSummary: Equatable, Sendable {
    /// The version: "TLS 1.3" or "TLS 1.2".
    package let version: String
    /// OpenSSL's name of the cipher suite.
    package let cipher: String
    /// The group of the key exchange, as in "x25519", or `nil` without one.
    package var group: String?
    /// The application protocol that the server selected (RFC 7301), or `nil`.
    package let applicationProtocol: String?
    /// Whether the session was resumed.
    package let isResumed: Bool
    /// Whether the peer's certificate was verified, not just compared to pins or accepted unchecked.
    package let isVerified: Bool
    /// The peer's certificate, or `nil` on a server that did not request one.
    package let peerCertificate: TLSCertificateSummary?
    /// Whether the server requested a client certificate.
    package let clientCertificateWasRequested: Bool
    /// Names the first certificate of the server's chain that is out of order; nil if all are in order.
    package var chainOrderNote: String?
}

/// The contents of a certificate. All strings are safe to print.
package struct TLSCertificateSummary: Equatable, Sendable {
    /// The subject in one line.
    package let subject: String
    /// The issuer in one line.
    package let issuer: String
    /// The host names and addresses that the certificate is for.
    package let names: [String]
    /// The beginning of the validity, as in "2026-11-21 12:42:18 UTC".
    package let notBefore: String
    /// The end of the validity, as in "2026-11-21 12:42:18 UTC".
    package let notAfter: String
    /// The beginning of the validity in seconds since 1970-01-01 00:00 UTC, or `nil` if it is unreadable.
    package let notBeforeSeconds: Int?
    /// The end of the validity in seconds since 1970-01-01 00:00 UTC, or `nil` if it is unreadable.
    package let notAfterSeconds: Int?
    /// The pin of the certificate's key, or `nil` if it cannot be encoded.
    package let pin: TLSPin?

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
