import WSCore

/// Formats the parameters of a TLS session for display.
enum ReportedTLS {
    /// The lines for a session with the server or with a proxy. The first begins with `TLS`.
    static func lines(_ summary: TLSSummary, with proxy: Proxy?) -> [String] {
        let place = proxy.map { " with the proxy \($0)" } ?? ""
        let lines = Self.lines(summary)
        return ["TLS\(place): \(lines[0])"] + lines.dropFirst()
    }

    /// The lines for a session: one for the session itself, then those for the peer's certificate.
    static func lines(_ summary: TLSSummary) -> [String] {
        let resumed = summary.isResumed ? ", resumed" : ""
        let protocolName = summary.applicationProtocol.map { ", \(escapingControls($0))" } ?? ""
        var lines = ["\(summary.version), \(summary.cipher)\(protocolName)\(resumed)"]
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
