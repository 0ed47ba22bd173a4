import WSCore

/// What a command of the prompt asks for.
enum ReplAction: Equatable {
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
    case reconnect
    /// Nil: the last that was folded, or the last.
    case show(number: Int?)
    /// What is searched for, a regular expression.
    case find(String)
    /// What has to match; nil: everything is shown.
    case filter(String?)
    /// Nil: the last that was received.
    case save(path: String, number: Int?)
    /// Nil: the other way.
    case pretty(Bool?)
    /// Nil: the time since the start, or back.
    case time(TimestampStyle?)
    /// Nil: all commands.
    case help(topic: String?)
    case quit
}
