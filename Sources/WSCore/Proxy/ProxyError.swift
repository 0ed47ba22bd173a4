/// The reason a proxy did not open a tunnel.
package enum ProxyError: Error, Equatable, Sendable {
    /// The target's host name is empty or longer than 255 bytes.
    case hostLength(byteCount: Int)
    /// The proxy closed the connection without sending a byte.
    case closedBeforeAnswer
    /// The proxy closed the connection in the middle of its response.
    case incompleteAnswer

    /// The response to CONNECT does not start like HTTP; `preview` is its beginning, at most 64 bytes.
    case notHTTP(preview: [UInt8])
    /// The head of the response to CONNECT violates HTTP.
    case invalidResponse(HTTPHeadError)
    /// The proxy sent more than eight interim responses (status 100 to 199).
    case tooManyInterimResponses
    /// The proxy answered CONNECT with a status other than 2xx.
    ///
    /// `body` is the part of the content received, at most ``ResponseBody/maximumBytes``. `bodyIsTruncated` tells
    /// whether it is incomplete.
    case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)

    /// The SOCKS response does not start with version 5.
    case notSOCKS(firstByte: UInt8)
    /// The SOCKS proxy accepts none of the authentication methods offered.
    case noAcceptableMethod(hasCredentials: Bool)
    /// The SOCKS proxy selected a method that was not offered.
    case methodNotOffered(UInt8)
    /// The SOCKS proxy rejected the user name and password.
    case loginRefused(status: UInt8)
    /// A later SOCKS response starts with the wrong version.
    case invalidVersion(UInt8)
    /// The SOCKS proxy could not connect to the target.
    case failed(SOCKS5Reply)
    /// The reserved byte in the SOCKS reply is not 0.
    case invalidReservedByte(UInt8)
    /// The address type in the SOCKS reply is unknown.
    case invalidAddressType(UInt8)
}

extension ProxyError: CustomStringConvertible {
    /// The cause and a remedy. Control characters in the proxy's response are escaped.
    package var description: String {
        switch self {
        case .hostLength(let byteCount):
            "the host name has \(byteCount) bytes; SOCKS allows 1 to 255"
        case .closedBeforeAnswer:
            "the proxy closed the connection without a response; check its port and the scheme in --proxy"
        case .incompleteAnswer:
            "the proxy closed the connection in the middle of its response; try again, or see its log"
        case .notHTTP(let preview):
            Self.describeNotHTTP(preview)
        case .invalidResponse(let error):
            "the proxy's response \(error); check that this is the port of an HTTP proxy"
        case .tooManyInterimResponses:
            "the proxy sent more than \(ResponseReader.maximumInterimResponses) interim responses; check the proxy"
        case .refused(let head, _, _):
            Self.describeRefusal(head)
        case .notSOCKS(let byte):
            Self.describeNotSOCKS(byte)
        case .noAcceptableMethod(hasCredentials: false):
            "the proxy requires a login; use --proxy socks5h://USER:PASSWORD@HOST:PORT"
        case .noAcceptableMethod(hasCredentials: true):
            "the proxy accepts neither a user name and password nor anonymous clients; check how it authenticates them"
        case .methodNotOffered(let method):
            "the proxy selected the authentication method \(method), which was not offered; check the proxy"
        case .loginRefused:
            "the proxy rejected the user name and password; check those in --proxy"
        case .invalidVersion(let version):
            "the proxy's response has version \(version) instead of 5; check that it is a SOCKS 5 proxy"
        case .failed(let reply):
            reply.description
        case .invalidReservedByte(let byte):
            "the reserved byte of the proxy's reply is \(byte) instead of 0; check that it is a SOCKS 5 proxy"
        case .invalidAddressType(let type):
            "the proxy's reply has an address of unknown type \(type); check that it is a SOCKS 5 proxy"
        }
    }

    private static func describeNotHTTP(_ preview: [UInt8]) -> String {
        switch preview.first {
        // RFC 8446 §5.1: a TLS alert record. TLS servers answer plain text with one.
        case 0x15 where preview.starts(with: [0x15, 0x03]):
            return "the proxy speaks TLS on this port; use --proxy https://"
        // RFC 1928 §3: every SOCKS5 response starts with this version.
        case 5: return "the proxy speaks SOCKS 5; use --proxy socks5h://"
        case 0 where HTTP2Preface.isFrame(preview):
            return "the proxy speaks only HTTP/2 on this port, but wsx speaks HTTP/1.1; check its port"
        default:
            let text = quoted(String(decoding: preview, as: UTF8.self))
            return "the proxy's response is not HTTP: \(text); check its port"
        }
    }

    private static func describeNotSOCKS(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "H"): "the proxy speaks HTTP, not SOCKS 5; use --proxy http://"
        case 0x15: "the proxy speaks TLS, not SOCKS 5; use --proxy https://"
        // SOCKS4 replies start with version 0; some servers send 4.
        case 0, 4: "the proxy speaks SOCKS 4, which is not supported; use a SOCKS 5 proxy"
        default: "the proxy's response begins with byte \(byte) instead of 5, so it is not SOCKS 5; check its port"
        }
    }

    private static func describeRefusal(_ head: ResponseHead) -> String {
        let remedy =
            switch head.status {
            case 403: "; its rules may not allow the host or the port"
            case 400, 405, 501: "; it may be a web server, or a proxy without CONNECT: check its port"
            // RFC 9110 §11.7.1: a proxy requests authentication with 407. tinyproxy answers a wrong password with 401.
            case 401, 407: "; \(loginRemedy(head))"
            // tinyproxy and squid answer 500 if the name does not resolve.
            case 500, 502, 503, 504:
                "; it may be unable to reach the server: check the host and port, or the proxy's log"
            default: "; see the proxy's log"
            }
        return "the proxy answered \(head.statusWords)\(remedy)"
    }

    private static func loginRemedy(_ head: ResponseHead) -> String {
        let login = "set the right user name and password, as in --proxy http://USER:PASSWORD@HOST:PORT"
        let challenges = AuthenticationChallenge.parse(head.fields.all(named: "Proxy-Authenticate"))
        guard !challenges.isEmpty else { return login }
        let wanted = AuthenticationChallenge.describe(challenges)
        let offers = { (scheme: String) in challenges.contains { $0.isScheme(scheme) } }
        guard !offers("Basic") else { return "it requires \(wanted): \(login)" }
        return offers("Digest")
            ? "it requires \(wanted): \(login) --proxy-digest"
            : "it requires \(wanted), but wsx supports only Basic and Digest"
    }
}
