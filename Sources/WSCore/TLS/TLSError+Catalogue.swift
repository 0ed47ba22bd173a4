extension TLSError {
    /// Every error that a client can encounter, with sample values, for the manual.
    package static let clientCatalogue: [TLSError] =
        TLSCertificateProblem.catalogue.map(TLSError.certificate) + [
            .clientCertificateRequired, .clientCertificateRejected(alert: "unknown CA"),
            .renegotiationRequired, .notTLS(preview: Array("HTTP/1.1 400".utf8), peerIsServer: true),
            .unsupportedVersion(minimum: .tls12, peerIsServer: true), .nothingInCommon(alert: "handshake failure"),
            .unrecognizedName("example.org"), .noApplicationProtocol(.http1, peerIsServer: true),
            .noApplicationProtocol(.http2, peerIsServer: true), .weakKeyExchange(reason: "dh key too small"),
            .alert(name: "internal error", number: 80), .badRecord(reason: "bad record mac"),
            .violation(reason: "unexpected message"), .endedDuringHandshake(peerHasAnswered: true),
            .invalidServerName("a..example.org"), .failed(reason: "internal error"),
        ]

    /// The errors that only a server can encounter, except problems with client certificates.
    static let serverCatalogue: [TLSError] = [
        .clientSentNoCertificate, .ownCertificateRejected(alert: "unknown CA"),
    ]
}

extension TLSCertificateProblem {
    /// Every problem, with sample values.
    static let catalogue: [TLSCertificateProblem] = {
        let subject = "CN=example.org"
        let issuer = "CN=Example CA"
        let host = "www.example.net"
        let pattern = "*.example.net"
        let pin = try? TLSPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        return [
            .expired(subject: subject, depth: 0, at: "2026-01-31 12:00:00 UTC"),
            .notYetValid(subject: subject, depth: 0, from: "2026-01-31 12:00:00 UTC"),
            .selfSigned(subject: subject, pin: pin),
            .unknownAuthority(authority: issuer), .missingIssuer(subject: subject, issuer: issuer),
            .wrongHost(host: host, names: ["example.org"]), .wrongAddress(address: "192.0.2.1", names: ["example.org"]),
            .wildcardAcrossLabels(host: "a.b.example.net", pattern: pattern),
            .wildcardTooWide(host: "example.net", pattern: "*.net"),
            .noAlternativeName(host: host, commonName: "example.org"), .wrongPurpose(subject: subject, depth: 0),
            .wrongPin(pin: pin),
            .weakKey(subject: subject, depth: 0, algorithm: "RSA", bits: 1024),
            .weakDigest(subject: subject, depth: 0, algorithm: "RSA-SHA1"),
            .notAnAuthority(subject: issuer),
            .pathLengthExceeded(subject: issuer), .revoked(subject: subject), .badSignature(subject: subject),
            .nameNotPermitted(subject: subject), .chainTooLong,
            .rejected(subject: subject, reason: "unhandled critical extension"),
        ]
    }()
}
