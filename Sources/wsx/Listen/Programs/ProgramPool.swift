import WSCore

/// What programs need of the server whose clients they run for.
protocol ProgramHost: AnyObject {
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// Shows what programs write to standard error, and how they end.
    var console: Console { get }
    /// The client with a number; nil: it has left.
    func client(_ number: Int) -> (any ServedClient)?
    /// Closes a client's connection.
    func close(_ client: any ServedClient, with frame: CloseFrame)
    /// Takes note of a message that a program has sent to its client.
    func programSent(_ payload: RawSpan, as kind: MessageKind, to client: Int)
    /// Whether what becomes of a program decides how the run ends.
    var takesProgramFailures: Bool { get }
    /// Takes note that a client's program has failed.
    /// - Parameter words: What has happened, with the program's name.
    func programFailed(_ words: String, of client: Int)
    /// Takes note that nothing is left of a program.
    func programDidEnd()
}

/// The programs of all clients.
final class ProgramPool {
    /// What is run for each.
    let command: ProgramCommand
    /// What was typed.
    let arguments: ListenArguments
    /// The kind of the messages that programs write.
    let kind: MessageKind
    unowned let host: any ProgramHost
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
    init(_ command: ProgramCommand, _ arguments: ListenArguments, of host: any ProgramHost) {
        self.command = command
        self.arguments = arguments
        kind = arguments.format.payload.kind(for: arguments.format.input)
        self.host = host
        limit = Self.limit(for: arguments.programs.maximumProcesses)
        StandardDescriptors.keepOthersFromPrograms()
        if limit < arguments.programs.maximumProcesses {
            host.console.notice("The descriptor limit has room for \(limit) programs; ulimit -n raises it")
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
    /// - Parameter port: The port that the client has come to; nil on a Unix-domain socket.
    func start<Handler: ConnectionHandler>(for client: Server<Handler>.Client, port: UInt16?) -> ProgramSession? {
        let request = RequestEnvironment(
            request: client.upgrade.request, login: client.upgrade.login, subprotocol: client.upgrade.subprotocol,
            client: client.number, clientAddress: client.address.socketAddress,
            serverPort: port, tls: client.tls)
        var environment = request.variables
        for (name, value) in command.environment { environment[name] = Array(value.utf8) }
        do throws(IOError) {
            let session = try ProgramSession(
                environment.map { Array("\($0)=".utf8) + $1 }, client: client.number, in: self)
            sessions[client.number] = session
            if arguments.transcript.verbosity > 0, let identifier = session.process?.process.identifier {
                host.console.notice("Client \(client.number): \(command.name) is process \(identifier)")
            }
            return session
        } catch {
            host.programFailed("running \(command.name): \(error)", of: client.number)
            failedClients.append(client.number)
            // There is no connection yet.
            host.loop.atEndOfTurn(self)
            return nil
        }
    }

    /// Forgets a program of which nothing is left.
    func remove(_ session: ProgramSession) {
        sessions[session.number] = nil
        host.programDidEnd()
    }

    /// Ends all programs, each with the time that it has for that.
    func end() {
        for session in sessions.values { session.leave() }
    }

    /// How long ``end()`` takes at most.
    var endLimit: Duration { arguments.programs.programGrace * 2 }

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
            guard let client = host.client(number) else { continue }
            host.close(client, with: CloseFrame(code: .internalError, reason: "the program could not be started"))
        }
        failedClients = []
    }
}
