/// What can be known of the other end of a stream from which nobody reads.
public enum PeerPresence: Sendable {
    /// There is no sign that it has gone.
    case present
    /// It has sent all it will; whether it still reads only shows when something is sent to it.
    case hasEnded
    /// It is gone: what is sent to it gets nowhere.
    case isGone
}
