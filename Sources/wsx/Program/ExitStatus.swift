/// What the program's exit status tells a script.
enum ExitStatus: Int32 {
    /// Done as asked, which includes a normal close by the peer.
    case success = 0
    /// The peer closed with a code that is not normal, or the connection was lost.
    case closed = 1
    /// Bad usage or bad input.
    case usage = 2
    /// Could not connect, or could not listen.
    case unreachable = 3
    /// The server refused the upgrade.
    case refused = 4
    /// The peer broke the protocol.
    case violation = 5
    /// Timed out.
    case timedOut = 6
    /// What was expected did not come.
    case unmet = 7
    /// Ended by SIGHUP: the terminal has gone away.
    case hungUp = 129
    /// Ended by SIGQUIT.
    case quit = 131
    /// Ended by SIGINT.
    case interrupted = 130
    /// Ended by SIGTERM.
    case terminated = 143
}
