/// The failure reported by a SOCKS proxy (RFC 1928 §6).
public struct SOCKS5Reply: Equatable, Sendable {
    /// The reply code, 1 to 255.
    public let code: UInt8

    /// Creates a reply from its code.
    public init(code: UInt8) {
        self.code = code
    }

    /// A stable name for scripts and the manual.
    public var identifier: String {
        switch code {
        case 1: "socks-general-failure"
        case 2: "socks-not-allowed"
        case 3: "socks-network-unreachable"
        case 4: "socks-host-unreachable"
        case 5: "socks-connection-refused"
        case 6: "socks-ttl-expired"
        case 7: "socks-command-not-supported"
        case 8: "socks-address-type-not-supported"
        default: "socks-unknown-reply"
        }
    }
}

extension SOCKS5Reply: CustomStringConvertible {
    /// The cause and a remedy.
    public var description: String {
        switch code {
        case 1: "the proxy could not make the connection and does not say why; check the host and port, or its log"
        case 2: "the proxy's rules do not allow this connection; check the host and port, and the proxy's rules"
        case 3: "the proxy cannot reach the target's network; check the host"
        case 4: "the proxy cannot reach the host, or does not know its name; check the host"
        case 5: "the target refused the proxy's connection; is the server running?"
        case 6: "the proxy's packets did not reach the target in time (TTL expired); try again"
        case 7: "the proxy does not support CONNECT; use another one"
        case 8: "the proxy does not support this type of address; try socks5h:// in place of socks5://, -4 or -6"
        default: "the proxy made no connection, with the unknown reply \(code); see its log"
        }
    }
}
