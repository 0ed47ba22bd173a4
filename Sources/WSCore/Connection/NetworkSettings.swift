/// Settings for connecting over the network.
public struct NetworkSettings: Sendable {
    /// The address family to use; nil for both.
    public var family: SocketAddress.Family?
    /// Addresses that replace lookups. The last override for a host applies, else the last for any host.
    public var overrides: [AddressOverride]
    /// The local addresses to connect from, with port 0; the first of the remote address's family is used. If empty,
    /// the system chooses. Otherwise, remote addresses of a family without a local address are skipped.
    public var sources: [SocketAddress]

    /// Creates settings. By default, both families are used, and the system looks up names and chooses local addresses.
    public init(
        family: SocketAddress.Family? = nil, overrides: [AddressOverride] = [], sources: [SocketAddress] = []
    ) {
        self.family = family
        self.overrides = overrides
        self.sources = sources
    }
}
