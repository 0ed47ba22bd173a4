import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx connect`. Stages in brackets exist only if an option needs them.
///
///     input, prompt ─► RequestStage ─► AcknowledgementStage ─► [Pipeline] ─► MessageEncoder ─► Connection
///     ConnectOutputs ◄─ EndConditions ◄─ RequestStage ◄─ [Pipeline] ◄─ CodecStage ◄─ Connection
///
/// ``ConnectionSequence`` opens the connections, ``RunState`` decides how the run ends, and this class passes bytes and
/// events between the stages.
package final class ConnectRun {
    /// The run's access to resources outside the process. Unit tests replace it.
    package struct Environment {
        /// The descriptors of standard input and output.
        var input = StandardDescriptors.input
        var output = StandardDescriptors.output
        /// Creates a connection attempt.
        var dial: (Connector.Settings, ConnectSettings, EventLoop, @escaping Completion) -> any ConnectionAttempt = {
            Connector($0, resources: $1.connectorResources, on: $2, completion: $3)
        }
        /// Opens the editor of the prompt.
        var openEditor = LineEditor.opener

        typealias Completion = (Result<Connector.Opened, ConnectError>) -> Void
    }

    /// The current settings. At the prompt, they may change to those of another server.
    package private(set) var settings: ConnectSettings
    let loop: EventLoop
    let outputs: ConnectOutputs
    let environment: Environment
    private let resources: ConnectionResources

    var state: RunState
    var statistics = ConnectStatistics()
    private(set) var connections: ConnectionSequence?
    /// Shows the current connection attempt, or `nil` if there is none.
    private(set) var progress: ConnectProgress?
    /// The open connection, or `nil` if there is none.
    var current: OpenConnection?
    var input = Input.notBegun
    private(set) var stages = OptionalStages()

    private let embeddedEcho: SharedEmbeddedEcho
    /// The program in place of standard input and output, or `nil` without `--exec`.
    private(set) var program: ConnectProgram?
    /// The time limit of a hurried end.
    var deadline: Timer?
    /// Lets time pass for the pipeline. Messages that have arrived are read before it finds the peer silent.
    private(set) lazy var deadlineTimer = DeadlineTimer(on: loop) { [unowned self] in
        stages.pipeline?.deadline
    } isReadingPaused: { [unowned self] in
        isReadingPaused
    } action: { [unowned self] in
        pipelineTimePassed()
    }

    /// Prepares a run.
    /// - Throws: ``Failure`` if an output cannot be opened or a message of the command line is invalid.
    package init(
        _ settings: ConnectSettings, on loop: EventLoop, console: Console, environment: Environment = Environment()
    ) throws(Failure) {
        if let writer = settings.makeTemplateWriter() {
            stages.writer = writer
            stages.templates = try TemplateStage.make(settings, writer)
        }
        self.settings = settings
        self.loop = loop
        var environment = environment
        let pipes = try settings.program.map { (_) throws(Failure) in try Self.makePipes(on: loop) }
        if let pipes { (environment.input, environment.output) = (pipes.fromProgram, pipes.toProgram) }
        self.environment = environment
        resources = ConnectionResources(on: loop)
        embeddedEcho = SharedEmbeddedEcho(on: loop, console: console)
        state = RunState(settings.conditions, closeTimeout: settings.arguments.client.limits.closeTimeout)
        stages.hiding = try .make(settings.arguments.transcript.hidden, for: "--hide")
        // Check the messages before a recording truncates its file.
        stages.encoder = try MessageEncoder.make(settings, console: console)
        let queue = try RequestStage.queue(settings, stages.encoder)
        let decoders = settings.arguments.codecs.decoders
        let codecCommands = try CodecStage.commands(of: decoders, option: "--decode", settings)
        outputs = try ConnectOutputs(settings, console: console, output: environment.output, on: loop)
        outputs.encoder = stages.encoder
        if let scenario = settings.scenario {
            stages.scenario = try ScenarioSource(scenario, of: self)
            outputs.judge = stages.scenario
        }
        for pattern in settings.conditions.patterns + stages.hiding.compactMap(\.pattern) { console.watch(pattern) }
        if let queue {
            stages.requests = RequestStage(
                queue, settings, templates: stages.templates, outputs: outputs, on: loop, host: self)
        }
        if !decoders.isEmpty {
            stages.codecs = CodecStage(settings, commands: codecCommands, console: console, on: loop, host: self)
        }
        stages.pipeline = makePipeline()
        if settings.arguments.staying.reconnection != .never {
            // Messages that are requests are sent by their stage.
            stages.acknowledgements = AcknowledgementStage(
                stages.requests == nil ? settings.messages : [],
                confirmationTimeout: settings.arguments.client.limits.closeTimeout, on: loop, host: self)
        }
        guard let pipes, let command = settings.program else { return }
        program = ConnectProgram(
            command, pipes: pipes, grace: settings.arguments.programs.programGrace, on: loop, console: console,
            run: self)
    }

    private static func makePipes(on loop: EventLoop) throws(Failure) -> ProgramPipes {
        do throws(IOError) {
            return try ProgramPipes(on: loop)
        } catch {
            throw .system(error)
        }
    }

    /// Runs until the end. Returns the failure, or `nil` if there was none.
    package func run() -> Failure? {
        outputs.didDrain = { [unowned self] in outputDidDrain() }
        outputs.didFail = { [unowned self] error in outputDidFail(error) }
        outputs.recording.didFail = { [unowned self] failure in recordingDidFail(failure) }
        let stopRequests: StopRequests
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: settings.arguments.ending.timeout, on: loop) {
                [unowned self] request in
                switch request {
                case .interrupt: interrupted()
                case .quit where outputs.prompt?.quitsProgram() ?? false: break
                case .timeLimit(let limit):
                    timeLimitPassed(stages.scenario?.timedOut(after: limit) ?? request.failure)
                case .quit, .terminate, .hangUp: end(with: request.failure, hurried: true)
                }
            }
        } catch {
            return error
        }
        connect()
        withExtendedLifetime(stopRequests) {
            loop.run()
            showProgress(of: nil)
            current?.transfer = nil
            closePrompt()
        }
        deadline = nil
        program?.kill()
        stages.codecs?.kill()
        stages.encoder?.kill()
        var failure = outputs.recording.complete(after: state.failure ?? program?.failure)
        if let scenario = stages.scenario { failure = scenario.finish(after: failure) }
        return console.failure(after: failure, outputs.losses(hasProgram: program != nil))
    }

    var connection: Connection<ConnectRun>? { current?.connection }
    var prompt: ConnectPrompt? { outputs.prompt }
    var console: Console { outputs.console }

    // MARK: Opening

    func connect() {
        let target: Connector.Settings
        do throws(Failure) {
            target = try embeddedEcho.resolving(settings.connector, for: settings.url)
        } catch {
            return end(with: error)
        }
        console.warnIfInsecure(settings.arguments.client.tls.isInsecure && settings.connector.mayUseTLS)
        let connections = ConnectionSequence(backoff: settings.backoff, on: loop, run: self) {
            [unowned self] completion in
            SecretAttempt(settings, on: loop) { [unowned self] () throws(Failure) in
                try renewSecrets()
                var target = target
                target.request = settings.connector.request
                target.proxies = settings.connector.proxies
                // Lines with secrets may have to be sent again.
                target.redirects.secretMessages = settings.secrets.record.messageSources
                return target
            } dial: { [unowned self] target, completion in
                environment.dial(target, settings, loop, completion)
            } completion: {
                completion($0)
            }
        }
        self.connections = connections
        connections.start()
    }

    /// Replaces the outputs of programs by their latest ones.
    private func renewSecrets() throws(Failure) {
        guard !settings.secretCommands.isEmpty else { return }
        try settings.renewSecrets()
        guard let selection = settings.protocolSelection else { return }
        stages.pipeline?.takeLogin(of: selection.makeSession(connection: 1, clockOffset: clockOffset))
    }

    /// Shows the attempts of a sequence on a terminal if they take long; with `nil`, stops that.
    func showProgress(of connections: ConnectionSequence?) {
        progress?.stop()
        progress = connections.map { ConnectProgress(of: $0, on: loop, console: console) }
    }

    /// Switches to another server, which gets no messages meant for the first one.
    func adopt(_ next: ConnectSettings) {
        showUndelivered("/connect does not take messages to another URL")
        showUnanswered()
        settings = next
        stages.pipeline = makePipeline()
        connections?.cancel()
        connections = nil
        statistics.serverChanged()
        stages.acknowledgements?.reset(stages.requests == nil ? next.messages : [])
        stages.requests?.begin(with: next)
    }

    /// Continues with an open connection: sends the initial messages, then those that may not have arrived on the
    /// previous connection.
    func opened(_ opened: Connector.Opened) {
        let isFirst = statistics.opening == nil
        statistics.connectionOpened(opened, at: loop.now)
        let keepsSecrets =
            settings.connector.redirects.isTrusted || opened.request.url.mayReceiveSecrets(of: settings.url)
        stages.writer?.connectionOpened(statistics.openedCount, at: keepsSecrets ? nil : opened.request.url)
        if isFirst { settings.rememberURL() }
        outputs.noticeVerbosely(ReportedTimings.line(opened))
        outputs.writeEvent { $0.writeOpen(opened) }
        let connection = Connection(
            opened.stream, settings: settings.connection(), deflate: opened.deflate, resources: resources, handler: self
        )
        let countsReplies = settings.countsReplies || settings.tellsGreetings
        current = OpenConnection(connection: connection, replies: countsReplies ? ReplyCount() : nil)
        if settings.isRepl, prompt == nil { startPrompt() }
        guard state.connectionOpened() else { return }
        announce(opened, isFirst: isFirst)
        if statistics.openedCount == 1,
            let warning = OpeningNotice.unselectedSubprotocols(
                opened, without: console.secrets)
        {
            console.notice(warning)
        }
        startHeartbeat(of: connection)
        startProgram(for: opened)
        // Nothing will be sent: the first message is the last one, even if others arrive with it.
        if !settings.readsPipe, settings.messages.isEmpty { _ = state.inputEnded() }
        stages.codecs?.connectionWillStart()
        if let scenario = stages.scenario {
            scenario.connectionWillStart(statistics.openedCount)
            // The steps ask for what the session of the last connection would renew.
            stages.pipeline = makePipeline()
        }
        stages.pipeline?.clockOffset = clockOffset
        stages.pipeline?.opened(
            UInt64(statistics.openedCount), at: opened.request.url, subprotocol: opened.upgrade.subprotocol,
            now: loop.nowNanoseconds)
        connection.start(with: opened.firstBytes)
        executeEffects()
        if isPeerReady { beginSending(on: connection) }
    }

    /// Whether messages may be sent on the open connection, because there is no `--ready`, or a message has matched it,
    /// and the application protocol, if there is one, is ready.
    var isPeerReady: Bool { stages.pipeline?.isReady ?? true }

    /// Sends the messages of the command line and the input, now that the peer is ready.
    func beginSending(on connection: Connection<ConnectRun>) {
        // A first message cannot be encoded.
        guard state.failure == nil else { return }
        if let scenario = stages.scenario {
            current?.hasBegunSending = true
            return scenario.advance()
        }
        // The messages wait for the next connection.
        if connection.isClosing, stages.acknowledgements != nil { return }
        current?.hasBegunSending = true
        sendInitialMessages()
        sendUnacknowledged(on: connection)
        stages.requests?.sendWaiting()
        watchSending()
        startInput()
    }

    /// Starts the input, or resumes it after a reconnect.
    private func startInput() {
        if settings.isRepl {
            if state.isEnding { endAsAsked() }
            return
        }
        if settings.readsPipe, case .notBegun = input {
            var reading = settings.arguments.inputSettings
            if let lineEnd = settings.arguments.messages.lineEnd {
                reading.lineEnd = lineEnd.bytes
                reading.stripsCarriageReturn = true
            }
            if program != nil { reading.maximumRecordBytes = settings.arguments.client.limits.maximumMessageBytes }
            input = .reading(InputReader(reading, from: environment.input, on: loop, receiver: self))
        }
        if input.close != nil { return endAsAsked() }
        if input.isOver || !settings.readsPipe, state.inputEnded() { return endAsAsked() }
        guard input.isOver || (settings.arguments.format.readsInput && !settings.readsPipe) else {
            return resumeInput()
        }
        input.end()
        // Messages that are sent again may get further replies.
        state.awaitReplies()
        startLinger()
    }

    /// Decodes messages that arrive from now on with other codecs.
    /// - Returns: Whether no codec is a program, which starts and ends with the run.
    func decode(with codecs: [Codec]) -> Bool {
        let stage = stages.codecs ?? CodecStage(settings, commands: [], console: console, on: loop, host: self)
        stages.codecs = stage
        return stage.use(codecs)
    }

    private func announce(_ opened: Connector.Opened, isFirst: Bool) {
        guard let prompt else {
            if !isFirst || connections?.tryCount != 0 { console.notice("wsx: connected to \(opened.request.url)") }
            return
        }
        prompt.showsConnected()
        console.notice(OpeningNotice.connected(opened, isFirst: isFirst, without: console.secrets))
    }

    private func startHeartbeat(of connection: Connection<ConnectRun>) {
        guard let beat = settings.heartbeat else { return }
        current?.heartbeat = HeartbeatTimer(beat, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload): outputs.show(control: .ping, payload.span.bytes, .sent)
            case .sentMessage(let message): outputs.writeSent(message.span.bytes, as: .text)
            case .lost(let silence):
                state.dropCause = .silent(for: silence, misses: beat.maximumMisses)
                self.connection?.terminate()
            }
        }
        guard let templates = stages.templates else { return }
        current?.heartbeat?.nextMessage = { [unowned self] in
            do throws(TemplateProblem) {
                return try templates.nextHeartbeat()
            } catch {
                outputs.console.error("the heartbeat message was not sent: \(error.words)")
                return nil
            }
        }
    }
}
