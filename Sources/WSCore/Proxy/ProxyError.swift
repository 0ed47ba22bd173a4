/// Why a proxy opened no tunnel.
public enum ProxyError: Error, Equatable, Sendable {
    /// The target's host has no byte or more than 255.
    case hostLength(byteCount: Int)
    /// The proxy closed the connection without a byte.
    case closedBeforeAnswer
    /// The proxy closed the connection in the middle of its answer.
    case incompleteAnswer

    /// The answer to CONNECT does not begin like HTTP; `preview` is how it begins, at most 64 bytes.
    case notHTTP(preview: [UInt8])
    /// The head of the answer to CONNECT breaks the rules of HTTP.
    case invalidResponse(HTTPHeadError)
    /// More than eight interim responses (status 100 through 199).
    case tooManyInterimResponses
    /// The proxy answered CONNECT with a status that is none of 2xx; `body` is what was received of the content, at
    /// most ``ResponseBody/maximumBytes``, and `bodyIsTruncated` whether more was to come.
    case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)

    /// The answer to SOCKS does not begin with the version 5; its first byte.
    case notSOCKS(firstByte: UInt8)
    /// The SOCKS proxy accepts none of the methods of authentication that it was offered.
    case noAcceptableMethod(hasCredentials: Bool)
    /// The SOCKS proxy selected a method that it was not offered.
    case methodNotOffered(UInt8)
    /// The SOCKS proxy did not accept the user name and password.
    case loginRefused(status: UInt8)
    /// A later answer of the SOCKS proxy begins with another version.
    case invalidVersion(UInt8)
    /// The SOCKS proxy made no connection.
    case failed(SOCKS5Reply)
    /// The reserved byte of the SOCKS proxy's reply is not 0.
    case invalidReservedByte(UInt8)
    /// The address in the SOCKS proxy's reply is of an unknown type.
    case invalidAddressType(UInt8)
}

extension ProxyError {
    /// A name for scripts and the manual, which stays the same.
    public var identifier: String {
        switch self {
        case .hostLength: "proxy-host-length"
        case .closedBeforeAnswer: "proxy-closed-before-answer"
        case .incompleteAnswer: "proxy-incomplete-answer"
        case .notHTTP: "proxy-not-http"
        case .invalidResponse(let error): "proxy-\(error.identifier)"
        case .tooManyInterimResponses: "proxy-too-many-interim-responses"
        case .refused: "proxy-refused"
        case .notSOCKS: "proxy-not-socks"
        case .noAcceptableMethod: "socks-no-acceptable-method"
        case .methodNotOffered: "socks-method-not-offered"
        case .loginRefused: "socks-login-refused"
        case .invalidVersion: "socks-invalid-version"
        case .failed(let reply): reply.identifier
        case .invalidReservedByte: "socks-invalid-reserved-byte"
        case .invalidAddressType: "socks-invalid-address-type"
        }
    }
}

extension ProxyError: CustomStringConvertible {
    /// Why, and what to try; safe to print whatever the proxy sent.
    public var description: String {
        switch self {
        case .hostLength(let byteCount):
            "a host name of \(byteCount) bytes cannot be asked for; use one of 1 to 255 bytes"
        case .closedBeforeAnswer:
            "the proxy closed the connection without an answer; check its port, and its kind in --proxy"
        case .incompleteAnswer:
            "the proxy closed the connection in the middle of its answer; try again, or see its log"
        case .notHTTP(let preview):
            Self.describeNotHTTP(preview)
        case .invalidResponse(let error):
            "the proxy's answer \(error); check that the port is that of an HTTP proxy"
        case .tooManyInterimResponses:
            "the proxy sent more than \(ResponseReader.maximumInterimResponses) interim responses; check the proxy"
        case .refused(let head, _, _):
            Self.describeRefusal(head)
        case .notSOCKS(let byte):
            Self.describeNotSOCKS(byte)
        case .noAcceptableMethod(hasCredentials: false):
            "the proxy wants a login; give user name and password in --proxy, as in socks5h://USER:PASSWORD@HOST:PORT"
        case .noAcceptableMethod(hasCredentials: true):
            "the proxy takes neither a user name and password nor connections without; check how it authenticates"
        case .methodNotOffered(let method):
            "the proxy selected the authentication method \(method), which was not offered; check the proxy"
        case .loginRefused:
            "the proxy did not accept the user name and password; check those in --proxy"
        case .invalidVersion(let version):
            "the proxy's answer has the version \(version), not 5; check that it is a SOCKS 5 proxy"
        case .failed(let reply):
            reply.description
        case .invalidReservedByte(let byte):
            "the proxy's reply has \(byte) in its reserved byte, not 0; check that it is a SOCKS 5 proxy"
        case .invalidAddressType(let type):
            "the proxy's reply has an address of the unknown type \(type); check that it is a SOCKS 5 proxy"
        }
    }

    private static func describeNotHTTP(_ preview: [UInt8]) -> String {
        switch preview.first {
        // RFC 8446 §5.1: a TLS alert record, which is how TLS answers a request in the clear.
        case 0x15 where preview.starts(with: [0x15, 0x03]):
            return "the proxy speaks TLS on this port; use --proxy https://"
        // RFC 1928 §3: the version, which begins each answer.
        case 5: return "the proxy speaks SOCKS 5; use --proxy socks5h://"
        default:
            let text = quoted(String(decoding: preview, as: UTF8.self))
            return "the proxy answered with something that is not HTTP: \(text); check its port"
        }
    }

    private static func describeNotSOCKS(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "H"): "the proxy does not answer in SOCKS 5; is it an HTTP proxy? Use --proxy http://"
        case 0x15: "the proxy does not answer in SOCKS 5; is it an HTTP proxy with TLS? Use --proxy https://"
        // SOCKS 4 answers with the version 0, and some servers with 4.
        case 0, 4: "the proxy seems to speak SOCKS 4 only, which is not supported; use one that speaks SOCKS 5"
        default: "the proxy's answer begins with the byte \(byte), not with 5 as in SOCKS 5; check its port"
        }
    }

    private static func describeRefusal(_ head: ResponseHead) -> String {
        let remedy =
            switch head.status {
            case 403: "; its rules may not allow the host or the port"
            case 400, 405, 501: "; it may be a web server, or a proxy without CONNECT: check its port"
            // RFC 9110 §11.7.1: a proxy asks for a login with 407. tinyproxy answers 401 to a wrong password.
            case 401, 407: "; \(loginRemedy(head))"
            // tinyproxy and squid answer 500 for a name that does not resolve.
            case 500, 502, 503, 504: "; it may not have reached the target: check the host and port, or its log"
            default: "; see the proxy's log"
            }
        let reason = head.reason.isEmpty ? HTTPStatus.reason(of: head.status) : escapingControls(head.reason)
        return "the proxy answered \(head.status)\(reason.isEmpty ? "" : " ")\(reason)\(remedy)"
    }

    private static func loginRemedy(_ head: ResponseHead) -> String {
        let login = "give the right user name and password in --proxy, as in http://USER:PASSWORD@HOST:PORT"
        let challenges = AuthenticationChallenge.parse(head.fields.all(named: "Proxy-Authenticate"))
        guard !challenges.isEmpty else { return login }
        let wanted = AuthenticationChallenge.describe(challenges)
        guard challenges.contains(where: { $0.isScheme("Basic") }) else {
            return "it wants \(wanted), and only Basic is supported"
        }
        return "it wants \(wanted): \(login)"
    }
}
