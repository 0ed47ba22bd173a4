import CommandLine

/// All commands of the prompts of `connect` and `listen`: the source for parsing, help, completion, and the manual.
///
/// Each command declares which prompts have it. A prompt's actions contain only those of its commands. See
/// docs/howto/add-a-slash-command.md.
package enum PromptCommandTable {
    /// A command and the prompts that have it.
    package enum Entry: Sendable {
        case both(PromptCommand<PromptAction>)
        case connect(PromptCommand<ConnectAction>)
        case listen(PromptCommand<ListenAction>)
        case relay(PromptCommand<ListenAction>)

        package var description: PromptCommandDescription {
            switch self {
            case .both(let command): command.description
            case .connect(let command): command.description
            case .listen(let command), .relay(let command): command.description
            }
        }

        /// The explanation for the manual of both prompts.
        package var explanation: MarkedText {
            let text = description.explanation.source
            return switch self {
            case .both: MarkedText(text)
            case .connect: MarkedText(text + " Only in `wsx connect`.")
            case .listen: MarkedText(text + " Only in `wsx listen` and `wsx relay`.")
            case .relay: MarkedText(text + " Only in `wsx relay`.")
            }
        }
    }

    /// The commands of `wsx connect`.
    package static let connect: [PromptCommand<ConnectAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect(let command): command
        case .listen, .relay: nil
        }
    }

    /// The commands of `wsx listen`.
    package static let listen: [PromptCommand<ListenAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect, .relay: nil
        case .listen(let command): command
        }
    }

    /// The commands of `wsx relay`.
    package static let relay: [PromptCommand<ListenAction>] =
        listen
        + all.compactMap { entry in
            if case .relay(let command) = entry { command } else { nil }
        }

    /// The commands, in the order in which help shows them.
    package static let all: [Entry] = sending + viewing + connection
}
