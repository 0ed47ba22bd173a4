/// Who takes what a connection receives: an enumeration and not a protocol, because it is asked with every message.
enum LoadReceiver {
    /// Messages are replies.
    case echoes(RoundTripWorkload)
    /// Pongs are.
    case pongs(RoundTripWorkload)
    /// Messages are what others have published.
    case deliveries(BroadcastWorkload)
    /// Messages are counted, whatever they are.
    case counter
    /// Nobody.
    case nobody
}
