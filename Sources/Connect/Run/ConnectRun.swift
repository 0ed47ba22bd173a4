import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx connect`. Stages in brackets exist only if an option needs them.
///
///     input, prompt ─► LineQueue ─► [Pipeline] ─► [TextEncoder] ─► Connection
///     ConnectOutputs ◄─ EndConditions ◄─ LineQueue ◄─ [Pipeline] ◄─ Connection
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
        var dial:
            (Connector.Settings, ConnectSettings, EventLoop, @escaping ConnectionSequence.Completion) ->
                any ConnectionAttempt = {
                    Connector($0, resources: $1.connectorResources, on: $2, completion: $3)
                }
        /// Opens the editor of the prompt.
        var openEditor = LineEditor.opener
    }

    /// The current settings. At the prompt, they may change to those of another server.
    package internal(set) var settings: ConnectSettings
    let loop: EventLoop
    let outputs: ConnectOutputs
    let environment: Environment
    let resources: ConnectionResources

    var state: RunState
    var statistics = ConnectStatistics()
    var connections: ConnectionSequence?
    /// Shows the current connection attempt, or `nil` if there is none.
    var progress: ConnectProgress?
    /// The open connection, or `nil` if there is none.
    var current: OpenConnection?
    var input = RunInput.notBegun
    let lines: LineStage
    let delivery: DeliveryStage
    var stages = OptionalStages()

    let embeddedEcho: EmbeddedEcho
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
        _ settings: ConnectSettings, on loop: EventLoop, diagnostics: Diagnostics,
        environment: Environment = Environment()
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
        embeddedEcho = EmbeddedEcho(on: loop, diagnostics: diagnostics)
        state = RunState(
            settings.conditions, closeTimeout: settings.arguments.client.limits.closeTimeout,
            retrying: settings.arguments.staying.codes)
        state.lastMessage = settings.arguments.messages.input.lastMessage
        // Check the messages before a recording truncates its file.
        try stages.makeEncoder(settings, diagnostics: diagnostics)
        let operands = try LineStage.operands(settings, stages)
        let decoders = settings.arguments.codecs.decoders
        let decodingCommands = try ProgramCommand.commands(of: decoders, option: "--decode", settings.secrets)
        let answerCommands = try ProgramCommand.commands(of: settings.exchange, settings.secrets)
        outputs = try ConnectOutputs(settings, diagnostics: diagnostics, output: environment.output, on: loop)
        outputs.encoder = stages.encoder
        lines = LineStage(LineQueue(settings.lines, operands: operands), settings, outputs: outputs, on: loop)
        let hidden = HiddenMessages(settings.arguments.transcript.hidden, diagnostics: diagnostics)
        outputs.view?.hidden = hidden
        let reconnectConditions = ScopedConditions(settings.arguments.staying.reconnectConditions)
        for pattern in reconnectConditions.patterns { diagnostics.watch(pattern) }
        delivery = DeliveryStage(hiding: hidden, reconnectingAt: reconnectConditions.concerning(), lines, outputs)
        if let scenario = settings.scenario {
            stages.scenario = try ScenarioSource(scenario, of: self)
            outputs.judge = stages.scenario
        }
        for pattern in settings.conditions.patterns { diagnostics.watch(pattern) }
        stages.answerPrograms = AnswerPrograms(answerCommands, on: loop)
        lines.run = self
        delivery.run = self
        stages.pipeline = makePipeline(decoding: decoders)
        stages.programs = DecodingPrograms(
            decodingCommands, limitBytes: settings.arguments.client.limits.maximumMessageBytes,
            diagnostics: diagnostics, on: loop)
        stages.programs?.pipeline = { [unowned self] in stages.pipeline }
        stages.programs?.passOn = { [unowned self] in passOnDecoded() }
        stages.programs?.didFail = { [unowned self] failure in decodingFailed(failure) }
        guard let pipes, let command = settings.program else { return }
        program = ConnectProgram(
            command, pipes: pipes, grace: settings.arguments.programs.programGrace, on: loop, diagnostics: diagnostics,
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
        do throws(Failure) { try startPage() } catch { return error }
        connect()
        withExtendedLifetime(stopRequests) {
            loop.run()
            showProgress(of: nil)
            current?.transfer = nil
            closePrompt()
        }
        deadline = nil
        program?.kill()
        stages.programs?.kill()
        stages.answerPrograms?.kill()
        stages.encodingProgram?.kill()
        var failure = outputs.recording.complete(after: state.failure ?? program?.failure)
        if let scenario = stages.scenario { failure = scenario.finish(after: failure) }
        let result = diagnostics.failure(after: failure, outputs.losses(hasProgram: program != nil))
        outputs.page?.finish(after: result)
        return result
    }

    var connection: Connection<ConnectRun>? { current?.connection }
    var prompt: ConnectPrompt? { outputs.prompt }
    var diagnostics: Diagnostics { outputs.diagnostics }
}

// The open connection.
extension ConnectRun {
    /// The traffic of the open connection.
    var connectionCounters: ConnectStatistics.Counters {
        guard let connection else { return ConnectStatistics.Counters() }
        return ConnectStatistics.Counters(
            sent: connection.sentTraffic, received: connection.receivedTraffic, queuedBytes: connection.queuedBytes)
    }

    /// Whether answers from the peer may have arrived without being read.
    var isReadingPaused: Bool { connection?.isPausedByUser ?? false }

    /// The number of messages sent on a connection, without automatic ones.
    func sentLineCount(on connection: Connection<ConnectRun>) -> Int {
        connection.sentTraffic.messages - Int(stages.pipeline?.automaticCount ?? 0)
    }

    /// Sends a ping of the run itself, which only `-v` shows.
    /// - Returns: Whether it was sent.
    @discardableResult
    func sendHidden(ping payload: [UInt8]) -> Bool {
        guard let connection, connection.sendPing(payload.span.bytes) else { return false }
        if outputs.isVerbose { outputs.show(control: .ping, payload.span.bytes, .sent) }
        return true
    }

    /// Sends a ping or a pong from the user.
    /// - Returns: Whether it was sent.
    @discardableResult
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
        if opcode == .ping { statistics.pingSent(payload, at: loop.now) }
        guard let connection else { return false }
        let isSent = opcode == .ping ? connection.sendPing(payload) : connection.sendPong(payload)
        guard isSent else { return false }
        outputs.writeSent(control: opcode, payload)
        return true
    }

    /// Shows the progress of sending if much is queued.
    func watchSending() {
        if let connection, connection.queuedBytes > TransferProgress.largeBytes { watchTransfer() }
    }

    /// Shows the progress of a large message if it takes long. A prompt shows it itself.
    func watchTransfer() {
        guard outputs.prompt == nil, let current else { return }
        let status = current.transfer ?? TransferStatus(of: current.connection, on: loop, diagnostics: diagnostics)
        self.current?.transfer = status
        status.watch()
    }
}
