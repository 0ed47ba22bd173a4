import Conversation
import UserInterface
import WSCore

/// A mode of `wsx listen`: what it does for each client, and for the server as a whole.
protocol ModeService: AnyObject {
    /// What the mode does for a newly accepted client, or `nil` if its messages are only shown.
    func service(for client: AcceptedClient) -> (any ClientService)?

    /// Adds what the mode needs to the settings of the server.
    func prepare(_ settings: inout Server<ListenClient>.Settings)
    /// The rejection of an otherwise acceptable request, or `nil` to accept it.
    func refusal(of upgrade: ServerUpgrade) -> HandshakeRefusal?
    /// Connects clients and requests to another server, if the mode does.
    func relay(for server: Server<ListenClient>)

    /// Starts what needs the places where the server listens.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func start(at places: [ListeningPlace]) throws(Failure)
    /// Takes a request to end. Returns whether the run goes on.
    func handleStopRequest(_ request: StopRequests.Request) -> Bool
    /// Reports the failure of an output. Returns whether the run goes on; if not, it is not reported.
    func continuesAfterOutputFailure(_ failure: Failure?) -> Bool

    /// Whether all signals must be caught, because something has to be ended.
    var needsAllSignals: Bool { get }
    /// Accepts no more clients.
    func stopListening()
    /// Begins to end everything, which takes at most ``endLimit``.
    func end()
    var endLimit: Duration { get }
    /// Whether nothing is left to end.
    var isOver: Bool { get }
    /// Ends the rest at once.
    func stop()
    /// Why the run failed, or `nil` if it did not.
    var failure: Failure? { get }
    /// The outputs have written their backlog.
    func outputsDidDrain()
}

extension ModeService {
    func prepare(_ settings: inout Server<ListenClient>.Settings) {}
    func refusal(of upgrade: ServerUpgrade) -> HandshakeRefusal? { nil }
    func relay(for server: Server<ListenClient>) {}
    func start(at places: [ListeningPlace]) throws(Failure) {}
    func handleStopRequest(_ request: StopRequests.Request) -> Bool { false }
    func continuesAfterOutputFailure(_ failure: Failure?) -> Bool { false }
    var needsAllSignals: Bool { false }
    func stopListening() {}
    func end() {}
    var endLimit: Duration { .zero }
    var isOver: Bool { true }
    func stop() {}
    var failure: Failure? { nil }
    func outputsDidDrain() {}
}

extension ListenRun {
    /// Starts what the mode needs.
    func makeMode() -> any ModeService {
        switch settings.arguments.mode {
        case .conversation: return ConversationService()
        case .echo: return EchoService(of: self)
        case .broadcast: return BroadcastService(of: self)
        case .replay:
            if let recording = settings.replay { return ReplayService(recording, of: self) }
        case .scenario:
            return ClientScenarios(settings.scenarios, of: self)
        case .exec:
            if let command = settings.program { return ProgramPool(command, of: self) }
        case .relay:
            if let relay = settings.relay { return Relay(relay, of: self) }
        }
        preconditionFailure("the settings do not fit the mode")
    }
}

/// Shows the messages of clients.
final class ConversationService: ModeService {
    func service(for client: AcceptedClient) -> (any ClientService)? { nil }
}

/// Returns each message to its sender.
final class EchoService: ModeService, ClientService {
    private unowned let run: ListenRun

    init(of run: ListenRun) { self.run = run }

    func service(for client: AcceptedClient) -> (any ClientService)? { self }

    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        run.broadcaster.send(.message(kind), payload, to: client)
    }
}

/// Sends each message to all other clients, or to those of the same path.
final class BroadcastService: ModeService, ClientService {
    private unowned let run: ListenRun

    init(of run: ListenRun) { self.run = run }

    func service(for client: AcceptedClient) -> (any ClientService)? { self }

    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        run.broadcaster.relay(payload, as: kind, from: client)
    }
}

/// Answers each client from a recording.
final class ReplayService: ModeService {
    private let recording: ReplayRecording
    private unowned let run: ListenRun

    init(_ recording: ReplayRecording, of run: ListenRun) {
        self.recording = recording
        self.run = run
    }

    func service(for client: AcceptedClient) -> (any ClientService)? {
        ReplayFeed(recording.conversation(ofClient: client.number), client: client.number, of: run.broadcaster)
    }
}

extension ProgramPool: ModeService {
    func prepare(_ settings: inout Server<ListenClient>.Settings) {
        settings.reservedDescriptors = reservedDescriptors
    }

    var needsAllSignals: Bool { true }
}

extension Relay: ModeService {
    func service(for client: AcceptedClient) -> (any ClientService)? { start(for: client) }

    func prepare(_ settings: inout Server<ListenClient>.Settings) { settings.streamsPerClient = 2 }

    func relay(for server: Server<ListenClient>) {
        server.admission = .deferred { [unowned self] upgrade, prepared, decide in
            admit(upgrade, on: prepared, decide)
        }
        server.forwarding = forwarding
        server.tunneling = tunneling
    }

    func start(at places: [ListeningPlace]) throws(Failure) { try startCommand(at: places) }
    var needsAllSignals: Bool { settings.command != nil }
    func stopListening() { stopConnecting() }
    var isOver: Bool { isEmpty && command?.isRunning != true }
}
