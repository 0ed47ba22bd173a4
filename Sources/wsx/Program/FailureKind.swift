/// The kind of a ``Failure``: the `kind` of `error` events. The values are stable, and the manual explains them.
enum FailureKind: String, CaseIterable {
    case usage
    case system
    case listen
    case connect
    case proxy
    case tls
    case handshake
    case violation = "protocol"
    case limit
    case closed
    case lost
    case timeout
    case expectation
    case program
    /// Signals. They cause no event.
    case interrupted
}
