/// The reason a TLS session failed.
package enum TLSError: Error, Equatable, Sendable {
    /// The server's certificate was not accepted.
    case certificate(TLSCertificateProblem)
    /// The client's certificate was not accepted.
    case clientCertificate(TLSCertificateProblem)
    /// The client did not send the certificate that the server requires.
    case clientSentNoCertificate
    /// The server requires a client certificate, and we have none.
    case clientCertificateRequired
    /// The server rejected our client certificate. Carries the name of its alert.
    case clientCertificateRejected(alert: String)
    /// A server of TLS 1.2 does not continue without renegotiation, which we refuse.
    case renegotiationRequired
    /// The client rejected the server's certificate. Carries the name of its alert.
    case ownCertificateRejected(alert: String)
    /// The peer does not speak TLS. `preview` holds its first bytes, at most 64.
    case notTLS(preview: [UInt8], peerIsServer: Bool)
    /// The peer does not support TLS `minimum` or later.
    case unsupportedVersion(minimum: TLSVersion, peerIsServer: Bool)
    /// The two sides have no cipher, key type, or signature algorithm in common. `alert` is the peer's alert, or `nil`
    /// if this side detected it.
    case nothingInCommon(alert: String?)
    /// The server does not know the requested name.
    case unrecognizedName(String)
    /// The peer does not speak this version of HTTP (RFC 7301).
    case noApplicationProtocol(HTTPVersion, peerIsServer: Bool)
    /// The key exchange that the server selected is too weak. Carries OpenSSL's reason.
    case weakKeyExchange(reason: String)
    /// The peer ended the session with an alert (RFC 8446 §6).
    case alert(name: String, number: Int)
    /// A record is malformed, or was modified in transit. Carries OpenSSL's reason.
    case badRecord(reason: String)
    /// The peer violated the TLS protocol. Carries OpenSSL's reason.
    case violation(reason: String)
    /// The transport ended during the handshake.
    case endedDuringHandshake(peerHasAnswered: Bool)
    /// The server name is empty or contains a NUL, so verification is impossible.
    case invalidServerName(String)
    /// Another failure. Carries OpenSSL's reason.
    case failed(reason: String)
}

extension TLSError {
    /// A stable identifier for scripts and the manual.
    package var identifier: String {
        switch self {
        case .certificate(let problem): problem.identifier
        case .clientCertificate(let problem): "client-" + problem.identifier
        case .clientSentNoCertificate: "client-sent-no-certificate"
        case .clientCertificateRequired: "client-certificate-required"
        case .clientCertificateRejected: "client-certificate-rejected"
        case .renegotiationRequired: "tls-renegotiation"
        case .ownCertificateRejected: "own-certificate-rejected"
        case .notTLS: "not-tls"
        case .unsupportedVersion: "tls-version"
        case .nothingInCommon: "tls-nothing-in-common"
        case .unrecognizedName: "tls-unrecognized-name"
        case .noApplicationProtocol(.http1, _): "tls-no-application-protocol"
        case .noApplicationProtocol(.http2, _): "tls-no-http2"
        case .weakKeyExchange: "tls-weak-key-exchange"
        case .alert: "tls-alert"
        case .badRecord: "tls-bad-record"
        case .violation: "tls-violation"
        case .endedDuringHandshake: "tls-ended-during-handshake"
        case .invalidServerName: "tls-invalid-server-name"
        case .failed: "tls-failed"
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// The reason and the remedy. Safe to print whatever the peer sent.
    package var description: String {
        switch self {
        case .certificate(let problem): problem.description
        case .clientCertificate(let problem): "the client's certificate \(problem.reason); check --client-ca"
        case .clientSentNoCertificate:
            "the client sent no certificate; configure one in the client, or omit --client-ca"
        case .clientCertificateRequired: "the server requires a client certificate; use --cert and --key"
        case .clientCertificateRejected(let alert):
            "the server rejected the client certificate (\(alert)); check --cert and --key, and that the server trusts "
                + "the certificate's issuer"
        case .renegotiationRequired:
            "the server wants to renegotiate TLS 1.2, usually to request a client certificate, which wsx refuses; let the "
                + "server request it in the first handshake, or use TLS 1.3"
        case .ownCertificateRejected(let alert):
            "the client rejected the server's certificate (\(alert)); make the client trust it, for example with --ca or --pin"
        case .notTLS(let preview, let peerIsServer): Self.describeNotTLS(preview, peerIsServer: peerIsServer)
        case .unsupportedVersion(let minimum, let peerIsServer):
            Self.describeUnsupportedVersion(minimum, peerIsServer: peerIsServer)
        case .nothingInCommon(let alert):
            "the two sides have no cipher, key type, or signature in common\(alert.map { " (\($0))" } ?? ""); "
                + "check the TLS settings of the other side"
        case .unrecognizedName(let name):
            "the server does not know the name \(quoted(name)); set the name it expects with --tls-server-name"
        case .noApplicationProtocol(_, peerIsServer: false):
            "the client does not speak HTTP/1.1, which this port requires; check the client"
        case .noApplicationProtocol(.http1, _):
            "the server does not speak HTTP/1.1 on this port; check the port, or use wsx connect --http2"
        case .noApplicationProtocol(.http2, _): "the server does not speak HTTP/2 on this port; omit --http2"
        case .weakKeyExchange(let reason): "the server's key exchange is too weak (\(reason)); check the server"
        case .alert(let name, let number): "the peer ended TLS with the alert \(name) (\(number)); check the peer's log"
        case .badRecord(let reason):
            "a TLS record was damaged in transit (\(reason)); try again, and check the network between the two machines"
        case .violation(let reason): "the peer violated the TLS protocol (\(reason)); check the peer"
        case .endedDuringHandshake(let peerHasAnswered):
            peerHasAnswered
                ? "the peer closed the connection in the middle of the TLS handshake; try again, and check its log"
                : "the peer closed the connection instead of starting TLS; wrong port, or a ws:// server?"
        case .invalidServerName(let name):
            "\(quoted(name)) is not a valid server name; check the URL and --tls-server-name"
        case .failed(let reason): "TLS failed (\(reason)); try again"
        }
    }

    private static func describeNotTLS(_ preview: [UInt8], peerIsServer: Bool) -> String {
        guard peerIsServer else {
            return
                "the client does not speak TLS: it sent \(quoted(String(decoding: preview, as: UTF8.self))); use wss://"
        }
        let isHTTP = preview.starts(with: "HTTP/".utf8)
        return
            "the server \(isHTTP ? "speaks plain HTTP" : "does not speak TLS") on this port; use ws:// instead of wss://"
    }

    private static func describeUnsupportedVersion(_ minimum: TLSVersion, peerIsServer: Bool) -> String {
        guard peerIsServer else { return "the client does not support TLS \(minimum) or later; update the client" }
        return minimum == .tls12
            ? "the server supports only TLS versions before 1.2, which are insecure; update the server"
            : "the server does not support TLS \(minimum); try --tls-min 1.2"
    }
}
