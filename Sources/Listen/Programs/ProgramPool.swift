import Formats
import Peer
import UserInterface
import WSCore

/// The programs of all clients.
final class ProgramPool {
    /// The command run for each client.
    let command: ProgramCommand
    /// The arguments of `wsx listen`.
    let arguments: ListenArguments
    /// The kind of messages that programs send.
    let kind: MessageKind
    let outputs: ListenOutputs
    let loop: EventLoop
    unowned let run: ListenRun
    private let limit: Int
    private var sessions: [Int: ProgramSession] = [:]
    /// The clients whose programs failed to start.
    private var failedClients: [Int] = []

    /// The number of descriptors per client: its socket, three pipes, and the process.
    private static let descriptorsPerClient = 5

    /// The maximum number of concurrent programs: the requested number, or what the limit on open files allows.
    static func limit(for asked: Int) -> Int {
        min(asked, DescriptorBudget().clients(with: descriptorsPerClient))
    }

    /// The number of descriptors reserved for programs.
    var reservedDescriptors: Int { limit * (Self.descriptorsPerClient - 1) }

    /// Creates the pool. From now on, programs inherit only the descriptors meant for them.
    init(_ command: ProgramCommand, of run: ListenRun) {
        self.command = command
        self.run = run
        arguments = run.settings.arguments
        kind = arguments.format.payload.kind(for: arguments.format.input)
        outputs = run.outputs
        loop = run.loop
        limit = Self.limit(for: arguments.programs.maximumProcesses)
        if limit < arguments.programs.maximumProcesses {
            outputs.diagnostics.notice(
                "The limit on open files allows only \(Phrase.count(limit, "program")); raise it with 'ulimit -n'")
        }
    }

    /// Whether no program is running.
    var isOver: Bool { sessions.isEmpty }

    /// The rejection of a request if the maximum number of programs is running, or `nil` to accept it.
    func refusal(of upgrade: ServerUpgrade) -> HandshakeRefusal? {
        guard sessions.count >= limit else { return nil }
        return .unavailable(
            "The server is busy: \(limit) programs are running.", for: upgrade.request, retryAfterSeconds: 1)
    }

    /// Starts a client's program. On failure, closes the client and returns `nil`.
    func service(for client: AcceptedClient) -> (any ClientService)? {
        var environment = RequestEnvironment(of: client, in: run).variables
        for (name, value) in command.environment { environment[name] = Array(value.utf8) }
        do throws(IOError) {
            let session = try ProgramSession(
                environment.map { Array("\($0)=".utf8) + $1 }, client: client.number, in: self)
            sessions[client.number] = session
            session.receiveOpen(url: run.url(of: client), client.upgrade, client.extensions)
            if arguments.transcript.verbosity > 0, let identifier = session.process?.process.identifier {
                outputs.diagnostics.notice("Client \(client.number): \(command.name) is process \(identifier)")
            }
            return session
        } catch {
            programFailed("running \(command.name): \(error)", of: client.number)
            failedClients.append(client.number)
            // The connection does not exist yet; close it at the end of the turn.
            loop.atEndOfTurn(self)
            return nil
        }
    }

    /// Removes a program that is gone.
    func remove(_ session: ProgramSession) {
        sessions[session.number] = nil
        run.stopIfOver()
    }

    /// Reports that a client's program has failed.
    /// - Parameter words: The failure in words, including the program's name.
    func programFailed(_ words: String, of client: Int) {
        if !run.adopt(.program(words), of: client) { outputs.diagnostics.error("client \(client): \(words)") }
    }

    /// Ends all programs, each within its grace period.
    func end() {
        for session in sessions.values { session.serverEnds() }
    }

    /// The maximum duration of ``end()``.
    var endLimit: Duration { arguments.programs.programGrace * 2 }

    /// Kills all programs and waits until they are gone.
    func stop() {
        for session in sessions.values { session.kill() }
        for session in sessions.values { session.process?.process.waitForExit(atMost: .seconds(1)) }
    }
}

extension ProgramPool: EndOfTurnWork {
    /// Closes the clients without a program.
    func endTurn() {
        for number in failedClients {
            guard let client = run.broadcaster.clients[number] else { continue }
            run.broadcaster.close(
                client, with: CloseFrame(code: .internalError, reason: "the program could not be started"))
        }
        failedClients = []
    }
}
