/// How connections are made on the network.
public struct NetworkSettings: Sendable {
    /// Only addresses of this family are used; nil: those of both.
    public var family: SocketAddress.Family?

    /// Makes settings; by default nothing is out of the ordinary.
    public init(family: SocketAddress.Family? = nil) {
        self.family = family
    }
}
