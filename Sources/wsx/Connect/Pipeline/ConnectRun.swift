import Formats
import WSCore

/// One run of `wsx connect`: a pipeline of stages that each know one thing.
///
///     input, prompt ─► RequestStage ─► AcknowledgementStage ─► Connection
///     ConnectOutputs ◄─ EndConditions ◄─ RequestStage ◄──────── Connection
///
/// ``ConnectionSequence`` opens the connections, ``RunState`` decides how the run ends, and this class passes bytes and
/// events from one stage to the next. Stages that are not asked for do not exist.
final class ConnectRun {
    /// What a run touches outside the process. Unit tests have their own.
    struct Environment {
        /// The descriptors of standard input and output.
        var input = StandardDescriptors.input
        var output = StandardDescriptors.output
        /// Prepares an attempt to connect.
        var dial: (Connector.Settings, ConnectSettings, EventLoop, @escaping Completion) -> any ConnectionAttempt = {
            Connector($0, resources: $1.connectorResources, on: $2, completion: $3)
        }
        /// Opens the editor of the prompt.
        var openEditor = LineEditor.opener

        typealias Completion = (Result<Connector.Opened, ConnectError>) -> Void
    }

    /// The present wishes. At the prompt they can lead to another server.
    private(set) var settings: ConnectSettings
    let loop: EventLoop
    let outputs: ConnectOutputs
    private let environment: Environment
    private let resources: ConnectionResources

    var state: RunState
    var statistics = ConnectStatistics()
    private(set) var connections: ConnectionSequence?
    private(set) var connection: Connection<ConnectRun>?
    private(set) var heartbeat: HeartbeatTimer<ConnectRun>?
    /// Waits for replies after the end of the input.
    var lingerTimer: LingerTimer?

    var input = Input.notBegun
    /// Nil: messages are no requests.
    private(set) var requests: RequestStage?
    /// Nil: no connection follows another.
    private(set) var acknowledgements: AcknowledgementStage?

    /// The server behind `echo:`, once it was asked for, and where it listens.
    private var embeddedEcho: (server: EmbeddedEcho, destination: Connector.Settings.Destination)?
    private var stopRequests: StopRequests?
    /// The time limit of a hurried end.
    private var deadline: Timer?

    /// When a time limit, a signal, or a reader that has gone away cuts the run short: how long the peer may take for the
    /// closing handshake, and after it a slow reader for what is left.
    private static let hurriedLimit = Duration.milliseconds(500)

    /// Prepares a run; throws ``Failure`` when an output cannot be opened, or a message of the command line cannot be sent.
    init(
        _ settings: ConnectSettings, on loop: EventLoop, console: Console, environment: Environment = Environment()
    ) throws(Failure) {
        self.settings = settings
        self.loop = loop
        self.environment = environment
        resources = ConnectionResources(on: loop)
        state = RunState(settings.conditions, closeTimeout: settings.arguments.client.limits.closeTimeout)
        // Before a recording is begun, which empties its file.
        let queue = try RequestStage.queue(settings)
        outputs = try ConnectOutputs(settings, console: console, output: environment.output, on: loop)
        for pattern in settings.conditions.patterns { console.watch(pattern) }
        if let queue { requests = RequestStage(queue, settings, outputs: outputs, on: loop, host: self) }
        if settings.arguments.staying.reconnection != .never {
            acknowledgements = AcknowledgementStage(
                patience: settings.arguments.client.limits.closeTimeout, on: loop, host: self)
        }
    }

