/// The state of a stream's peer, as far as it is known without reading.
public enum PeerPresence: Sendable {
    /// There is no sign that the peer has gone.
    case present
    /// The peer has ended its side. Only sending reveals whether it still reads.
    case hasEnded
    /// The peer is gone: it receives nothing more.
    case isGone
}
