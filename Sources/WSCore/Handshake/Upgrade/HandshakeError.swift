/// The reason a client's opening handshake failed.
public enum HandshakeError: Error, Equatable {
    /// The server closed the connection without sending a byte.
    case closedBeforeResponse
    /// The server closed the connection in the middle of its response's head.
    case incompleteResponse
    /// The response is not HTTP. `preview` holds its first bytes, at most 64.
    case notHTTP(preview: [UInt8])
    /// The response's head violates the rules of HTTP.
    case invalidResponse(HTTPHeadError)
    /// The server sent more interim responses (status 100 through 199) than
    /// ``ClientHandshake/maximumInterimResponses``.
    case tooManyInterimResponses
    /// The server answered with a status other than 101. `body` is the content received, at most
    /// ``ResponseBody/maximumBytes``, and `bodyIsTruncated` tells whether more was to come.
    case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)
    /// The Upgrade field is not `websocket`. Carries the values of all Upgrade fields.
    case invalidUpgrade(values: [String])
    /// The Connection field does not contain `upgrade`. Carries the values of all Connection fields.
    case invalidConnection(values: [String])
    /// The response has no Sec-WebSocket-Accept field.
    case missingAccept
    /// The response has more than one Sec-WebSocket-Accept field.
    case repeatedAccept
    /// The value of Sec-WebSocket-Accept is not the hash of the key sent.
    case wrongAccept(String)
    /// The response names more than one subprotocol.
    case repeatedSubprotocol([String])
    /// The response names a subprotocol that was not requested.
    case unrequestedSubprotocol(String)
    /// The value of Sec-WebSocket-Extensions violates its grammar.
    case malformedExtensions(String)
    /// The response accepts an extension that was not offered.
    case unofferedExtension(String)
}

extension HandshakeError {
    /// A stable identifier for scripts and the manual.
    public var identifier: String {
        switch self {
        case .closedBeforeResponse: "closed-before-response"
        case .incompleteResponse: "incomplete-response"
        case .notHTTP: "not-http"
        case .invalidResponse(let error): error.identifier
        case .tooManyInterimResponses: "too-many-interim-responses"
        case .refused: "refused"
        case .invalidUpgrade: "invalid-upgrade"
        case .invalidConnection: "invalid-connection"
        case .missingAccept: "missing-accept"
        case .repeatedAccept: "repeated-accept"
        case .wrongAccept: "wrong-accept"
        case .repeatedSubprotocol: "repeated-subprotocol"
        case .unrequestedSubprotocol: "unrequested-subprotocol"
        case .malformedExtensions: "malformed-extensions"
        case .unofferedExtension: "unoffered-extension"
        }
    }
}

extension HandshakeError: CustomStringConvertible {
    /// The reason and the remedy. Safe to print whatever the server sent.
    public var description: String { description(hasSentCredentials: false) }

    /// The description for a request that may have carried credentials (``ClientRequest/hasCredentials``), which a 401
    /// rejects.
    public func description(hasSentCredentials: Bool) -> String {
        switch self {
        case .closedBeforeResponse:
            "the server closed the connection without a response; check the port"
        case .incompleteResponse:
            "the server closed the connection in the middle of its response; try again"
        case .notHTTP(let preview):
            Self.describeNotHTTP(preview)
        case .invalidResponse(let error):
            "the server's response \(error); check that this is the port of a WebSocket server"
        case .tooManyInterimResponses:
            "the server sent more than \(ClientHandshake.maximumInterimResponses) interim responses; check the server"
        case .refused(let head, let body, _):
            Self.describeRefusal(head, body, hasSentCredentials: hasSentCredentials)
        case .invalidUpgrade(let values):
            values.isEmpty
                ? "the server's 101 response has no Upgrade header; a proxy may have removed it"
                : "the server upgrades to \(quoted(values.joined(separator: ", "))) instead of websocket; check the path"
        case .invalidConnection(let values):
            values.isEmpty
                ? "the server's 101 response has no Connection header; a proxy may have removed it"
                : "the server's Connection header is \(quoted(values.joined(separator: ", "))) instead of Upgrade; a proxy may have changed it"
        case .missingAccept:
            "the server's response has no Sec-WebSocket-Accept header; is this a WebSocket server? Check the path"
        case .repeatedAccept:
            "the server sent several Sec-WebSocket-Accept headers; check the server and any proxies"
        case .wrongAccept:
            "the server's Sec-WebSocket-Accept header is wrong; is this a WebSocket server? A proxy may have cached the response"
        case .repeatedSubprotocol(let names):
            "the server selected several subprotocols: \(quoted(names.joined(separator: ", "))); check the server"
        case .unrequestedSubprotocol(let name):
            "the server selected the subprotocol \(quoted(name)), which was not requested; request it with --subprotocol"
        case .malformedExtensions(let value):
            "the server's Sec-WebSocket-Extensions header is malformed: \(quoted(value)); check the server, or try --compress=off"
        case .unofferedExtension(let name):
            "the server accepted the extension \(quoted(name)), which was not offered; check the server"
        }
    }