    /// Runs, and returns why it did not end as asked, if it did not.
    func run() -> Failure? {
        outputs.didDrain = { [unowned self] in outputDidDrain() }
        outputs.didFail = { [unowned self] error in outputDidFail(error) }
        outputs.recordingDidFail = { [unowned self] failure in recordingDidFail(failure) }
        stopRequests = StopRequests(timeLimit: settings.arguments.ending.timeout, on: loop) { [unowned self] request in
            switch request {
            case .interrupt: interrupted()
            // The key is the user's editor's, which is in the same group of processes.
            case .quit where outputs.prompt?.editor.isAway ?? false: break
            case .quit, .terminate, .hangUp, .timeLimit: end(with: request.failure, hurried: true)
            }
        }
        connect()
        loop.run()
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

    private func startEmbeddedEcho() throws(Failure) -> Connector.Settings.Destination {
        // Another connection may lead there again, and one that is over there has an end to be told.
        if let embeddedEcho { return embeddedEcho.destination }
        let echo = try EmbeddedEcho(for: settings.connector.request, on: loop, console: console)
        let destination = try echo.start()
        embeddedEcho = (echo, destination)
        return destination
    }

    /// Switches to another server, which gets no messages meant for the first.
    func adopt(_ next: ConnectSettings) {
        settings = next
        connections?.cancel()
        connections = nil
        statistics.serverChanged()
        acknowledgements?.reset()
        requests?.begin(with: next)
    }

    /// Takes a connection: sends what every one begins with, then what may not have arrived on the one before.
    func opened(_ opened: Connector.Opened) {
        let isFirst = statistics.opening == nil
        statistics.connectionOpened(opened, at: loop.now)
        outputs.writeEvent { events in
            events.writeOpen(
                url: "\(opened.request.url)", subprotocol: opened.upgrade.subprotocol,
                extensions: opened.upgrade.extensions)
        }
        let connection = Connection(
            opened.stream, settings: settings.connection, deflate: opened.deflate, resources: resources, handler: self)
        self.connection = connection
        if settings.isRepl, prompt == nil { startPrompt() }
        guard state.connectionOpened() else { return }
        announce(opened, isFirst: isFirst)
        startHeartbeat(of: connection)
        connection.start(with: opened.firstBytes)
        sendInitialMessages()
        sendUnacknowledged(on: connection)
        requests?.sendWaiting()
        goOn()
    }

    /// Begins with the input, or goes on where the connection before was lost.
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
        guard input.isOver || (settings.arguments.format.readsInput && !settings.readsPipe) else { return readOn() }
        input.end()
        // Messages that are sent again may get further replies.
        state.awaitReplies()
        startLinger()
    }

    private func startPrompt() {
        console.drain()
        do throws(IOError) {
            outputs.prompt = try ConnectPrompt.open(
                settings, with: environment.openEditor, outputs: outputs, connection: self, on: loop)
        } catch {
            end(with: .input(error))
        }
    }

    private func closePrompt() {
        // However the loop was left, the terminal is given back.
        outputs.prompt?.close()
        outputs.prompt = nil
    }

