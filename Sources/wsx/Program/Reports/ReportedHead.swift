import Conversation
import Formats
import WSCore

/// Formats the heads of requests and responses for display: one line per field, without secrets.
enum ReportedHead {
    /// The lines of a request or response, as sent.
    /// - Parameter secrets: The secrets of the run.
    static func lines(ofSent head: String, without secrets: SecretRecord) -> [String] {
        head.split(separator: "\r\n").enumerated().map { index, sent in
            // The first line is no field, even if its path contains a colon and a word such as "password".
            let field = index > 0 ? try? HeaderField(parsing: String(sent)) : nil
            return shown(field.map(line) ?? String(sent), without: secrets)
        }
    }

    /// The lines of a received request.
    /// - Parameter secrets: The secrets of the run, which the peer may know.
    static func lines(of request: RequestHead, without secrets: SecretRecord) -> [String] {
        let target = SecretQuery.masking(request.target)
        return (["\(request.method) \(target) \(request.versionText)"] + request.fields.map(line))
            .map { shown($0, without: secrets) }
    }

    /// The lines of a response.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    static func lines(of response: ResponseHead, without secrets: SecretRecord) -> [String] {
        let reason = response.reason.isEmpty ? "" : " \(response.reason)"
        let first =
            switch response.version {
            case .http1: "HTTP/1.\(response.minorVersion) \(response.status)\(reason)"
            case .http2: ":status: \(response.status)"
            }
        return ([first] + response.fields.map(line)).map { shown($0, without: secrets) }
    }

    private static func shown(_ line: String, without secrets: SecretRecord) -> String {
        escapingControls(secrets.masking(line))
    }

    private static func line(_ field: HeaderField) -> String {
        "\(field.name): \(value(of: field))"
    }

    /// The value of a field, without secrets.
    static func value(of field: HeaderField) -> String {
        if field.isSecret { return SecretText.mask }
        if field.isNamed("Sec-WebSocket-Protocol") { return withoutSecrets(subprotocols: field) }
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
    static func json(_ fields: HTTPFields, without secrets: SecretRecord) -> JSONWriter {
        var json = JSONWriter()
        var names: Set<String> = []
        for field in fields {
            let name = field.name.lowercased()
            guard names.insert(name).inserted else { continue }
            let values = fields.filter { $0.isNamed(name) }.map(value)
            json.add(named: name, values.map(secrets.masking))
        }
        json.endObject()
        return json
    }
}
