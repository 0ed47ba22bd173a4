import Conversation
import Glibc
import Testing

@testable import Connect
@testable import Peer
@testable import UserInterface
@testable import WSCore

/// A run of `connect` between an input, outputs that are read afterwards, and peers in memory.
final class ConnectFixture {
    /// The outcome of a run.
    struct Outcome {
        let failure: Failure?
        /// Standard output.
        let output: String
        /// Notices and errors.
        let notices: String
        /// The peers of all connections, in order.
        let peers: [FakePeer]

        var status: UserInterface.ExitStatus { failure?.status ?? .success }
    }

    var arguments = ConnectArguments()
    /// Standard input, or `nil` to leave it open.
    var input: String? = ""
    /// Prepares the peer of each connection, by its number from 0. Returns `nil` to refuse the connection.
    var makePeer: (Int, EventLoop) -> FakePeer? = { _, loop in FakePeer(on: loop) }
    /// Whether a lost connection is followed by another one without a wait.
    var reconnectsAtOnce = false
    /// Whether waits for timers take no time. Not for runs with programs, which do take time.
    var skipsWaits = false
    /// Whether connections open before any time limit can pass.
    var opensAtOnce = false
    /// Frames that arrive together with the response to the opening handshake.
    var firstBytes: [UInt8] = []
    /// Called with each peer and the data it receives.
    var didReceive: (FakePeer, FakePeer.Event) -> Void = { _, _ in }
    /// Changes the settings before the run.
    var change: (inout ConnectSettings) -> Void = { _ in }
    /// Called when the run starts.
    var didStart: (ConnectRun) -> Void = { _ in }
    /// Standard output; nil: a file that is read afterwards.
    var outputDescriptor: Int32?
    /// The error with which the editor cannot be opened.
    var editorProblem: IOError?
    /// The editor of the prompt, if the run has one.
    let editor = FakeEditor()
    /// The user at the prompt; nil: there is no prompt.
    private var user: PromptUser?

    /// The write end of an input that stays open.
    private var openInput: Int32?

    init(_ change: (inout ConnectArguments) -> Void = { _ in }) {
        arguments.client.url = "ws://h/"
        arguments.history = .none
        change(&arguments)
    }

    /// Runs with a prompt at which a user carries out the steps. The run must end within a minute.
    func run(atPrompt steps: [PromptUser.Step]) throws -> Outcome {
        arguments.ending.timeout = .seconds(60)
        arguments.transcript.timestamps = .off
        change = {
            $0.source = .prompt
            if let lines = try? LineQueue.Settings.make($0.arguments, url: $0.url, hasPrompt: true) { $0.lines = lines }
        }
        let user = PromptUser(steps, at: editor)
        self.user = user
        defer { self.user = nil }
        let outcome = try run()
        if let step = user.nextStep { Issue.record("the run has ended before the step \(step)") }
        return outcome
    }

    func run() throws -> Outcome {
        _ = preparation
        let loop = try EventLoop()
        let output = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
        let notices = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
        defer {
            output.remove()
            notices.remove()
        }
        let (outputFile, noticesFile) = (try OutputFile(creating: output.path), try OutputFile(creating: notices.path))
        let log = LogWriter(descriptor: noticesFile.descriptor) { _ in "" }
        let diagnostics = Diagnostics(
            color: .never, isQuiet: arguments.transcript.display.isQuiet, secrets: SecretRecord(), log: log
        ) { _ in nil }
        var peers: [FakePeer] = []
        let pipe = try makeInput()
        defer {
            _ = close(pipe)
            endInput()
        }
        var environment = ConnectRun.Environment(input: pipe, output: outputDescriptor ?? outputFile.descriptor)
        environment.openEditor = { [unowned self] (history, _, loop) throws(IOError) in
            if let editorProblem { throw editorProblem }
            editor.history = history
            user?.start(on: loop)
            return editor
        }
        environment.dial = { [unowned self] target, _, loop, completion in
            guard let peer = makePeer(peers.count, loop) else {
                let refused = ConnectError.unreachable([(address: "h", error: .system(.connectionRefused))])
                return FakeAttempt(target, .failure(refused), on: loop, completion: completion)
            }
            peer.didReceive = didReceive
            peers.append(peer)
            return FakeAttempt(
                target, .success(peer), firstBytes: firstBytes, endsAtOnce: opensAtOnce, on: loop,
                completion: completion)
        }
        var settings = try ConnectSettings(arguments)
        change(&settings)
        let run = try ConnectRun(settings, on: loop, diagnostics: diagnostics, environment: environment)
        didStart(run)
        if skipsWaits { loop.skipWaits() }
        let hurry = Timer(on: loop) { if case .pending = run.link { run.reconnect(with: nil) } }
        if reconnectsAtOnce { hurry.start(after: .milliseconds(1), every: .milliseconds(1)) }
        let failure = withExtendedLifetime(hurry) { run.run() }
        let outcome = Outcome(
            failure: failure, output: try Self.contents(of: output.path),
            notices: try Self.contents(of: notices.path), peers: peers)
        hurry.stop()
        cleanUp(after: run, peers)
        return outcome
    }

    /// Closes what a run leaves open when it ends, which keeps itself and the loop alive.
    private func cleanUp(after run: ConnectRun, _ peers: [FakePeer]) {
        for peer in peers { peer.detach() }
        run.outputs.messages?.close()
        endInput()
        // The pipes of programs close when the programs exit, as they have been asked to.
        if run.stages.programs != nil { run.loop.turn { run.loop.activeCount == 0 } }
        withExtendedLifetime(run) { run.loop.settle() }
    }

    /// The read end of a pipe with the input.
    private func makeInput() throws -> Int32 {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        if let input {
            _ = StandardDescriptors.writeAll(input, to: ends[1])
            _ = close(ends[1])
        } else {
            openInput = ends[1]
        }
        return ends[0]
    }

    /// Writes to an open input.
    func write(_ text: String) {
        if let openInput { _ = StandardDescriptors.writeAll(text, to: openInput) }
    }

    /// Ends an open input.
    func endInput() {
        if let openInput { _ = close(openInput) }
        openInput = nil
    }

    private static func contents(of path: String) throws -> String {
        String(decoding: try File.readRegular(path, maximumBytes: 1 << 26), as: UTF8.self)
    }
}
