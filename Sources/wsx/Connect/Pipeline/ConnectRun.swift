import Conversation
import Formats
import WSCore

/// A run of `wsx connect`: a pipeline of stages, each with one responsibility.
///
///     input, prompt ─► RequestStage ─► AcknowledgementStage ─► Connection
///     ConnectOutputs ◄─ EndConditions ◄─ RequestStage ◄─ ExchangeStage ◄─ Connection
///
/// ``ConnectionSequence`` opens the connections, ``RunState`` decides how the run ends, and this class passes bytes and
/// events between the stages. Optional stages exist only if requested.
final class ConnectRun {
    /// The run's access to resources outside the process. Unit tests replace it.
    struct Environment {
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
    private(set) var settings: ConnectSettings
    let loop: EventLoop
    let outputs: ConnectOutputs
    private let environment: Environment
    private let resources: ConnectionResources

    var state: RunState
    var statistics = ConnectStatistics()
    private(set) var connections: ConnectionSequence?
    /// Shows the current connection attempt, or `nil` if there is none.
    private(set) var progress: ConnectProgress?
    private(set) var connection: Connection<ConnectRun>?
    private(set) var heartbeat: HeartbeatTimer<ConnectRun>?
    /// The wait for replies after the end of the input.
    var lingerTimer: LingerTimer?
    /// Counts the replies on the current connection, or `nil` if the wait does not depend on them.
    var replies: ReplyCount?

    var input = Input.notBegun
    /// Matches replies to requests, or `nil` if messages are not requests.
    private(set) var requests: RequestStage?
    /// Sends first messages and answers, or `nil` if there are none.
    private(set) var exchange: ExchangeStage?
    /// Keeps messages until the peer has read them, or `nil` without `--reconnect`.
    private(set) var acknowledgements: AcknowledgementStage?

    /// The server behind `echo:`, once needed, and its address.
    private var embeddedEcho: (server: EmbeddedEcho, destination: Connector.Settings.Destination)?
    private var stopRequests: StopRequests?
    /// The time limit of a hurried end.
    private var deadline: Timer?

    /// The time limit of a hurried end, after a time limit, a signal, or the loss of standard output. It applies to the
    /// closing handshake, and then again to slow outputs.
    private static let hurriedLimit = Duration.milliseconds(500)

    /// Prepares a run.
    /// - Throws: ``Failure`` if an output cannot be opened or a message of the command line is invalid.
    init(
        _ settings: ConnectSettings, on loop: EventLoop, console: Console, environment: Environment = Environment()
    ) throws(Failure) {
        self.settings = settings
        self.loop = loop
        self.environment = environment
        resources = ConnectionResources(on: loop)
        state = RunState(settings.conditions, closeTimeout: settings.arguments.client.limits.closeTimeout)
        // Check the messages before a recording truncates its file.
        let queue = try RequestStage.queue(settings)
        outputs = try ConnectOutputs(settings, console: console, output: environment.output, on: loop)
        for pattern in settings.conditions.patterns { console.watch(pattern) }
        if let queue { requests = RequestStage(queue, settings, outputs: outputs, on: loop, host: self) }
        if let plan = settings.exchange {
            let rules = AutomaticExchange.Rules(plan)
            exchange = ExchangeStage(rules, settings, outputs: outputs, on: loop, host: self)
            for pattern in rules.patterns { console.watch(pattern) }
        }
        if settings.arguments.staying.reconnection != .never {
            acknowledgements = AcknowledgementStage(
                patience: settings.arguments.client.limits.closeTimeout, on: loop, host: self)
        }
    }

    /// Runs until the end. Returns the failure, or `nil` if there was none.
    func run() -> Failure? {
        outputs.didDrain = { [unowned self] in outputDidDrain() }
        outputs.didFail = { [unowned self] error in outputDidFail(error) }
        outputs.recording.didFail = { [unowned self] failure in recordingDidFail(failure) }
        stopRequests = StopRequests(timeLimit: settings.arguments.ending.timeout, on: loop) { [unowned self] request in
            switch request {
            case .interrupt: interrupted()
            // Ignore the signal while the user's editor runs: it is meant for the editor, which is in the same process
            // group.
            case .quit where outputs.prompt?.editor.isAway ?? false: break
            case .quit, .terminate, .hangUp, .timeLimit: end(with: request.failure, hurried: true)
            }
        }
        connect()
        loop.run()
        showProgress(of: nil)
        closePrompt()
        stopRequests = nil
        deadline = nil
        return state.failure
    }

