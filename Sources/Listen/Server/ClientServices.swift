import Conversation
import UserInterface
import WSCore

/// What the mode and other options request for each client.
final class ClientServices {
    private unowned let run: ListenRun
    /// The programs of the clients, or `nil` without `--exec`.
    let programs: ProgramPool?
    /// The scenarios of the clients, or `nil` without `--scenario`.
    let scenarios: ClientScenarios?
    /// Connects clients to the server of `wsx relay`, or `nil` without one.
    let relay: Relay?
    private lazy var echo = EchoService(of: run)
    private lazy var broadcast = BroadcastService(of: run)
    /// The rules for first messages and answers, or `nil` if there are none.
    private let rules: AutoReply.Rules?

    init(of run: ListenRun) {
        self.run = run
        programs = run.settings.program.map { command in
            ProgramPool(
                command, run.settings.arguments, outputs: run.outputs, on: run.loop,
                host: ProgramPool.Host(
                    client: { [unowned run] in run.broadcaster.clients[$0] },
                    close: { [unowned run] in run.broadcaster.close($0, with: $1) },
                    adopt: { [unowned run] in run.adopt($0, of: $1) },
                    programIsGone: { [unowned run] in run.stopIfOver() }))
        }
        scenarios = run.settings.scenario.map { ClientScenarios($0, of: run) }
        relay = run.settings.relay.map { Relay($0, of: run) }
        rules = run.settings.exchange.map { AutoReply.Rules($0) }
        for pattern in rules?.patterns ?? [] { run.console.watch(pattern) }
        for pattern in run.settings.scenario?.patterns ?? [] { run.console.watch(pattern) }
    }

    /// What the mode does for a newly accepted client, or `nil` if its messages are only shown.
    func service(for client: AcceptedClient) -> (any ClientService)? {
        switch run.settings.arguments.mode {
        case .conversation: nil
        case .echo: echo
        case .broadcast: broadcast
        case .replay:
            run.settings.replay.map {
                ReplayFeed($0.conversation(ofClient: client.number), client: client.number, of: run.broadcaster)
            }
        case .scenario: scenarios?.start(for: client.number)
        case .exec:
            programs?.start(for: client, at: run.url(of: client), port: run.places[client.endpointIndex].port)
        case .relay: relay?.start(for: client.number)
        }
    }

    /// Rarely used features for a newly accepted client, or `nil` if it gets none.
    func equipment(for client: AcceptedClient) -> Equipment? {
        let number = client.number
        let replies = rules.map { rules in
            ClientReplies(rules, client: number, on: run.loop, console: run.console) { [unowned run] payload in
                run.broadcaster.answer(number, with: payload)
            }
        }
        let equipment = Equipment(
            trace: run.outputs.makeTrace(ofClient: number), gate: run.faults.makeGate(ofClient: number),
            replies: replies)
        return equipment.isEmpty ? nil : equipment
    }

    /// Rarely used features for one client.
    struct Equipment {
        /// Shows the client's frames.
        let trace: FrameTrace?
        /// Delays or drops items for the client.
        let gate: OutgoingGate?
        /// Greets the client and answers its messages.
        let replies: ClientReplies?

        fileprivate var isEmpty: Bool { trace == nil && gate == nil && replies == nil }
    }
}
