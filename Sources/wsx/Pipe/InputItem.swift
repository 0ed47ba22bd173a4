import WSCore

/// An item that standard input asks to send. Its payload is passed separately.
enum InputItem: Equatable {
    case message(MessageKind)
    case ping
    case pong
    /// Start the closing handshake. Without a frame that may be sent, only the input ends.
    case close(CloseFrame?)
    /// End the input, wait for outstanding replies, and close with this frame.
    case end(CloseFrame)
}