    private var prompt: ConnectPrompt? { outputs.prompt }
    private var console: Console { outputs.console }

    // MARK: Opening

    func connect() {
        var target = settings.connector
        do throws(Failure) {
            if settings.url.endpoint == .embeddedEcho { target.destination = try startEmbeddedEcho() }
        } catch {
            return end(with: error)
        }
        console.warnIfInsecure(settings.arguments.client.tls.isInsecure)
        let connections = ConnectionSequence(backoff: settings.backoff, on: loop, delegate: self) {
            [unowned self] completion in environment.dial(target, settings, loop, completion)
        }
        self.connections = connections
        connections.start()
    }

    /// Shows the attempts of a sequence on a terminal if they take long; with `nil`, stops that.
    func showProgress(of connections: ConnectionSequence?) {
        progress?.stop()
        progress = connections.map { ConnectProgress(of: $0, on: loop, console: console) }
    }

    private func startEmbeddedEcho() throws(Failure) -> Connector.Settings.Destination {
        // Reuse the server: another connection may lead to it, and a closed one may still have to finish there.
        if let embeddedEcho { return embeddedEcho.destination }
        let echo = try EmbeddedEcho(for: settings.connector.request, on: loop, console: console)
        let destination = try echo.start()
        embeddedEcho = (echo, destination)
        return destination
    }

    /// Switches to another server, which gets no messages meant for the first one.
    func adopt(_ next: ConnectSettings) {
        settings = next
        connections?.cancel()
        connections = nil
        statistics.serverChanged()
        acknowledgements?.reset()
        requests?.begin(with: next)
    }

    /// Continues with an open connection: sends the initial messages, then those that may not have arrived on the
    /// previous connection.
    func opened(_ opened: Connector.Opened) {
        let isFirst = statistics.opening == nil
        statistics.connectionOpened(opened, at: loop.now)
        if isFirst { settings.rememberURL() }
        outputs.noticeVerbosely(ReportedTimings.line(opened))
        outputs.writeEvent { $0.writeOpen(opened) }
        let connection = Connection(
            opened.stream, settings: settings.connection(), deflate: opened.deflate, resources: resources, handler: self
        )
        self.connection = connection
        replies = settings.countsReplies ? ReplyCount() : nil
        if settings.isRepl, prompt == nil { startPrompt() }
        guard state.connectionOpened() else { return }
        announce(opened, isFirst: isFirst)
        if statistics.openedCount == 1, let warning = OpeningNotice.unselectedSubprotocols(opened) {
            console.notice(warning)
        }
        startHeartbeat(of: connection)
        // Nothing will be sent: the first message is the last one, even if others arrive with it.
        if !settings.readsPipe, settings.messages.isEmpty { _ = state.inputEnded() }
        exchange?.connectionWillStart()
        connection.start(with: opened.firstBytes)
        exchange?.connectionStarted { connection.send($0, as: .text) }
        if isPeerReady { beginSending(on: connection) }
    }

    /// Whether messages may be sent on the open connection, because there is no `--ready`, or a message has matched it.
    var isPeerReady: Bool { exchange?.isReady ?? true }

    /// Sends the messages of the command line and the input, now that the peer is ready.
    func beginSending(on connection: Connection<ConnectRun>) {
        sendInitialMessages()
        sendUnacknowledged(on: connection)
        requests?.sendWaiting()
        goOn()
    }

    /// Starts the input, or resumes it after a reconnect.
    private func goOn() {
        if settings.isRepl {
            if state.isEnding { endAsAsked() }
            return
        }
        if settings.readsPipe, case .notBegun = input {
            input = .reading(
                InputReader(settings.arguments.inputSettings, from: environment.input, on: loop, receiver: self))
        }
        if input.close != nil { return endAsAsked() }
        if input.isOver || !settings.readsPipe, state.inputEnded() { return endAsAsked() }
        guard input.isOver || (settings.arguments.format.readsInput && !settings.readsPipe) else { return readOn() }
        input.end()
        // Messages that are sent again may get further replies.
        state.awaitReplies()
        startLinger()
    }

