import WSCore

/// The programs of all clients.
final class ProgramPool {
    /// What is run for each.
    let command: ProgramCommand
    unowned let run: ListenRun
    private let limit: Int
    private var sessions: [Int: ProgramSession] = [:]
    /// The clients whose programs could not be started.
    private var failedClients: [Int] = []

    /// The descriptors of one client: its socket, and three pipes.
    private static let descriptorsPerClient = 4

    /// The most programs at a time: as many as were asked for, if the descriptor limit has room for them.
    static func limit(for asked: Int) -> Int {
        min(asked, DescriptorBudget().clients(with: descriptorsPerClient))
    }

    /// The descriptors that are not the clients' sockets.
    var reservedDescriptors: Int { limit * (Self.descriptorsPerClient - 1) }

    /// Makes a pool; from now on no program that is started inherits a descriptor that is not meant for it.
    init(_ command: ProgramCommand, of run: ListenRun) {
        self.command = command
        self.run = run
        limit = Self.limit(for: run.settings.arguments.maximumProcesses)
        StandardDescriptors.keepOthersFromPrograms()
        if limit < run.settings.arguments.maximumProcesses {
            run.console.notice("The descriptor limit has room for \(limit) programs; ulimit -n raises it")
        }
    }

    /// Whether no program is left.
    var isEmpty: Bool { sessions.isEmpty }

    /// Why a request is refused; nil: there is room for its program.
    func refusal(of upgrade: ServerUpgrade) -> HandshakeRefusal? {
        guard sessions.count >= limit else { return nil }
        return .unavailable("\(limit) programs are running.", for: upgrade.request, retryAfterSeconds: 1)
    }

    /// Starts the program of a client; nil when that cannot be done, for which the client is closed.
    func start(for client: Server<ListenClient>.Client) -> ProgramSession? {
        let request = RequestEnvironment(
            request: client.upgrade.request, login: client.upgrade.login, subprotocol: client.upgrade.subprotocol,
            client: client.number, clientAddress: client.address.socketAddress,
            serverPort: run.places[client.endpointIndex].port, tls: client.tls)
        var environment = request.variables
        for (name, value) in command.environment { environment[name] = Array(value.utf8) }
        do throws(IOError) {
            let session = try ProgramSession(
                environment.map { Array("\($0)=".utf8) + $1 }, client: client.number, in: self)
            sessions[client.number] = session
            if run.settings.arguments.verbosity > 0, let identifier = session.process?.process.identifier {
                run.console.notice("Client \(client.number): \(command.name) is process \(identifier)")
            }
            return session
        } catch {
            run.programFailed("running \(command.name): \(error)", of: client.number)
            failedClients.append(client.number)
            // There is no connection yet.
            run.loop.atEndOfTurn(self)
            return nil
        }
    }

    /// Forgets a program of which nothing is left.
    func remove(_ session: ProgramSession) {
        sessions[session.number] = nil
        run.stopIfOver()
    }

    /// Ends all programs, each with the time that it has for that.
    func end() {
        for session in sessions.values { session.leave() }
    }

    /// How long ``end()`` takes at most.
    var endLimit: Duration { run.settings.arguments.programGrace * 2 }

    /// Ends all programs at once, and waits until they are gone.
    func kill() {
        for session in sessions.values { session.kill() }
        for session in sessions.values { session.process?.process.waitForExit(atMost: .seconds(1)) }
    }
}

extension ProgramPool: EndOfTurnWork {
    /// Closes the clients that have no program.
    func endTurn() {
        for number in failedClients {
            guard let connection = run.server.connections[number] else { continue }
            run.close(connection, with: CloseFrame(code: .internalError, reason: "the program could not be started"))
        }
        failedClients = []
    }
}
