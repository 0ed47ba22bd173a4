/// The system's range of ephemeral ports, which connections use unless they ask for a port.
package enum EphemeralPorts {
    /// The number of ports in the range, and so of concurrent connections from one local address to one address and
    /// port. `nil` if the system does not report the range.
    package static var count: Int? {
        guard let text = try? File.read("/proc/sys/net/ipv4/ip_local_port_range") else { return nil }
        let bounds = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
        return bounds[1] - bounds[0] + 1
    }
}
