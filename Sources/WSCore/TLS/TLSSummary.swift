import COpenSSL

/// What a handshake has agreed on, and with whom.
public struct TLSSummary: Equatable, Sendable {
    /// "TLS 1.3" or "TLS 1.2".
    public let version: String
    /// OpenSSL's name of the cipher suite.
    public let cipher: String
    /// The protocol that the server chose, if it chose one (RFC 7301).
    public let applicationProtocol: String?
    /// Whether the session continues an earlier one.
    public let isResumed: Bool
    /// Whether the peer's certificate was verified, and not merely compared to pins or taken as it is.
    public let isVerified: Bool
    /// What the peer showed; nil on a server that asked for nothing.
    public let peerCertificate: TLSCertificateSummary?
    /// Whether the server asked for a certificate of ours.
    public let clientCertificateWasRequested: Bool
}

/// What a certificate says; its texts are safe to print.
public struct TLSCertificateSummary: Equatable, Sendable {
    /// Whose certificate it is, on one line.
    public let subject: String
    /// Who signed it, on one line.
    public let issuer: String
    /// The host names and addresses it is for.
    public let names: [String]
    /// Since when it is valid, as "2026-11-21 12:42:18 UTC".
    public let notBefore: String
    /// Until when it is valid, as "2026-11-21 12:42:18 UTC".
    public let notAfter: String
    /// Since when it is valid, in seconds since the beginning of 1970; nil if that cannot be read.
    public let notBeforeSeconds: Int?
    /// Until when it is valid, in seconds since the beginning of 1970; nil if that cannot be read.
    public let notAfterSeconds: Int?
    /// What to pin it by.
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
