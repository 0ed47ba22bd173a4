/// The failure reported by a SOCKS proxy (RFC 1928 §6).
package struct SOCKS5Reply: Equatable, Sendable {
    /// The reply code, 1 to 255.
    package let code: UInt8

    /// Creates a reply from its code.
    package init(code: UInt8) {
        self.code = code
    }
}

extension SOCKS5Reply: CustomStringConvertible {
    /// The cause and a remedy.
    package var description: String {
        switch code {
        case 1: "the proxy could not connect and gave no reason; check the host and port, or the proxy's log"
        case 2: "the proxy's rules forbid this connection; check the host and port, or the rules"
        case 3: "the proxy cannot reach the server's network; check the host"
        case 4: "the proxy cannot reach or resolve the host; check the host name"
        case 5: "the server refused the proxy's connection; is the server running?"
        case 6: "the proxy's packets did not reach the server (TTL expired); try again"
        case 7: "the proxy does not support CONNECT; use another proxy"
        case 8: "the proxy does not support this type of address; try socks5h:// instead of socks5://, or -4 or -6"
        default: "the proxy did not connect and sent the unknown reply \(code); see its log"
        }
    }
}
