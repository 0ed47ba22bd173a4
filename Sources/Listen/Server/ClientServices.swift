import Conversation
import UserInterface
import WSCore

/// What the options request for each client, besides echoing and broadcasting.
final class ClientServices {
    private unowned let run: ListenRun
    /// The programs of the clients, or `nil` without `--exec`.
    let programs: ProgramPool?
    /// The scenarios of the clients, or `nil` without `--scenario`.
    let scenarios: ClientScenarios?
    /// Connects clients to the server of `wsx relay`, or `nil` without one.
    let relay: Relay?
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

    /// Prepares the services for a newly accepted client, or returns `nil` if it gets none.
    func start(for client: AcceptedClient) -> Equipment? {
        let number = client.number
        let equipment = Equipment()
        equipment.program = programs?.start(
            for: client, at: run.url(of: client), port: run.places[client.endpointIndex].port)
        equipment.trace = run.outputs.makeTrace(ofClient: number)
        equipment.gate = run.faults.makeGate(ofClient: number)
        equipment.replay = run.settings.replay.map {
            ReplayFeed($0.conversation(ofClient: number), client: number, of: run.broadcaster)
        }
        equipment.replies = rules.map { rules in
            ClientReplies(rules, client: number, on: run.loop, console: run.console) { [unowned run] payload in
                run.broadcaster.answer(number, with: payload)
            }
        }
        equipment.scenario = scenarios?.start(for: number)
        equipment.upstream = relay?.start(for: number)
        return equipment.isEmpty ? nil : equipment
    }

    /// The services for one client.
    final class Equipment {
        fileprivate(set) var program: ProgramSession?
        /// Shows the client's frames.
        fileprivate(set) var trace: FrameTrace?
        /// Delays or drops items for the client.
        fileprivate(set) var gate: OutgoingGate?
        fileprivate(set) var replay: ReplayFeed?
        /// Greets the client and answers its messages.
        fileprivate(set) var replies: ClientReplies?
        fileprivate(set) var scenario: ClientScenario?
        fileprivate(set) var upstream: Upstream?

        fileprivate var isEmpty: Bool {
            program == nil && trace == nil && gate == nil && replay == nil && replies == nil && scenario == nil
                && upstream == nil
        }
    }
}
