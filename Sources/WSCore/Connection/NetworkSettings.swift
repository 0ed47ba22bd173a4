/// How connections are made on the network.
public struct NetworkSettings: Sendable {
    /// Only addresses of this family are used; nil: those of both.
    public var family: SocketAddress.Family?
    /// What is known of hosts without a lookup; of several entries for one host the last counts.
    public var overrides: [AddressOverride]
    /// The addresses to connect from, with port 0: the first of the family that is connected to. Without any the system
    /// picks one; an address whose family has none is not tried.
    public var sources: [SocketAddress]

    /// Makes settings; by default nothing is out of the ordinary.
    public init(
        family: SocketAddress.Family? = nil, overrides: [AddressOverride] = [], sources: [SocketAddress] = []
    ) {
        self.family = family
        self.overrides = overrides
        self.sources = sources
    }
}
