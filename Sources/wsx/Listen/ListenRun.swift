import WSCore

/// One run of `wsx listen`: serves clients until a signal ends it.
///
///      client → Connection → ListenClient ──(--echo)──► the same client
///                                ├──(--exec)──► ProgramSession ──► the same client
///                                └──► stdout, editor
///      stdin, editor ──► every client
final class ListenRun {
    let settings: ListenSettings
    let loop: EventLoop
    let console: Console
    let transcript: Transcript
    /// What becomes of messages, without what that needs: it is looked at for each of them.
    let service: ListenMode.Service
    /// Standard output; nil where messages are not for it.
    let output: MessageWriter?
    /// Where everything is recorded; nil: nowhere.
    var recorder: Recorder?
    /// The terminal, in a REPL.
    private(set) var editor: LineEditor?
    /// Standard input, once there is a client to send it to.
    var input: InputReader?
    var inputIsOver = false

    private(set) lazy var server = makeServer()
    /// Looks for clients without a sign of life; nil: nobody asked for it.
    private(set) lazy var watch = settings.isEmbedded ? nil : ClientWatch(settings.arguments, of: self)
    /// Where it listens, in the order of the settings' endpoints.
    private(set) var places: [ListeningPlace] = []
    /// What runs for the clients; nil: nothing does.
    private(set) lazy var programs = settings.program.map { ProgramPool($0, of: self) }
    /// What messages that take long, as those for all, may take of a turn.
    private(set) lazy var budget = TurnBudget(of: self)
    /// Who waits for standard output, the recording or the terminal.
    private(set) lazy var outputTurns = OutputTurns(of: self)
    var failure: Failure?
    private(set) var isEnding = false
    /// Whether that was asked for, and is not just the end of the only client.
    private(set) var isEndAskedFor = false
    private(set) var isStopping = false
    private var signals: [SignalWatcher] = []
    private(set) lazy var slowReaders = SlowReaders(of: self)
    /// What is told of clients that come and go.
    private(set) lazy var log = ClientLog(settings, on: loop, console: console, transcript: transcript)
    /// How many gates hold so much that what is for all has to wait.
    var fullGateCount = 0
    /// Which requests are still refused.
    var rejections: RejectionCounter
    /// What the random numbers of faults begin with.
    let faultSeed: UInt64
    private var endTimer: Timer?
    /// The further threads; nil: there are none.
    private var threads: ListenThreads?

    /// What the end may take beyond the closing handshake's limit.
    private static let endGrace = Duration.seconds(1)

    /// Prepares a run.
    init(_ settings: ListenSettings, on loop: EventLoop, console: Console) throws(Failure) {
        self.settings = settings
        self.loop = loop
        self.console = console
        service = settings.arguments.mode.service
        rejections = RejectionCounter(settings.arguments.faults.rejection)
        faultSeed = settings.arguments.faults.seed.map { UInt64($0) } ?? .random(in: .min ... .max)
        transcript = console.makeTranscript(for: settings.arguments, isPrompt: settings.isRepl, on: loop)
        do throws(IOError) {
            output = settings.writesOutput ? try MessageWriter(settings.arguments, colors: console, on: loop) : nil
        } catch {
            throw .output(error)
        }
        try startRecording()
    }

    /// Whether messages are shown or recorded, not just answered.
    var observesMessages: Bool {
        output != nil || recorder != nil || settings.isRepl || settings.arguments.verbosity > 1
    }

    /// What shows the frames of a client; nil: nobody asked for it.
    func makeTrace(ofClient number: Int) -> FrameTrace? {
        guard settings.arguments.verbosity > 1 else { return nil }
        return FrameTrace(transcript: transcript, client: number) { [console] in console.show($0) }
    }

    /// Starts listening, and returns the first address with the port in use; nil for a Unix-domain socket.
    @discardableResult
    func start() throws(Failure) -> SocketAddress? {
        var first: SocketAddress?
        do throws(IOError) {
            for endpoint in settings.endpoints {
                let address = try server.listen(on: endpoint)
                first = first ?? address
                places.append(ListeningPlace(endpoint, boundTo: address, isSecure: settings.tls != nil))
            }
            return first
        } catch {
            let address = settings.arguments.address
            throw .listening(address: address.isEmpty ? "a socket of LISTEN_FDS" : address, error)
        }
    }

    /// Runs until a signal, and returns why it did not end as asked, if it did not.
    func run() -> Failure? {
        output?.didDrain = { [unowned self] in outputDidDrain() }
        output?.didFail = { [unowned self] error in outputDidFail(error) }
        signals = [
            SignalWatcher(.interrupt, on: loop) { [unowned self] in interrupted() },
            SignalWatcher(.terminate, on: loop) { [unowned self] in end() },
        ].compactMap { $0 }
        if settings.isRepl || programs != nil {
            // The terminal is to be restored, and programs are to be ended, whatever ends the run.
            signals += [
                SignalWatcher(.hangUp, on: loop) { [unowned self] in end() },
                SignalWatcher(.quit, on: loop) { [unowned self] in interrupted() },
            ].compactMap { $0 }
        }
        do throws(Failure) {
            let address = try start()
            threads = try settings.forFurtherThreads(listeningOn: address).map { (all) throws(Failure) in
                // Weak: the last of them may say so when the loop turns for the last time, as it is released.
                try ListenThreads(all, on: loop) { [weak self] in self?.stopIfOver() }
            }
            if settings.isRepl { try startEditor() }
            announce()
        } catch {
            return error
        }
        loop.run()
        threads?.join()
        return failure
    }

