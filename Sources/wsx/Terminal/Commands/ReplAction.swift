import WSCore

/// What a command of the prompt asks for.
enum ReplAction: Equatable {
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
    case reconnect
    /// Nil: all commands.
    case help(topic: String?)
    case quit
}
