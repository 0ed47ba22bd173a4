import WSCore

/// What a command asks of either prompt.
enum PromptAction: Equatable {
    case send([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
    case history(HistoryQuery)
    case edit(EditSource)
    /// Nil: the other way.
    case pretty(Bool?)
    /// Nil: the time since the start, or back.
    case time(TimestampStyle?)
    /// Nil: all commands.
    case help(topic: String?)
    case quit
}

/// What a command asks of the prompt of `wsx connect`.
enum ConnectAction: Equatable {
    case shared(PromptAction)
    case binary([UInt8])
    /// Nil: the kind is that of what the file holds.
    case file(path: String, MessageKind?)
    case sendJSON([UInt8])
    /// An interval of zero: as fast as they are taken.
    case repeatMessage(count: Int, interval: Duration)
    case reconnect
    /// As typed.
    case connect(url: String)
    /// Nil: nothing is recorded any more.
    case record(path: String?)
    case headers
    case info
    /// Nil: the last that was folded, or the last.
    case show(number: Int?)
    /// What is searched for, a regular expression.
    case find(String)
    /// What has to match; nil: everything is shown.
    case filter(String?)
    /// Nil: the last that was received.
    case save(path: String, number: Int?)
}

/// What a command asks of the prompt of `wsx listen`.
enum ListenAction: Equatable {
    case shared(PromptAction)
    case clients
}

/// What `/edit` opens the editor with.
enum EditSource: Equatable {
    /// The last line that was typed before.
    case lastLine
    /// The line with a number, as `/history` shows it.
    case line(number: Int)
    case text([UInt8])
}
