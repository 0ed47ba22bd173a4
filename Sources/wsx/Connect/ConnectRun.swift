import Formats
import WSCore

/// One run of `wsx connect`: opens the connection, sends what there is to send, shows what comes, and decides how
/// the run ends.
///
///      arguments, stdin, editor → send → Connection → server
///      server → Connection → received → stdout, editor
final class ConnectRun {
    /// What is wished for. At the prompt it can become another server.
    var settings: ConnectSettings
    /// What is looked at for each message, and is the same for any server: reading it in ``settings``, a variable, would
    /// copy them all.
    let (kind, verbosity): (MessageKind, Int)
    /// What was wished for at first.
    let firstSettings: ConnectSettings
    let loop: EventLoop
    let console: Console
    let transcript: Transcript
    /// Shows every frame; nil: nobody asked for it.
    let trace: FrameTrace?
    let outputs: ConnectOutputs
    /// The prompt, in a REPL; nil before the first connection.
    var repl: ConnectRepl?
    var connection: Connection<ConnectRun>?
    /// What happened to the input: not begun, being read, or over.
    var input: InputReader?
    var inputIsOver = false
    /// The close frame that the input asked for.
    var inputClose: CloseFrame?
    /// What the messages that have come decide about the end.
    var conditions: EndConditions
    /// The messages of the input, where they are requests.
    var requests: RequestQueue?
    /// The error replies to JSON-RPC calls so far.
    var errorReplyCount = 0
    /// Looks after the requests whose time is over.
    var requestTimer: Timer?
    /// Set while there is work with requests to be done at the end of the turn.
    var isRequestWorkScheduled = false
    /// What was agreed for the latest connection, and when.
    private(set) var opened: OpenedFacts?
    private(set) var connectionTime: Duration?
    /// The lines of the opening handshake, of all its requests and responses.
    var heads: [(line: String, direction: Transcript.Direction)] = []
    /// The round trip of the latest ping that was answered.
    var lastRoundTrip: Duration?
    /// Set when the run is to end: nothing more is sent.
    var isEnding = false
    /// Set when what still comes is of no interest.
    var ignoresIncoming = false
    /// The latest ping that has not been answered, for the round trip.
    var ping: (payload: [UInt8], time: Duration)?
    /// Set when a closing handshake has been begun here.
    var hasClosed = false
    /// Set when another connection is to follow the one that is being closed.
    var isReopening = false
    /// What it is to lead to, where that is another server.
    var nextSettings: ConnectSettings?
    /// Waits for replies after the end of the input.
    var lingerTimer: LingerTimer?

    var connections: ConnectionSequence?
    /// What the connections that are over have carried.
    var earlierTraffic = (sent: Traffic(), received: Traffic())
    var heartbeat: HeartbeatTimer<ConnectRun>?
    /// Set when the peer has become silent, which ends the connection.
    var silenceFailure: Failure?
    /// The messages of the input that the peer may not have read; nil where no connection follows another.
    var unacknowledged: UnacknowledgedMessages?
    /// Sends the ping that confirms them.
    var confirmTimer: Timer?
    /// Whether messages were confirmed on this connection.
    var hasConfirmed = false
    var confirmationWait = ConfirmationWait.none

    /// The server behind `echo:`, once it was asked for, and where it listens.
    private var embeddedEcho: (server: EmbeddedEcho, destination: Connector.Settings.Destination)?
    /// Why the run does not end as asked, or why the last connection of a prompt did not.
    var failure: Failure?
    /// When the first connection was opened, of those that have not been summed up.
    var openTime: Duration?
    /// The connections that have been summed up.
    var earlierConnectionCount = 0
    private(set) var lastEnd: ConnectionEnd?
    private var hasConnected = false
    private var isHurried = false
    private var isStopping = false
    private var runTimer: Timer?
    private var graceTimer: Timer?
    private var signals: [SignalWatcher] = []
    private let resources: ConnectionResources

    /// When the run is cut short, by a time limit, a signal or a reader that has gone away: how long the peer may take
    /// for the closing handshake, and after it a slow reader for what is left.
    private static let hurriedLimit = Duration.milliseconds(500)

