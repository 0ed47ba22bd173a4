/// The exit status of the program.
package enum ExitStatus: Int32 {
    /// Success, including a normal close by the peer.
    case success = 0
    /// The peer closed with a code that reports a problem, or the connection was lost.
    case closed = 1
    /// Invalid usage or input.
    case usage = 2
    /// Could not connect or listen.
    case unreachable = 3
    /// The server rejected the upgrade.
    case refused = 4
    /// The peer violated the protocol.
    case violation = 5
    /// Timed out.
    case timedOut = 6
    /// An expectation was not met.
    case unmet = 7
    /// Ended by SIGHUP: the terminal is gone.
    case hungUp = 129
    /// Ended by SIGQUIT.
    case quit = 131
    /// Ended by SIGINT.
    case interrupted = 130
    /// Ended by SIGTERM.
    case terminated = 143
}

/// The kind of a ``Failure``: the `kind` of `error` events. The values are stable, and the manual explains them.
package enum FailureKind: String, CaseIterable {
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
