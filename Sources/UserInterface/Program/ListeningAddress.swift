import WSCore

/// The address of a server, as typed: `PORT` or `ADDRESS:PORT`.
package enum ListeningAddress {
    /// Parses an address. Without a host, it is 127.0.0.1.
    /// - Parameter what: The argument, for errors.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func parse(_ text: String, what: String) throws(Failure) -> SocketAddress {
        var host = "127.0.0.1"
        var portText = text[...]
        if let colon = text.lastIndex(of: ":") {
            host = String(text[..<colon])
            portText = text[text.index(after: colon)...]
        }
        guard portText.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(portText)
        else {
            throw .badArgument(what: what, why: "the port is not a number from 0 to 65535; write a port such as 8080")
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .badArgument(what: what, why: "an IPv6 address needs brackets; write [::1]:8080")
        }
        switch host {
        case "", "localhost": host = "127.0.0.1"
        case "*": host = "0.0.0.0"
        default: break
        }
        guard let address = SocketAddress(numeric: host, port: port) else {
            throw .badArgument(
                what: what,
                why:
                    "'\(escapingControls(host))' is not an IP address; write an IP address of this machine, localhost, "
                    + "or * for all IPv4 addresses")
        }
        return address
    }
}
