import UserInterface
import WSCore

/// The CGI environment variables (RFC 3875 §4.1) that describe a client's request to its program.
///
/// Most values are chosen by the client. They are passed only as environment values, never through a shell or as
/// arguments. Values and variables known to exploit shells or libraries are left out.
struct RequestEnvironment {
    /// The request.
    let request: RequestHead
    /// The authenticated login, or `nil` if the server requires none.
    let login: Login?
    /// The negotiated subprotocol, or `nil` if there is none.
    let subprotocol: String?
    /// The client's number.
    let client: Int
    /// The client's address, or `nil` if it is unknown or on a Unix domain socket.
    let clientAddress: SocketAddress?
    /// The listening port, or `nil` on a Unix domain socket.
    let serverPort: UInt16?
    /// The negotiated TLS parameters, or `nil` without TLS.
    let tls: TLSSummary?

    /// The variables. Values are bytes because a client may send invalid UTF-8, which is passed through unchanged.
    var variables: [String: [UInt8]] {
        var variables = fieldVariables
        variables["PATH_INFO"] = request.decodedPathBytes
        for (name, value) in ownVariables { variables[name] = Array(value.utf8) }
        return variables.filter { Self.isInert($0.value) }
    }

    /// The variables other than header fields and PATH_INFO; their values are text.
    private var ownVariables: [String: String] {
        var variables: [String: String] = [:]
        // RFC 3875 §4.1: meta-variables of the server. None of them begins with HTTP_.
        variables["GATEWAY_INTERFACE"] = "CGI/1.1"
        variables["SERVER_SOFTWARE"] = "wsx/\(version)"
        variables["SERVER_PROTOCOL"] = request.versionText
        variables["SERVER_NAME"] = request.host?.name
        variables["SERVER_PORT"] = String(serverPort ?? request.host?.port ?? (tls == nil ? 80 : 443))
        variables["HTTPS"] = tls == nil ? nil : "on"
        variables["REQUEST_METHOD"] = request.method
        variables["REQUEST_URI"] = (request.path ?? "/") + (request.query.map { "?\($0)" } ?? "")
        // RFC 3875 §4.1.13: the part of the path that identifies the program. It is empty here; the program gets the
        // whole path.
        variables["SCRIPT_NAME"] = ""
        variables["QUERY_STRING"] = request.query ?? ""
        switch login {
        case .basic(let user):
            // RFC 3875 §4.1.1, §4.1.11: the authentication scheme and the user.
            variables["AUTH_TYPE"] = "Basic"
            variables["REMOTE_USER"] = user
        case .bearer: variables["AUTH_TYPE"] = "Bearer"
        case nil: break
        }
        if let clientAddress {
            variables["REMOTE_ADDR"] = clientAddress.host
            // RFC 3875 §4.1.9: the address, if the name is unknown.
            variables["REMOTE_HOST"] = clientAddress.host
            variables["REMOTE_PORT"] = String(clientAddress.port)
        }
        variables["SSL_CLIENT_S_DN"] = tls?.peerCertificate?.subject
        variables["WSX_SUBPROTOCOL"] = subprotocol
        variables["WSX_CLIENT"] = String(client)
        return variables
    }

    /// The header fields (RFC 3875 §4.1.18). Fields with the same name are combined into a list.
    private var fieldVariables: [String: [UInt8]] {
        var variables: [String: [UInt8]] = [:]
        for field in request.fields {
            guard let name = Self.variable(ofField: field.name) else { continue }
            // RFC 9110 §5.3: a comma separates combined values; RFC 6265 §5.4: a semicolon separates cookies.
            let separator = name == "HTTP_COOKIE" ? "; " : ", "
            variables[name] = (variables[name].map { $0 + Array(separator.utf8) } ?? []) + field.valueBytes
        }
        return variables
    }

    /// The variable for a header field, or `nil` if the field is withheld.
    ///
    /// Only names of letters, digits, and hyphens have variables; otherwise `X_Name` would be confused with `X-Name`.
    static func variable(ofField name: String) -> String? {
        var variable = Array("HTTP_".utf8)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): variable.append(byte - 0x20)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): variable.append(byte)
            case UInt8(ascii: "-"): variable.append(UInt8(ascii: "_"))
            default: return nil
            }
        }
        let text = String(decoding: variable, as: UTF8.self)
        return withheldVariables.contains(text) ? nil : text
    }

    /// Variables that programs do not get. Many libraries take HTTP_PROXY for the user's proxy (httpoxy). RFC 3875 §9.2
    /// advises against passing credentials on. A request without content has no length or type (§4.1.2, §4.1.3).
    private static let withheldVariables: Set = [
        "HTTP_PROXY", "HTTP_AUTHORIZATION", "HTTP_PROXY_AUTHORIZATION", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE",
    ]

    /// Whether a value is safe to pass on. Control characters can end lines or strings. Old shells ran values that
    /// begin with `() {` as functions (CVE-2014-6271).
    private static func isInert(_ value: [UInt8]) -> Bool {
        guard !value.starts(with: "() {".utf8) else { return false }
        // The last condition finds U+0080 through U+009F in UTF-8, where C2 is always the first of two bytes.
        return value.indices.allSatisfy { index in
            let byte = value[index]
            let isControl =
                byte < 0x20 || byte == 0x7F || (0x80...0x9F ~= byte && index > 0 && value[index - 1] == 0xC2)
            return !isControl
        }
    }
}

extension RequestEnvironment {
    /// Describes the request of a client.
    init(of client: AcceptedClient, in run: ListenRun) {
        request = client.upgrade.request
        login = client.upgrade.login
        subprotocol = client.upgrade.subprotocol
        self.client = client.number
        clientAddress = client.address.socketAddress
        serverPort = run.places[client.endpointIndex].port
        tls = client.tls
    }
}
