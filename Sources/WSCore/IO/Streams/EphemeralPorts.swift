/// The ports that the system gives to connections that ask for none.
public enum EphemeralPorts {
    /// How many there are for each address of this machine, to one address and port of another; nil: that cannot be told.
    public static var count: Int? {
        guard let text = try? File.read("/proc/sys/net/ipv4/ip_local_port_range") else { return nil }
        let bounds = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
        return bounds[1] - bounds[0] + 1
    }
}
