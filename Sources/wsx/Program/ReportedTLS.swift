import WSCore

/// Formats the parameters of a TLS session for display.
enum ReportedTLS {
    /// The lines for a session with the server or with a proxy.
    static func lines(_ summary: TLSSummary, with proxy: Proxy?) -> [String] {
        let place = proxy.map { " with the proxy \($0)" } ?? ""
        let resumed = summary.isResumed ? ", resumed" : ""
        let protocolName = summary.applicationProtocol.map { ", \(escapingControls($0))" } ?? ""
        var lines = ["TLS\(place): \(summary.version), \(summary.cipher)\(protocolName)\(resumed)"]
        guard let certificate = summary.peerCertificate else { return lines }
        lines += [
            "  subject: \(certificate.subject)",
            "  issuer: \(certificate.issuer)",
            "  names: \(certificate.names.joined(separator: ", "))",
            "  valid: \(certificate.notBefore) to \(certificate.notAfter)"
                + (summary.isVerified ? "" : " (not verified)"),
        ]
        if let pin = certificate.pin { lines.append("  pin: \(pin)") }
        return lines
    }
}
