import WSCore

/// What a command of the prompt asks for.
enum ReplAction: Equatable {
    case send([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case binary([UInt8])
    /// Nil: the kind is that of what the file holds.
    case file(path: String, MessageKind?)
    case sendJSON([UInt8])
    /// An interval of zero: as fast as they are taken.
    case repeatMessage(count: Int, interval: Duration)
    case close(CloseFrame)
    case reconnect
    /// As typed.
    case connect(url: String)
    /// Nil: nothing is recorded any more.
    case record(path: String?)
    case headers
    case clients
    case info
    case history(HistoryQuery)
    case edit(EditSource)
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
