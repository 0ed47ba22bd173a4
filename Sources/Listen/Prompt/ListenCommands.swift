import CommandLine
import UserInterface

/// The commands of the prompts of `wsx listen` and `wsx relay`.
package enum ListenCommands {
    /// All of them, in the order of help.
    static func all(isRelay: Bool) -> [PromptCommand<ListenPrompt>] {
        let shared = SharedCommands.all.map { $0.of { (prompt: ListenPrompt) in prompt } }
        return (shared + own + (isRelay ? ownOfRelays : [])).inOrderOfHelp()
    }

    /// Those that the prompt of `wsx connect` lacks.
    package static let descriptions = own.map(\.description)
    /// Those that only the prompt of `wsx relay` has.
    package static let descriptionsOfRelays = ownOfRelays.map(\.description)

    private static let own: [PromptCommand<ListenPrompt>] = [
        PromptCommand(
            "clients", "list the clients", in: .session,
            details: "Shows the number, address, connection time, and traffic of each client."
        ) { $0.showClients() },
        PromptCommand(
            "only", "[N] [client|server]", "show only messages of a client, or of a side", in: .session,
            details: """
                `/only 3` hides the messages of all clients but 3. In a relay, `/only server` hides the messages of \
                clients, and `/only 3 client` shows only what client 3 sends. Other filters still apply. `/only` \
                without an argument shows all again. Typed messages are always shown.
                """,
            completion: .word, reading: PromptArgument.optionalOrigin
        ) { prompt, origin in prompt.display.filter("only") { $0.setOrigin(origin) } },
    ]

    private static let ownOfRelays: [PromptCommand<ListenPrompt>] = [
        PromptCommand(
            "to", "N server|client LINE", "send to client N, or for it to the server", in: .session,
            details: """
                *LINE* is a message, or `/ping`, `/pong`, or `/close`: `/to 3 server {"op":"list"}` sends a message \
                to the server as if client 3 had, and `/to 3 client /close 4000` closes client 3. A recording \
                marks such messages with `"injected":true`.
                """,
            reading: PromptArgument.relayedLine
        ) { $0.accept($1.line, for: $1.client, toServer: $1.toServer) }
    ]
}
