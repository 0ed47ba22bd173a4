import WSCore

/// What a program is told of its client's request, in the variables of CGI (RFC 3875 §4.1).
///
/// A client chooses most of the values. They are nothing but values: no shell and no argument ever sees them, and those that
/// a shell or a library is known to have taken for more are left out.
struct RequestEnvironment {
    /// The request.
    let request: RequestHead
    /// As whom the client has come in; nil: nobody is asked.
    let login: Login?
    /// The subprotocol that was agreed on; nil: there is none.
    let subprotocol: String?
    /// The client's number.
    let client: Int
    /// The client's address; nil on a Unix-domain socket, or when it is not known.
    let clientAddress: SocketAddress?
    /// The port that is listened on; nil on a Unix-domain socket.
    let serverPort: UInt16?
    /// What was agreed for TLS; nil: it is not used.
    let tls: TLSSummary?

    /// The variables and their values, which are bytes: a client need not send text, and what it sends is not changed.
    var variables: [String: [UInt8]] {
        var variables = fieldVariables
        variables["PATH_INFO"] = request.decodedPathBytes
        for (name, value) in ownVariables { variables[name] = Array(value.utf8) }
        return variables.filter { Self.isInert($0.value) }
    }

    /// What is text, but for the header fields.
    private var ownVariables: [String: String] {
        var variables: [String: String] = [:]
        // RFC 3875 §4.1: names that the gateway itself sets; none of them begins with HTTP_.
        variables["GATEWAY_INTERFACE"] = "CGI/1.1"
        variables["SERVER_SOFTWARE"] = "wsx/\(version)"
        variables["SERVER_PROTOCOL"] = "HTTP/1.\(request.minorVersion)"
        variables["SERVER_NAME"] = request.host?.name
        variables["SERVER_PORT"] = String(serverPort ?? request.host?.port ?? (tls == nil ? 80 : 443))
        variables["HTTPS"] = tls == nil ? nil : "on"
        variables["REQUEST_METHOD"] = request.method
        variables["REQUEST_URI"] = (request.path ?? "/") + (request.query.map { "?\($0)" } ?? "")
        // RFC 3875 §4.1.13: the part of the path that leads to the program, here none, and the rest for the program.
        variables["SCRIPT_NAME"] = ""
        variables["QUERY_STRING"] = request.query ?? ""
        switch login {
        case .basic(let user):
            // RFC 3875 §4.1.1, §4.1.11: how a request has been authenticated, and as whose.
            variables["AUTH_TYPE"] = "Basic"
            variables["REMOTE_USER"] = user
        case .bearer: variables["AUTH_TYPE"] = "Bearer"
        case nil: break
        }
        if let clientAddress {
            variables["REMOTE_ADDR"] = clientAddress.host
            // RFC 3875 §4.1.9: the address, where the name is not known.
            variables["REMOTE_HOST"] = clientAddress.host
            variables["REMOTE_PORT"] = String(clientAddress.port)
        }
        variables["SSL_CLIENT_S_DN"] = tls?.peerCertificate?.subject
        variables["WSX_SUBPROTOCOL"] = subprotocol
        variables["WSX_CLIENT"] = String(client)
        return variables
    }

    /// The header fields (RFC 3875 §4.1.18); those of the same name are one list.
    private var fieldVariables: [String: [UInt8]] {
        var variables: [String: [UInt8]] = [:]
        for field in request.fields {
            guard let name = Self.variable(ofField: field.name) else { continue }
            // RFC 9110 §5.3, and RFC 6265 §5.4 for what is separated in another way.
            let separator = name == "HTTP_COOKIE" ? "; " : ", "
            variables[name] = (variables[name].map { $0 + Array(separator.utf8) } ?? []) + field.valueBytes
        }
        return variables
    }

    /// The variable of a header field; nil: there is none for it.
    ///
    /// A name with anything but letters, digits and hyphens in it has none: `X_Name` would be taken for `X-Name`.
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

    /// Many libraries take HTTP_PROXY for the user's proxy (httpoxy). The credentials of a request are not the program's
    /// (RFC 3875 §9.2), and a request without content has neither length nor type (§4.1.2, §4.1.3).
    private static let withheldVariables: Set = [
        "HTTP_PROXY", "HTTP_AUTHORIZATION", "HTTP_PROXY_AUTHORIZATION", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE",
    ]

    /// Whether a value can be nothing but a value: control characters end lines and texts, and what begins like this was a
    /// function to old shells, which ran it (CVE-2014-6271).
    private static func isInert(_ value: [UInt8]) -> Bool {
        guard !value.starts(with: "() {".utf8) else { return false }
        // The last are the controls U+0080 through U+009F in UTF-8, where C2 is always the first byte of two.
        return value.indices.allSatisfy { index in
            let byte = value[index]
            let isControl =
                byte < 0x20 || byte == 0x7F || (0x80...0x9F ~= byte && index > 0 && value[index - 1] == 0xC2)
            return !isControl
        }
    }
}
