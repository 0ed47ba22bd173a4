import Formats
import WSCore

/// Formats the heads of requests and responses for display: one line per field, without secrets.
enum ReportedHead {
    /// The lines of a request or response, as sent.
    static func lines(ofSent head: String) -> [String] {
        head.split(separator: "\r\n").enumerated().map { index, sent in
            let name = sent.prefix { $0 != ":" }
            // The first line is no field, even if its path contains a colon and a word such as "password".
            let isSecret = index > 0 && HeaderField.isSecret(name: name)
            return escapingControls(isSecret ? "\(name): •••" : String(sent))
        }
    }

    /// The lines of a received request.
    static func lines(of request: RequestHead) -> [String] {
        (["\(request.method) \(request.target) HTTP/1.\(request.minorVersion)"] + request.fields.map(line))
            .map { escapingControls($0) }
    }

    /// The lines of a response.
    static func lines(of response: ResponseHead) -> [String] {
        let reason = response.reason.isEmpty ? "" : " \(response.reason)"
        return (["HTTP/1.\(response.minorVersion) \(response.status)\(reason)"] + response.fields.map(line))
            .map { escapingControls($0) }
    }

    private static func line(_ field: HeaderField) -> String {
        "\(field.name): \(value(of: field))"
    }

    /// The value of a field, without secrets.
    private static func value(of field: HeaderField) -> String {
        if field.isSecret { return "•••" }
        // RFC 9110 §4.2.4: a URL can contain a user name and password.
        return field.isNamed("Location") ? WebSocketURL.withoutUserInfo(field.value) : field.value
    }

    /// Header fields as a JSON object, as in curl's `%{header_json}`: names in lower case, each with an array of values.
    static func json(_ fields: HTTPFields) -> JSONWriter {
        var json = JSONWriter()
        var names: Set<String> = []
        for field in fields {
            let name = field.name.lowercased()
            guard names.insert(name).inserted else { continue }
            json.add(named: name, fields.filter { $0.isNamed(name) }.map(value))
        }
        json.endObject()
        return json
    }
}