    /// Prepares a run.
    init(_ settings: ConnectSettings, on loop: EventLoop, console: Console) throws(Failure) {
        self.settings = settings
        (kind, verbosity) = (settings.kind, settings.arguments.verbosity)
        firstSettings = settings
        self.loop = loop
        self.console = console
        resources = ConnectionResources(on: loop)
        conditions = settings.conditions
        for pattern in settings.conditions.patterns { console.watch(pattern) }
        requests = try Self.requests(settings)
        if settings.arguments.reconnection != .never { unacknowledged = UnacknowledgedMessages() }
        transcript = console.makeTranscript(for: settings.arguments, isPrompt: settings.isRepl, on: loop)
        trace = settings.arguments.verbosity > 1 ? FrameTrace(transcript: transcript) { console.show($0) } : nil
        do throws(IOError) {
            outputs = try ConnectOutputs(settings, console: console, on: loop)
        } catch {
            throw .output(error)
        }
        guard let path = settings.arguments.recordPath else { return }
        do throws(IOError) {
            try startRecording(to: path, replacing: true)
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    /// Runs, and returns why it did not end as asked, if it did not.
    func run() -> Failure? {
        outputs.messages?.didDrain = { [unowned self] in outputDidDrain() }
        outputs.messages?.didFail = { [unowned self] error in outputDidFail(error) }
        outputs.pushes?.didDrain = { [unowned self] in outputDidDrain() }
        // Its writer takes what comes all the same, and drops it.
        outputs.pushes?.didFail = { [unowned self] _ in outputDidDrain() }
        outputs.logDidDrain = { [unowned self] in outputDidDrain() }
        signals = [
            SignalWatcher(.interrupt, on: loop) { [unowned self] in interrupted() },
            SignalWatcher(.terminate, on: loop) { [unowned self] in end(with: .terminated, hurried: true) },
            SignalWatcher(.hangUp, on: loop) { [unowned self] in end(with: .hungUp, hurried: true) },
            SignalWatcher(.quit, on: loop) { [unowned self] in quit() },
        ].compactMap { $0 }
        if let limit = settings.arguments.timeout {
            runTimer = Timer(on: loop) { [unowned self] in end(with: .runTimedOut(after: limit), hurried: true) }
            runTimer?.start(after: limit)
        }
        connect()
        loop.run()
        // However the loop was left, the terminal is given back.
        repl?.close()
        repl = nil
        return failure
    }

    // MARK: Opening

    /// Begins to connect to what the settings lead to.
    func connect() {
        var target = settings.connector
        do throws(Failure) {
            if settings.url.endpoint == .embeddedEcho { target.destination = try startEmbeddedEcho() }
        } catch {
            return end(with: error)
        }
        console.warnIfInsecure(settings.arguments.tls.isInsecure)
        let connections = ConnectionSequence(
            to: target, resources: settings.connectorResources, backoff: settings.backoff, on: loop,
            delegate: self)
        connections.didStep = { [unowned self] step in took(step) }
        connections.didStart = { [unowned self] in heads = [] }
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

    /// Takes a connection: sends what every one begins with, then what may not have arrived on the one before.
    func opened(_ opened: Connector.Opened) {
        if openTime == nil { openTime = loop.now }
        connectionTime = loop.now
        self.opened = OpenedFacts(opened)
        lastRoundTrip = nil
        writeEvent { events in
            events.writeOpen(
                url: "\(opened.request.url)", subprotocol: opened.upgrade.subprotocol,
                extensions: opened.upgrade.extensions)
        }
        let connection = Connection(
            opened.stream, settings: settings.connection, deflate: opened.deflate, resources: resources, handler: self)
        self.connection = connection
        if settings.isRepl, repl == nil { startRepl() }
        guard !isEnding || failure == nil else { return }
        failure = nil
        announce(opened)
        startHeartbeat(of: connection)
        connection.start(with: opened.firstBytes)
        sendInitialMessages()
        sendUnacknowledged()
        sendRequests()
        goOn()
    }

    /// Begins with the input, or goes on where the connection before was lost.
    private func goOn() {
        if settings.isRepl {
            if isEnding { endAsAsked() }
            return
        }
        if settings.readsPipe, input == nil {
            input = InputReader(settings.arguments.inputSettings, on: loop, receiver: self)
        }
        if inputClose != nil { return endAsAsked() }
        guard inputIsOver || (settings.arguments.readsInput && !settings.readsPipe) else { return readOn() }
        inputIsOver = true
        // What is sent again may be answered again.
        if !hasClosed { isEnding = false }
        startLinger()
    }

    private func startRepl() {
        console.drain()
        do throws(IOError) {
            repl = try ConnectRepl(self)
            outputs.editor = repl?.editor
        } catch {
            end(with: .input(error))
        }
    }

    private func announce(_ opened: Connector.Opened) {
        let isFirst = connections?.openedCount == 1 && !hasConnected
        hasConnected = true
        guard settings.isRepl else {
            if !isFirst || connections?.tryCount != 0 { console.notice("wsx: connected to \(opened.request.url)") }
            return
        }
        repl?.showsConnected()
        let agreed =
            (opened.tls.map { [$0.version] } ?? [])
            + (opened.upgrade.subprotocol.map { ["subprotocol \(escapingControls($0))"] } ?? [])
            + opened.upgrade.extensions.map { escapingControls($0.name) }
        let parentheses = agreed.isEmpty ? "" : " (\(agreed.joined(separator: ", ")))"
        let help = isFirst ? " /help lists commands." : ""
        console.notice(
            "Connected to \(opened.request.url) in \(Phrase.duration(opened.duration))\(parentheses).\(help)")
    }

    // MARK: Ending

    /// Closes the connection with the close frame asked for; the run ends as asked once the peer has answered.
    func endAsAsked() {
        isEnding = true
        input?.pause()
        lingerTimer = nil
        guard connection != nil else {
            connections?.cancel()
            // Not within the callback of readline, which would go on drawing a line that is gone.
            graceTimer = Timer(on: loop) { [unowned self] in finish() }
            graceTimer?.start(after: .zero)
            return
        }
        if waitsForConfirmation() { return }
        close(with: closeFrame)
    }

    /// What this end closes with.
    var closeFrame: CloseFrame { inputClose ?? settings.closeFrame }

    /// Begins the closing handshake, unless it has begun.
    func close(with frame: CloseFrame) {
        guard let connection, connection.close(frame) else { return }
        hasClosed = true
        showSent(frame)
    }

    /// Ends the run for a reason of its own; the first counts.
    /// - Parameter hurried: Whether to give the peer but a moment to answer the close frame.
    func end(with failure: Failure?, hurried: Bool = false) {
        // That of an earlier connection of the prompt is done with.
        if case .told? = self.failure, failure != nil { self.failure = nil }
        if self.failure == nil { self.failure = failure }
        isEnding = true
        lingerTimer = nil
        input?.pause()
        let isFirstHurry = hurried && !isHurried
        if hurried { isHurried = true }
        guard let connection else {
            connections?.cancel()
            return finish()
        }
        confirmationWait = .over
        close(with: closeFrame)
        guard isFirstHurry else { return }
        graceTimer = Timer(on: loop) { connection.terminate() }
        graceTimer?.start(after: Self.hurriedLimit)
    }

    /// The connection is over: another follows, or what is left is to write what waits.
    func connectionEnded(_ end: ConnectionEnd) {
        if let connection { add(connection) }
        connection = nil
        heartbeat = nil
        confirmTimer = nil
        lingerTimer = nil
        requestTimer = nil
        lastEnd = end
        writeEvent { $0.writeClose(end) }
        if opensAnother(after: end) { return }
        // What came after the last message that was asked for decides nothing, unless we had to wait for it.
        if failure == nil, !ignoresIncoming || end.closingTimedOut { failure = finalFailure(of: end) }
        connections?.cancel()
        if staysAtPrompt() { return }
        finish()
    }

    /// There is no connection, and there will be none.
    func finish() {
        if let openTime, !isStopping, settings.isRepl || settings.arguments.verbosity > 0 {
            showSummary(since: openTime)
        }
        input?.close()
        graceTimer = nil
        stop()
    }

    /// Ends the loop once standard output has taken everything; in a hurry, it has but a moment for that. The hurry may
    /// come while it is waited for: a time limit or a signal ends a run whose reader is stuck.
    private func stop() {
        repl?.close()
        repl = nil
        outputs.editor = nil
        if !isStopping {
            failure = judged(failure)
            if let failure { writeEvent { $0.writeFailure(failure) } }
            showUnacknowledged()
            showUnanswered()
        }
        isStopping = true
        outputs.flush()
        if outputs.isDrained { loop.stop() }
        guard isHurried, graceTimer == nil else { return }
        graceTimer = Timer(on: loop) { [unowned self] in loop.stop() }
        graceTimer?.start(after: Self.hurriedLimit)
    }

    /// An output has taken everything that had to wait, or is not waited for any more: the one place where the peer and
    /// the input go on.
    func outputDidDrain() {
        if outputs.isFull { outputs.watchLog() } else { resumeReading() }
        readOn()
        if isStopping, outputs.isDrained { loop.stop() }
    }

    /// Standard output cannot be written any more. A reader that has gone away has seen enough: a normal end.
    private func outputDidFail(_ error: IOError) {
        ignoresIncoming = true
        end(with: error == .brokenPipe ? nil : .output(error), hurried: true)
        // The peer's close frame is to be heard.
        outputDidDrain()
        if isStopping { loop.stop() }
    }

    private func interrupted() {
        // The key is the user's editor's, which is in the same group of processes.
        if repl?.editor.isAway ?? false { return }
        if let repl, !isEnding { return repl.interrupted() }
        if isEnding, failure != nil { return loop.stop() }
        end(with: .interrupted, hurried: true)
    }

    /// Ctrl-\: ends at once, so that there is a way out whatever happens; but the terminal is restored.
    private func quit() {
        if !(repl?.editor.isAway ?? false) { end(with: .quit, hurried: true) }
    }
}
