/// What `wsx listen` does with the messages of its clients.
enum ListenMode: Equatable, Sendable {
    /// They are shown, and what is typed or read from standard input goes to every client.
    case conversation
    /// The same, and each goes to all other clients.
    case broadcast
    /// Each goes back to its sender.
    case echo
    /// They are answered as in the recording at this path.
    case replay(path: String)
    /// They go to a program that runs for that client alone: its name and its arguments.
    case exec([String])

    /// A mode without what it is given.
    enum Service {
        case conversation, broadcast, echo, replay, exec
    }

    /// Which mode it is.
    var service: Service {
        switch self {
        case .conversation: .conversation
        case .broadcast: .broadcast
        case .echo: .echo
        case .replay: .replay
        case .exec: .exec
        }
    }

    /// Whether the program answers, and nobody sits at the server: standard input is not read, and messages are not
    /// shown.
    var answersByItself: Bool {
        switch self {
        case .conversation, .broadcast: false
        case .echo, .replay, .exec: true
        }
    }
}