    private func makeServer() -> Server<ListenClient> {
        let server = Server<ListenClient>(
            .init(
                policy: settings.policy, connection: settings.connection,
                deflate: settings.arguments.compression.deflate,
                responder: settings.site, handshakeTimeout: settings.arguments.handshakeTimeout,
                maximumConnections: settings.arguments.maximumConnections,
                reservedDescriptors: programs?.reservedDescriptors ?? 0,
                bytesPerSecond: settings.arguments.faults.bytesPerSecond, share: settings.share),
            tls: settings.tls, on: loop
        ) { [unowned self] client in opened(client) }
        server.refusal = { [unowned self] upgrade in
            rejection(of: upgrade.request) ?? programs?.refusal(of: upgrade)
        }
        server.didRefuse = { [unowned self] refusal, facts in log.refused(refusal, facts) }
        server.didServe = { [unowned self] served in log.answered(served) }
        server.didFailToSecure = { [unowned self] error, facts in log.failedToSecure(error, facts) }
        server.didReachLimit = { [unowned self] limit in log.reachedLimit(limit) }
        server.didOpen = { [unowned self] connection in
            watch?.add(connection)
            connection.handler.didOpen(connection)
        }
        return server
    }

    private func startEditor() throws(Failure) {
        console.drain()
        do throws(IOError) {
            let editor = try LineEditor(prompt: "> ", history: History(), commands: Self.commands, on: loop)
            editor.delegate = self
            self.editor = editor
            console.editor = editor
        } catch {
            throw .input(error)
        }
    }

    private func announce() {
        if !settings.arguments.address.isEmpty, case .inherited? = settings.endpoints.first {
            console.notice(
                "The sockets of LISTEN_FDS take the place of \(escapingControls(settings.arguments.address))")
        }
        for place in places {
            console.notice(
                "Listening on \(escapingControls(place.url))" + (editor == nil ? "" : "; /help lists commands"))
        }
        if let directory = settings.arguments.servedDirectory {
            let urls = places.compactMap(\.webURL).map { " at \($0)" }.joined(separator: " and")
            console.notice(escapingControls("Serving the files of \(directory)\(urls)"))
        }
        if settings.arguments.servesConsole {
            for url in places.compactMap(\.webURL) { console.notice("Console at \(url)") }
        }
        if let pin = settings.selfSignedPin { console.notice("Self-signed certificate: --insecure --pin \(pin)") }
        for place in places {
            writeEvent { events in
                events.write("listening") { event in
                    event.add("url", place.url)
                    if let port = place.port { event.add("port", Int(port)) }
                    if let pin = settings.selfSignedPin { event.add("pin", "\(pin)") }
                }
            }
        }
    }

    // MARK: Ending

    /// Closes every client with 1001, and stops when they are gone; asked again, it stops at once.
    func end() {
        isEndAskedFor = true
        guard !isEnding else { return stop(waitsForOutput: false) }
        isEnding = true
        threads?.end()
        input?.pause()
        // Standard output may be stuck, and clients that wait for it cannot be heard: there is an end to that, too.
        endTimer = Timer(on: loop) { [unowned self] in stop(waitsForOutput: false) }
        endTimer?.start(after: settings.arguments.closeTimeout + Self.endGrace + (programs?.endLimit ?? .zero))
        server.stopListening()
        for connection in server.connections.values { close(connection, with: CloseFrame(code: .goingAway)) }
        programs?.end()
        stopIfOver()
    }

    /// Stops when nobody and nothing is waited for any more; returns whether it does.
    @discardableResult
    func stopIfOver() -> Bool {
        guard isEnding, server.connections.isEmpty, programs?.isEmpty ?? true, threads?.areOver ?? true else {
            return false
        }
        stop()
        return true
    }

    /// Ends because an output cannot be written any more; nil: its reader has seen enough.
    func end(with failure: Failure?) {
        if self.failure == nil { self.failure = failure }
        // Clients that waited for the output are to be heard: their close frames end the run.
        outputTurns.didDrain()
        for connection in server.connections.values { connection.resumeReading() }
        if isStopping { loop.stop() } else if !isEnding { end() }
    }

    /// Ends after the only client, when all that it sent is written. An end that was asked for is no failure of its.
    func endAfterOnlyClient(with failure: Failure?) {
        if !isEnding, self.failure == nil { self.failure = failure }
        isEnding = true
        input?.pause()
        programs?.end()
        stopIfOver()
    }

    private func interrupted() {
        // The key is the user's editor's, which is in the same group of processes.
        if editor?.isAway ?? false { return }
        if let editor, !editor.isEmpty { return editor.discardLine() }
        end()
    }

    /// Stops the loop, once standard output has everything if it is waited for.
    func stop(waitsForOutput: Bool = true) {
        editor?.close()
        editor = nil
        console.editor = nil
        programs?.kill()
        threads?.stop()
        isStopping = true
        output?.flush()
        recorder?.flush()
        if areOutputsDrained || !waitsForOutput { loop.stop() }
    }
}
