import Formats
import WSCore

/// An action of a command that both prompts have.
package enum PromptAction: Equatable {
    case send([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
    case view(ViewAction)
    /// Nil: stop recording.
    case record(path: String?)
    case pipe(PipeAction)
    case quit
}

/// An action of a command that passes messages to a shell command.
package enum PipeAction: Equatable {
    /// Pass on received messages instead of showing them.
    case start(String)
    case stop
    /// Pass on one message; nil: the last message.
    case run(String, number: Int?)
}

/// An action of a command that concerns only the terminal. ``PromptDisplay`` carries it out for both prompts.
package enum ViewAction: Equatable {
    /// Nil: the last message that was cut, or the last message.
    case show(number: Int?)
    /// Nil: the last message.
    case inspect(number: Int?)
    case tail(count: Int)
    /// The regular expression to search for; nil: stop highlighting its matches.
    case find(String?)
    /// The regular expression that shown messages match; nil: show all.
    case filter(String?)
    /// The client, or the side, of shown messages; nil: all.
    case origin(MessageOrigin?)
    /// The condition that shown messages meet; nil: show all.
    case condition(JSONCondition?)
    /// The part of messages to show; nil: whole messages.
    case selection(JSONPath?)
    /// Nil: the last received message.
    case save(path: String, number: Int?)
    /// Stop showing messages, or continue.
    case pause
    /// Nil: toggle between `fit` and `full`.
    case pretty(PrettyStyle?)
    /// Show what changes, or whole messages; nil: toggle.
    case changes(Bool?)
    /// Nil: toggle between the time of day and the time since the start.
    case time(TimestampStyle?)
    /// Nil: toggle.
    case pings(Bool?)
    /// Nil: toggle.
    case status(Bool?)
    case history(HistoryQuery)
    case edit(EditSource)
    /// Nil: list all commands.
    case help(topic: String?)

    /// The name of the command if it decides which messages are shown as they arrive, or `nil`.
    var filteringCommand: String? {
        switch self {
        case .filter: "filter"
        case .origin: "only"
        case .condition: "where"
        case .selection: "pick"
        case .pause: "pause"
        case .changes: "diff"
        case .show, .inspect, .tail, .find, .save, .pretty, .time, .pings, .status, .history, .edit, .help: nil
        }
    }
}

/// An action of a command at the prompt of `wsx connect`.
package enum ConnectAction: Equatable {
    case shared(PromptAction)
    case binary([UInt8])
    /// Nil: the file's contents decide.
    case file(path: String, MessageKind?)
    case sendJSON([UInt8])
    /// Nil: list the saved messages.
    case call(MessageCall?)
    /// An interval of zero sends as fast as the connection accepts messages.
    case repeatMessage(count: Int, interval: Duration)
    case reconnect
    /// Send the messages that were given up again.
    case retry
    /// Discard the messages that were given up.
    case drop
    /// As typed.
    case connect(url: String)
    /// The codecs of received messages, the outermost first; nil: show them.
    case decode([Codec]?)
    case headers
    /// Print the connection as a curl command.
    case curl(showsSecrets: Bool)
    case info
}

/// An action of a command at the prompt of `wsx listen`.
package enum ListenAction: Equatable {
    case shared(PromptAction)
    case clients
    /// Process a line as if the server had sent it to the client with this number, or the client to the server.
    case relay(line: [UInt8], client: Int, toServer: Bool)
}

/// Where a message at a server's prompt comes from, or which of them are shown.
package struct MessageOrigin: Equatable {
    /// The client's number; nil: any, or none.
    var client: Int?
    /// Nil: either.
    var side: RelaySide?

    /// The short form in the prompt: `@3 server`.
    var label: String { [client.map { "@\($0)" }, side?.rawValue].compactMap(\.self).joined(separator: " ") }

    /// The origin in words: `of client 3 from the server`.
    var words: String {
        [client.map { "of client \($0)" }, side.map { $0 == .client ? "from clients" : "from the server" }]
            .compactMap(\.self).joined(separator: " ")
    }

    /// Whether messages of another origin are among those of this one.
    func includes(_ other: MessageOrigin) -> Bool {
        (client == nil || client == other.client) && (side == nil || side == other.side)
    }
}

/// The text with which `/edit` opens the editor.
package enum EditSource: Equatable {
    /// The previous line.
    case lastLine
    /// The line with this number in `/history`.
    case line(number: Int)
    case text([UInt8])
}
