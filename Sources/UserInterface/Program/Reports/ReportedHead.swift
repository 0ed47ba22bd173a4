import Conversation
import Formats
import WSCore

/// Formats the heads of requests and responses for display: one line per field, without secrets.
package enum ReportedHead {
    /// The lines of a request or response, as sent.
    /// - Parameter secrets: The secrets of the run.
    package static func lines(ofSent head: String, without secrets: SecretRecord) -> [String] {
        head.split(separator: "\r\n").enumerated().map { index, sent in
            // The first line is no field, even if its path contains a colon and a word such as "password".
            guard index > 0, let field = try? HeaderField(parsing: String(sent)) else {
                return requestLine(String(sent), without: secrets)
            }
            return isOfHandshake(field) ? line(field) : line(field, without: secrets)
        }
    }

    /// Whether a request always has the field, with words of ours.
    private static func isOfHandshake(_ field: HeaderField) -> Bool {
        [
            "Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
            ":method", ":scheme", ":authority", ":protocol",
        ].contains(where: field.isNamed)
    }

    /// The first line of a request: `GET /?token=••• HTTP/1.1`.
    private static func requestLine(_ text: String, without secrets: SecretRecord) -> String {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let space = parts[1].lastIndex(of: " ") else {
            return escapingControls(secrets.masking(text))
        }
        let target = secrets.masking(String(parts[1][..<space]))
        return escapingControls("\(parts[0]) \(target)\(parts[1][space...])")
    }

    /// The lines of a received request.
    /// - Parameter secrets: The secrets of the run, which the peer may know.
    package static func lines(of request: RequestHead, without secrets: SecretRecord) -> [String] {
        let target = secrets.masking(SecretQuery.masking(request.shownTarget))
        return [escapingControls("\(secrets.masking(request.method)) \(target) \(request.versionText)")]
            + request.fields.map { line($0, without: secrets) }
    }

    /// The lines of a response.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    package static func lines(of response: ResponseHead, without secrets: SecretRecord) -> [String] {
        let reason = response.reason.isEmpty ? "" : " \(escapingControls(secrets.masking(response.reason)))"
        let first =
            switch response.version {
            case .http1: "HTTP/1.\(response.minorVersion) \(response.status)\(reason)"
            case .http2: ":status: \(response.status)"
            }
        return [first] + response.fields.map { line($0, without: secrets) }
    }

    private static func line(_ field: HeaderField, without secrets: SecretRecord = SecretRecord()) -> String {
        escapingControls("\(secrets.masking(field.name)): \(secrets.masking(value(of: field)))")
    }

    /// The value of a field, without secrets.
    package static func value(of field: HeaderField) -> String {
        if field.isSecret { return SecretText.mask }
        if field.isNamed("Sec-WebSocket-Protocol") { return withoutSecrets(subprotocols: field) }
        if field.isNamed("Host") { return RequestHead.withoutUserInfo(field.value) }
        // RFC 9110 §4.2.4: a URL can contain a user name and password.
        return field.isNamed("Location") ? WebSocketURL.shown(field.value) : SecretQuery.masking(field.value)
    }

    private static func withoutSecrets(subprotocols field: HeaderField) -> String {
        let names = HTTPFields([field]).elements(named: field.name)
        let secrets = HeaderField.secretSubprotocols(in: names)
        guard !secrets.isEmpty else { return field.value }
        return names.map { secrets.contains($0) ? SecretText.mask : $0 }.joined(separator: ", ")
    }

    /// Header fields as a JSON object, as in curl's `%{header_json}`: names in lower case, each with an array of values.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    package static func json(_ fields: HTTPFields, without secrets: SecretRecord) -> JSONWriter {
        var json = JSONWriter()
        var names: Set<String> = []
        for field in fields {
            let name = field.name.lowercased()
            guard names.insert(name).inserted else { continue }
            let values = fields.filter { $0.isNamed(name) }.map(value)
            json.add(named: name, values.map { secrets.masking($0) })
        }
        json.endObject()
        return json
    }
}
