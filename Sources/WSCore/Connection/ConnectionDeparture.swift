/// What the end of a connection has come to; a connection has it only near its end.
final class ConnectionDeparture {
    var violation: ProtocolError?
    var writeFailure: StreamError?
    var closeTimer: Timer?
    var unsentBytesAtLastCheck = 0
}