    private static func describeNotHTTP(_ preview: [UInt8]) -> String {
        // RFC 8446 §5.1: a TLS alert record, a TLS server's reply to a plaintext request.
        if preview.starts(with: [0x15, 0x03]) {
            return "the server speaks TLS on this port; use wss:// instead of ws://"
        }
        let text = quoted(String(decoding: preview, as: UTF8.self))
        return "the server's response is not HTTP: \(text); check the port"
    }

    private static func describeRefusal(
        _ head: ResponseHead, _ body: [UInt8], hasSentCredentials: Bool
    ) -> String {
        let remedy =
            switch head.status {
            case 200...299: "; this is a web page, not a WebSocket endpoint: check the path"
            case _ where head.isRedirect && head.fields.contains(named: "Location"):
                "; follow the redirect with --location"
            case 400 where rejectsPlainHTTP(body): "; the server expects TLS on this port: use wss:// instead of ws://"
            case 400: "; check the path and the options for the request, such as --subprotocol"
            case 401: describeLogin(head, hasSentCredentials: hasSentCredentials)
            case 403: "; check --origin and the credentials"
            case 404: "; check the path"
            case 407: "; set the proxy's user name and password in --proxy"
            case 426: "; the server requires another protocol or WebSocket version: check the path"
            case 429: "; \(describeDelay(head))"
            case 502, 504: "; a gateway cannot reach the server behind it: is that server running?"
            case 503: "; the server is down or overloaded: \(describeDelay(head))"
            default: ""
            }
        let reason = head.reason.isEmpty ? HTTPStatus.reason(of: head.status) : escapingControls(head.reason)
        return "the server answered \(head.status)\(reason.isEmpty ? "" : " ")\(reason)\(remedy)"
    }

    /// Whether a response with status 400 says that the port is for TLS, as nginx, Apache, and Go's servers do.
    private static func rejectsPlainHTTP(_ body: [UInt8]) -> Bool {
        ["HTTPS port", "SSL-enabled server port", "HTTPS server"].contains { phrase in
            body.indices.contains { body[$0...].starts(with: phrase.utf8) }
        }
    }

    /// The wait for which a valid Retry-After asks.
    private static func describeDelay(_ head: ResponseHead) -> String {
        let maximumBytes = 40
        guard let delay = head.fields.first(named: "Retry-After"), 1...maximumBytes ~= delay.utf8.count,
            head.retryDelay(at: 0) != nil
        else { return "try again later" }
        let isCount = delay.utf8.allSatisfy(ASCII.isDigit)
        return isCount ? "try again in \(delay) s" : "try again after \(escapingControls(delay))"
    }

    private static func describeLogin(_ head: ResponseHead, hasSentCredentials: Bool) -> String {
        let challenges = AuthenticationChallenge.parse(head.fields.all(named: "WWW-Authenticate"))
        guard !challenges.isEmpty else {
            return hasSentCredentials
                ? "; it rejected the credentials: check --auth, --bearer, or the URL"
                : "; log in with --auth or --bearer"
        }
        let wanted = "; it requires \(AuthenticationChallenge.describe(challenges))"
        let options = AuthenticationChallenge.options(for: challenges)
        guard !options.isEmpty else {
            return wanted + ", which wsx does not support; set the header yourself with -H 'Authorization: ...'"
        }
        return hasSentCredentials
            ? wanted + " and rejected the credentials; check --auth, --bearer, or the URL"
            : wanted + "; log in with \(options.joined(separator: " or "))"
    }
}