    private func startPrompt() {
        guard let view = outputs.view else { return }
        console.drain()
        do throws(IOError) {
            outputs.prompt = try ConnectPrompt.open(
                settings, with: environment.openEditor, outputs: outputs, view: view, connection: self, on: loop)
        } catch {
            end(with: .input(error))
        }
    }

    private func closePrompt() {
        // Releases the terminal, however the loop ended.
        outputs.prompt?.close()
        outputs.prompt = nil
    }

    private func announce(_ opened: Connector.Opened, isFirst: Bool) {
        guard let prompt else {
            if !isFirst || connections?.tryCount != 0 { console.notice("wsx: connected to \(opened.request.url)") }
            return
        }
        prompt.showsConnected()
        console.notice(OpeningNotice.connected(opened, isFirst: isFirst))
    }

    private func startHeartbeat(of connection: Connection<ConnectRun>) {
        guard let beat = settings.heartbeat else { return }
        heartbeat = HeartbeatTimer(beat, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload): outputs.show(control: .ping, payload.span.bytes, .sent)
            case .sentMessage(let message):
                if outputs.showsSentMessages { outputs.show(message.span.bytes, as: .text, .sent) }
            case .lost(let silence):
                state.silence = .silent(for: silence, misses: beat.maximumMisses)
                self.connection?.terminate()
            }
        }
    }

    // MARK: Ending

    /// Closes the connection with the requested close frame. The run ends when the peer has answered.
    func endAsAsked() {
        state.end()
        input.pause()
        lingerTimer = nil
        guard connection != nil else {
            connections?.cancel()
            // A user who leaves the prompt gets the status of the last connection.
            if settings.isRepl {
                state.stoppedConnecting(after: statistics.lastEnd, unacknowledgedCount: acknowledgements?.count ?? 0)
            }
            // Not within a readline callback, which would continue to draw a deleted line.
            setDeadline(after: .zero) { [unowned self] in finish() }
            return
        }
        if acknowledgements?.delaysClosing() ?? false { return }
        close(with: closeFrame)
    }

    /// The close frame to send at the end.
    var closeFrame: CloseFrame { input.close ?? settings.closeFrame }

    /// Starts the closing handshake, unless it has already started.
    func close(with frame: CloseFrame) {
        guard let connection, connection.close(frame) else { return }
        closingBegan(with: frame)
    }

    private func closingBegan(with frame: CloseFrame) {
        if !state.isClosing { state.closing = .begun }
        outputs.writeSent(close: frame)
        prompt?.showsClosing()
    }

    /// Ends the run with a failure. Only the first failure counts.
    /// - Parameter hurried: Whether to limit the peer's time to answer the close frame to ``hurriedLimit``.
    func end(with failure: Failure?, hurried: Bool = false) {
        let isFirstHurry = state.end(with: failure, hurried: hurried)
        lingerTimer = nil
        input.pause()
        guard let connection else {
            connections?.cancel()
            return finish()
        }
        acknowledgements?.hurry()
        close(with: closeFrame)
        guard isFirstHurry else { return }
        setDeadline(after: Self.hurriedLimit) { connection.terminate() }
    }

    /// Opens another connection or finishes the run.
    func connectionEnded(_ end: ConnectionEnd) {
        let counters = connectionCounters
        connection = nil
        heartbeat = nil
        lingerTimer = nil
        exchange?.connectionEnded()
        statistics.connectionEnded(end, counters)
        outputs.writeEvent { $0.writeClose(end) }
        acknowledgements?.connectionEnded(end)
        if opensAnother(after: end) { return }
        requests?.connectionEnded(isRetried: false)
        state.lastConnectionEnded(end, unacknowledgedCount: acknowledgements?.count ?? 0)
        connections?.cancel()
        if staysAtPrompt() { return }
        finish()
    }

    /// Opens another connection if the run continues after the end of this one.
    /// - Returns: Whether another connection follows.
    private func opensAnother(after end: ConnectionEnd) -> Bool {
        guard let acknowledgements, let cause = state.interruption(by: end) else { return false }
        state.silence = nil
        requests?.connectionEnded(isRetried: true)
        prompt?.showsDisconnected()
        connections?.connectionWasLost(because: cause, hasConfirmed: acknowledgements.connectionFollows())
        // Keep reading the input: the messages are queued.
        readOn()
        return true
    }

    /// Finishes the run after its last connection.
    func finish() {
        showProgress(of: nil)
        if !state.isDraining {
            if settings.isRepl || outputs.isVerbose { showSummary(state.failure) }
            let countsUnanswered = !state.ignoresIncoming
            state.drain(
                requestFailure: requests?.failure(countsUnanswered: countsUnanswered), missing: exchange?.missing,
                isPrompt: settings.isRepl, lastCode: statistics.lastEnd?.code)
            // Close the prompt first: the last notices belong below the last typed line.
            closePrompt()
            if let failure = state.failure { outputs.writeEvent { $0.writeFailure(failure) } }
            showUnacknowledged()
            if countsUnanswered { showUnanswered() }
        }
        input.closeReader()
        deadline = nil
        stop()
    }

    /// Stops the loop when the outputs have written everything. A hurried end limits that time. The hurry may begin
    /// during this wait, when a time limit or a signal ends a run with a stuck reader.
    private func stop() {
        outputs.flush()
        if outputs.isDrained { loop.stop() }
        guard state.isHurried else { return }
        setDeadline(after: Self.hurriedLimit) { [unowned self] in loop.stop() }
    }

    private func setDeadline(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        deadline = timer
        timer.start(after: delay)
    }

    /// Shows the traffic and the end of the last connection.
    func showSummary(_ failure: Failure?) {
        guard let summary = statistics.summary(at: loop.now, isVerbose: outputs.isVerbose) else { return }
        console.notice(summary, as: outputs.view == nil ? nil : failure == nil ? .received : .failure)
    }

    /// Reports how many messages may not have arrived.
    func showUnacknowledged() {
        guard let count = acknowledgements?.count, count > 0 else { return }
        let which = count == 1 ? "the last message" : "the last \(count) messages"
        console.error("\(which)\(settings.isRepl ? "" : " of the input") may not have reached the peer")
    }

    /// Reports how many requests have no reply, unless the run fails with that error.
    func showUnanswered() {
        guard let count = requests?.unansweredCount, count > 0, statistics.openedCount > 0 else { return }
        if case .unanswered = state.failure { return }
        console.error(Failure.words(forUnanswered: count))
    }

    // MARK: Outputs and signals

    /// Resumes the peer and the input after an output has written its backlog. All pauses for outputs end here.
    func outputDidDrain() {
        if outputs.isFull { outputs.watchLog() } else { resumeReading() }
        readOn()
        if state.isDraining, outputs.isDrained { loop.stop() }
    }

    /// Handles the failure of standard output. A closed pipe is a normal end.
    private func outputDidFail(_ error: IOError) {
        state.readerLeft()
        end(with: error == .brokenPipe ? nil : .output(error), hurried: true)
        // Keep reading until the peer's close frame.
        outputDidDrain()
        if state.isDraining { loop.stop() }
    }

    /// Stops recording. This ends the run, except at the prompt.
    private func recordingDidFail(_ failure: Failure) {
        if prompt == nil { end(with: failure) } else { console.report(failure) }
        outputDidDrain()
    }

    /// Resumes reading from the peer. Replies may have been waiting, so request timeouts restart.
    private func resumeReading() {
        guard let connection, connection.isPausedByUser else { return }
        requests?.holdExpiry()
        connection.resumeReading()
    }

    private func interrupted() {
        // Ignore the signal while the user's editor runs: it is meant for the editor, which is in the same process
        // group.
        if prompt?.editor.isAway ?? false { return }
        if let prompt, !state.isEnding { return prompt.interrupted() }
        if state.isInterruptFinal { return loop.stop() }
        end(with: .interrupted, hurried: true)
    }
}
