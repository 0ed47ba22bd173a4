/// Who takes what a connection receives: an enumeration and not a protocol, because it is asked with every message; and
/// without counting references, which takes longer than to ask. The workload outlives its connections.
enum LoadReceiver {
    /// Messages are replies.
    case echoes(Unmanaged<EchoWorkload>)
    /// Pongs are.
    case pongs(Unmanaged<PingWorkload>)
    /// Messages are what others have published.
    case deliveries(Unmanaged<BroadcastWorkload>)
    /// Messages are counted, whatever they are.
    case counter
    /// Nobody.
    case nobody
}
