/// The exit status of the program.
package struct ExitStatus: RawRepresentable, Equatable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Success, including a normal close by the peer.
    package static let success = ExitStatus(rawValue: 0)
    /// The peer closed with a code that reports a problem, or the connection was lost.
    package static let closed = ExitStatus(rawValue: 1)
    /// Invalid usage or input.
    package static let usage = ExitStatus(rawValue: 2)
    /// Could not connect or listen.
    package static let unreachable = ExitStatus(rawValue: 3)
    /// The server rejected the upgrade.
    package static let refused = ExitStatus(rawValue: 4)
    /// The peer violated the protocol.
    package static let violation = ExitStatus(rawValue: 5)
    /// Timed out.
    package static let timedOut = ExitStatus(rawValue: 6)
    /// An expectation was not met.
    package static let unmet = ExitStatus(rawValue: 7)
    /// Ended by SIGHUP: the terminal is gone.
    package static let hungUp = ExitStatus(rawValue: 129)
    /// Ended by SIGQUIT.
    package static let quit = ExitStatus(rawValue: 131)
    /// Ended by SIGINT.
    package static let interrupted = ExitStatus(rawValue: 130)
    /// Ended by SIGTERM.
    package static let terminated = ExitStatus(rawValue: 143)
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
