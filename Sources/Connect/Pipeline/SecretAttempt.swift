import Peer
import UserInterface
import WSCore

/// An attempt to open a connection with the outputs of programs (``SecretCommand``).
///
///      programs ──► attempt ──► completion
///         ▲            │ 401, once
///         └────────────┘
///
/// Before the first attempt of a run, the programs have already run. Without programs, this is the attempt alone.
final class SecretAttempt: ConnectionAttempt {
    /// Why an attempt failed.
    enum Failed: Error {
        case connecting(ConnectError)
        /// A program failed, or its output cannot be used.
        case secret(Failure)
    }

    typealias Completion = (Result<Connector.Opened, Failed>) -> Void
    /// Creates an attempt with settings.
    typealias Dial = (
        Connector.Settings, @escaping (Result<Connector.Opened, ConnectError>) -> Void
    ) -> any ConnectionAttempt

    private enum Stage {
        case idle
        case running([SecretProgram])
        case connecting(any ConnectionAttempt)
        case over
    }

    var didStep: ((Connector.Step) -> Void)?
    private let settings: ConnectSettings
    private let loop: EventLoop
    /// Returns the settings with the latest outputs.
    private let renewed: () throws(Failure) -> Connector.Settings
    private let dial: Dial
    private let completion: Completion
    private let commands: [SecretCommand]
    private var stage = Stage.idle
    private var lastURL: WebSocketURL
    private var startTime = Duration.zero
    private var mayRunAgain: Bool

    /// Prepares an attempt.
    /// - Parameters:
    ///   - target: Returns the way to the server, with the latest outputs of the programs.
    ///   - completion: Called once, unless the attempt is canceled.
    init(
        _ settings: ConnectSettings, on loop: EventLoop,
        target renewed: @escaping () throws(Failure) -> Connector.Settings, dial: @escaping Dial,
        completion: @escaping Completion
    ) {
        self.settings = settings
        self.loop = loop
        self.renewed = renewed
        self.dial = dial
        self.completion = completion
        lastURL = settings.url
        commands = settings.secretCommands
        mayRunAgain = !commands.isEmpty
    }

    var url: WebSocketURL { if case .connecting(let attempt) = stage { attempt.url } else { lastURL } }
    var phase: ConnectError.Phase { if case .connecting(let attempt) = stage { attempt.phase } else { .resolving } }
    var runsPrograms: Bool { if case .running = stage { true } else { false } }

    func start() {
        startTime = loop.now
        let isFirst = settings.secrets.outputs.areForFirstConnection
        settings.secrets.outputs.areForFirstConnection = false
        if commands.isEmpty || isFirst { connect() } else { runPrograms() }
    }

    func cancel() {
        let left = stage
        stage = .over
        switch left {
        case .idle, .over: break
        case .running(let programs): for program in programs { program.cancel() }
        case .connecting(let attempt): attempt.cancel()
        }
    }

    private func runPrograms() {
        let limit = settings.connector.timeouts.whole - (loop.now - startTime)
        var waitingCount = commands.count
        let programs = commands.map { command in
            SecretProgram(
                command, limit: limit, environment: settings.secrets.environment, on: loop
            ) { [weak self] result in
                guard let self, case .running = stage else { return }
                switch result {
                case .failure(let failure): finish(.failure(unusable(failure)))
                case .success(let output):
                    settings.secrets.store(output, of: command)
                    waitingCount -= 1
                    if waitingCount == 0 { connect() }
                }
            }
        }
        stage = .running(programs)
        for program in programs where runsPrograms { program.start() }
    }

    private func connect() {
        var target: Connector.Settings
        do throws(Failure) {
            target = try renewed()
        } catch {
            return finish(.failure(unusable(error)))
        }
        target.timeouts.elapsed = loop.now - startTime
        let attempt = dial(target) { [weak self] result in
            guard let self, case .connecting = stage else { return }
            switch result {
            case .failure(let error):
                let head = Failure.connecting(url: "", error).refusal?.head
                guard mayRunAgain, let head, head.status == 401 else { return finish(.failure(.connecting(error))) }
                mayRunAgain = false
                didStep?(.received(head))
                if case .connecting = stage { runPrograms() }
            case .success(let opened): finish(.success(opened))
            }
        }
        attempt.didStep = { [unowned self] step in didStep?(step) }
        stage = .connecting(attempt)
        attempt.start()
    }

    private func unusable(_ failure: Failure) -> Failed {
        .secret(.renewingSecrets(url: settings.url.shortDescription, failure))
    }

    private func finish(_ result: Result<Connector.Opened, Failed>) {
        lastURL = url
        cancel()
        completion(result)
    }
}
