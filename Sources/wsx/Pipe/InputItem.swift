import WSCore

/// What a record of standard input asks for; a payload travels beside it.
enum InputItem: Equatable {
    case message(MessageKind)
    case ping
    case pong
    /// Begin the closing handshake, or, where there is no frame that could be sent, just take the input for ended.
    case close(CloseFrame?)
    /// Close with a frame once no reply is waited for any more: the input is over.
    case end(CloseFrame)
}
