import UserInterface
import WSCore

/// The header fields of a curl command, as options of `wsx connect`.
struct CurlFields {
    /// The fields of the request in order, except those of the handshake.
    private var fields: [HeaderField] = []
    /// Fields of options, each unless `-H` has one of its name.
    private var defaultFields: [HeaderField] = []
    /// The names of fields that are omitted, in lower case.
    private var omittedNames: Set<String> = []
    /// The values of Cookie fields. Without any, those of `-b` apply.
    private var cookies: [String] = []
    /// The values of `-b`.
    var optionCookies: [String] = []
    /// The value of a User-Agent field; empty: none.
    private var userAgent: String?
    /// The value of `-A`, which applies without such a field; empty: none.
    var defaultUserAgent: String?

    /// Adds the field of `-H`.
    /// - Parameter isOmitted: Whether it stands for the omission of a default field.
    /// - Returns: `false` if it has no meaning for a WebSocket.
    mutating func add(_ field: HeaderField, isOmitted: Bool) -> Bool {
        switch field.name.lowercased() {
        case "user-agent": userAgent = field.value
        case let name where isOmitted: omittedNames.insert(name)
        case "cookie": cookies.append(field.value)
        case "content-length", "transfer-encoding", "sec-websocket-accept": return false
        default: fields.append(field)
        }
        return true
    }

    /// Adds the field of an option.
    mutating func add(default name: String, _ value: String) {
        defaultFields.append(HeaderField(wellFormedName: name, value: value))
    }

    /// Whether a field is omitted.
    /// - Parameter name: The name in lower case.
    func omits(_ name: String) -> Bool { omittedNames.contains(name) }

    private var all: [HeaderField] {
        fields
            + defaultFields.filter { field in
                !omits(field.name.lowercased()) && !fields.contains { $0.isNamed(field.name) }
            }
    }

    /// All values.
    var values: [String] {
        all.map(\.value) + cookies + optionCookies + [userAgent ?? defaultUserAgent].compactMap { $0 }
    }

    /// The options for the fields of a request to a URL.
    func options(for url: String) -> [String] {
        let cookies = omits("cookie") ? [] : cookies.isEmpty ? optionCookies : cookies
        var options: [String] = []
        if let userAgent = userAgent ?? defaultUserAgent { options.append("--user-agent=" + userAgent) }
        options += all.compactMap { Self.option($0, url: url) }
        if !cookies.isEmpty { options.append("--header=Cookie: " + cookies.joined(separator: "; ")) }
        return options
    }

    /// The option for a field, or `nil` for one that wsx sets itself. An option with the name of the field replaces
    /// one of the configuration file.
    private static func option(_ field: HeaderField, url: String) -> String? {
        switch field.name.lowercased() {
        case "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions": nil
        case "sec-websocket-protocol": "--subprotocol=" + field.value
        case "origin" where OriginPolicy.isOrigin(field.value): "--origin=" + field.value
        case "host":
            (try? WebSocketURL(parsing: url))?.hostField == field.value.lowercased() ? nil : "--host=" + field.value
        default: "--header=\(field.name): \(field.value)"
        }
    }

    /// The options for compression. A command with the fields of a handshake but without an extension offers none.
    var compressionOptions: [String] {
        func values(_ name: String) -> [String] {
            fields.filter { $0.isNamed(name) }.map(\.value)
        }
        let offers = (try? ExtensionHeader.parse(values(ExtensionHeader.fieldName))) ?? []
        guard let offer = offers.first(where: { $0.name == DeflateParameters.extensionName }) else {
            return values("Sec-WebSocket-Version").isEmpty ? [] : ["--compress=off"]
        }
        let names = offer.parameters.map(\.name)
        let bits = offer.parameters.filter { $0.name.hasSuffix("_max_window_bits") }.compactMap(\.value).first
        let isAlone = names.contains { $0.hasSuffix("_no_context_takeover") }
        return ["--compress"] + (bits.map { ["--compress-window-bits=" + $0] } ?? [])
            + (isAlone ? ["--compress-no-context"] : [])
    }
}
