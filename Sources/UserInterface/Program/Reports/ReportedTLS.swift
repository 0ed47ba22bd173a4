import Conversation
import Formats
import WSCore

/// Formats the parameters of a TLS session for display.
package enum ReportedTLS {
    /// The lines for a session with the server or with a proxy. The first begins with `TLS`.
    package static func lines(_ summary: TLSSummary, with proxy: Proxy?, without secrets: SecretRecord) -> [String] {
        let place = proxy.map { " with the proxy \($0)" } ?? ""
        let lines = Self.lines(summary, without: secrets)
        return ["TLS\(place): \(lines[0])"] + lines.dropFirst()
    }

    /// The lines for a session: one for the session itself, then those for the peer's certificate.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat in a certificate.
    package static func lines(_ summary: TLSSummary, without secrets: SecretRecord) -> [String] {
        let resumed = summary.isResumed ? ", resumed" : ""
        let protocolName = summary.applicationProtocol.map { ", \(escapingControls($0))" } ?? ""
        let group = summary.group.map { ", \($0)" } ?? ""
        var lines = ["\(summary.version), \(summary.cipher)\(group)\(protocolName)\(resumed)"]
        guard let certificate = summary.peerCertificate else { return lines }
        lines += [
            "  subject: \(secrets.masking(certificate.subject))",
            "  issuer: \(secrets.masking(certificate.issuer))",
            "  names: \(secrets.masking(certificate.names.joined(separator: ", ")))",
            "  valid: \(certificate.notBefore) to \(certificate.notAfter)"
                + (summary.isVerified ? "" : " (not verified)"),
        ]
        if let pin = certificate.pin { lines.append("  pin: \(pin)") }
        if let note = summary.chainOrderNote {
            lines.append("  note: the chain is out of order: \(secrets.masking(note))")
        }
        return lines
    }

    /// A session with the server as a JSON object.
    package static func json(_ summary: TLSSummary, without secrets: SecretRecord) -> JSONWriter {
        var json = JSONWriter()
        json.add("version", summary.version)
        json.add("cipher", summary.cipher)
        if let group = summary.group { json.add("group", group) }
        if let name = summary.applicationProtocol { json.add("alpn", name) }
        json.add("resumed", summary.isResumed)
        json.add("verified", summary.isVerified)
        if let certificate = summary.peerCertificate {
            json.beginObject("certificate")
            json.add("subject", secrets.masking(certificate.subject))
            json.add("issuer", secrets.masking(certificate.issuer))
            json.add("names", certificate.names.map { secrets.masking($0) })
            if let time = certificate.notBeforeSeconds { json.add("not_before", text(ofSeconds: time)) }
            if let time = certificate.notAfterSeconds { json.add("not_after", text(ofSeconds: time)) }
            if let pin = certificate.pin { json.add("pin", "\(pin)") }
            json.endObject()
        }
        json.endObject()
        return json
    }

    private static func text(ofSeconds seconds: Int) -> String {
        EventTime.text(of: WallTime(seconds: seconds, microseconds: 0))
    }
}
