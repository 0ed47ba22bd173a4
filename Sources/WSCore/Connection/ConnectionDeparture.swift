/// The state of a connection's end, allocated only when the end begins.
final class ConnectionDeparture {
    var violation: ProtocolError?
    var writeFailure: StreamError?
    var closeTimer: Timer?
    var unsentBytesAtLastCheck = 0
}
