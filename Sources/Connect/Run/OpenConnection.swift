import WSCore

/// An open connection, and everything that ends with it.
struct OpenConnection {
    let connection: Connection<ConnectRun>
    var heartbeat: HeartbeatTimer<ConnectRun>?
    /// Whether fragments of a message are still to come, without a prompt. Control frames may precede them.
    var hasUnfinishedMessage = false
    /// The wait for replies after the end of the input.
    var linger: InactivityTimer?
    /// Shows the progress of large messages, once there was one and there is no prompt.
    var transfer: TransferStatus?
    /// Whether the closing handshake waits for programs of `--answer`.
    var closesAfterAnswers = false
    /// Whether the messages that begin the connection have been sent.
    var hasBegunSending = false
}