    private func announce(_ opened: Connector.Opened, isFirst: Bool) {
        guard let prompt else {
            if !isFirst || connections?.tryCount != 0 { console.notice("wsx: connected to \(opened.request.url)") }
            return
        }
        prompt.showsConnected()
        let agreed =
            (opened.tls.map { [$0.version] } ?? [])
            + (opened.upgrade.subprotocol.map { ["subprotocol \(escapingControls($0))"] } ?? [])
            + opened.upgrade.extensions.map { escapingControls($0.name) }
        let parentheses = agreed.isEmpty ? "" : " (\(agreed.joined(separator: ", ")))"
        let help = isFirst ? " /help lists commands." : ""
        console.notice(
            "Connected to \(opened.request.url) in \(Phrase.duration(opened.duration))\(parentheses).\(help)")
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

    /// Closes the connection with the close frame asked for; the run ends as asked once the peer has answered.
    func endAsAsked() {
        state.end()
        input.pause()
        lingerTimer = nil
        guard connection != nil else {
            connections?.cancel()
            // Not within the callback of readline, which would go on drawing a line that is gone.
            setDeadline(after: .zero) { [unowned self] in finish() }
            return
        }
        if acknowledgements?.delaysClosing() ?? false { return }
        close(with: closeFrame)
    }

    /// What this end closes with.
    var closeFrame: CloseFrame { input.close ?? settings.closeFrame }

    /// Begins the closing handshake, unless it has begun.
    func close(with frame: CloseFrame) {
        guard let connection, connection.close(frame) else { return }
        closingBegan(with: frame)
    }

    private func closingBegan(with frame: CloseFrame) {
        if !state.isClosing { state.closing = .begun }
        outputs.writeSent(close: frame)
    }

    /// Ends the run with a failure; the first one counts.
    /// - Parameter hurried: Whether to give the peer but a moment to answer the close frame.
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

    /// Opens another connection, or finishes the run.
    func connectionEnded(_ end: ConnectionEnd) {
        let counters = connectionCounters
        connection = nil
        heartbeat = nil
        lingerTimer = nil
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

    /// Has another connection opened where the end of one was not the end of the run.
    /// - Returns: Whether that is so.
    private func opensAnother(after end: ConnectionEnd) -> Bool {
        guard let acknowledgements, let cause = state.interruption(by: end) else { return false }
        state.silence = nil
        requests?.connectionEnded(isRetried: true)
        prompt?.showsDisconnected()
        connections?.connectionWasLost(because: cause, hasConfirmed: acknowledgements.connectionFollows())
        // What the input has meanwhile is kept.
        readOn()
        return true
    }

    /// There is no connection, and there will be none.
    func finish() {
        if !state.isDraining {
            if settings.isRepl || outputs.isVerbose { showSummary() }
            let countsUnanswered = !state.ignoresIncoming
            state.drain(
                requestFailure: requests?.failure(countsUnanswered: countsUnanswered),
                isPrompt: settings.isRepl, lastCode: statistics.lastEnd?.code)
            // The last notices belong below the line that was typed last.
            closePrompt()
            if let failure = state.failure { outputs.writeEvent { $0.writeFailure(failure) } }
            showUnacknowledged()
            if countsUnanswered { showUnanswered() }
        }
        input.closeReader()
        deadline = nil
        stop()
    }

    /// Ends the loop once standard output has taken everything; in a hurry, it has but a moment for that. The hurry may
    /// come while it is waited for: a time limit or a signal ends a run whose reader is stuck.
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

    func showSummary() {
        guard let summary = statistics.summary(at: loop.now, showsWire: outputs.isVerbose) else { return }
        console.notice(summary)
    }

    /// Reports how many messages of the input may not have arrived.
    func showUnacknowledged() {
        guard let count = acknowledgements?.count, count > 0 else { return }
        let which = count == 1 ? "the last message" : "the last \(count) messages"
        console.error("\(which) of the input may not have arrived")
    }

    /// Reports how many requests have no reply, unless that is what the run ends with.
    func showUnanswered() {
        guard let count = requests?.unansweredCount, count > 0, statistics.openedCount > 0 else { return }
        if case .unanswered = state.failure { return }
        console.error(Failure.words(forUnanswered: count))
    }

    // MARK: Outputs and signals

    /// An output has taken everything that had to wait, or is not waited for any more: the one place where the peer and
    /// the input go on.
    func outputDidDrain() {
        if outputs.isFull { outputs.watchLog() } else { resumeReading() }
        readOn()
        if state.isDraining, outputs.isDrained { loop.stop() }
    }

    /// Standard output cannot be written any more. A reader that has gone away has seen enough: a normal end.
    private func outputDidFail(_ error: IOError) {
        state.readerLeft()
        end(with: error == .brokenPipe ? nil : .output(error), hurried: true)
        // Read on until the peer's close frame.
        outputDidDrain()
        if state.isDraining { loop.stop() }
    }

    /// Nothing is recorded any more, which ends the run, but leaves the user at the prompt.
    private func recordingDidFail(_ failure: Failure) {
        if prompt == nil { end(with: failure) } else { console.report(failure) }
        outputDidDrain()
    }

    /// Goes on reading what the peer sends, in which there may be replies.
    private func resumeReading() {
        guard let connection, connection.isPausedByUser else { return }
        requests?.holdExpiry()
        connection.resumeReading()
    }

    private func interrupted() {
        // The key is the user's editor's, which is in the same group of processes.
        if prompt?.editor.isAway ?? false { return }
        if let prompt, !state.isEnding { return prompt.interrupted() }
        if state.isInterruptFinal { return loop.stop() }
        end(with: .interrupted, hurried: true)
    }
}
