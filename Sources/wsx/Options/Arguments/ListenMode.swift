/// What `wsx listen` does with the messages of its clients.
enum ListenMode: Equatable, Sendable {
    /// They are shown, and what is typed or read from standard input goes to every client.
    case conversation
    /// The same, and each goes to all other clients.
    case broadcast
    /// Each goes back to its sender.
    case echo
    /// They go to a program that runs for that client alone: its name and its arguments.
    case exec([String])

    /// Whether the program answers, and nobody sits at the server: standard input is not read, and messages are not
    /// shown.
    var answersByItself: Bool {
        switch self {
        case .conversation, .broadcast: false
        case .echo, .exec: true
        }
    }
}
