import WSCore

/// One run of `wsx listen`: serves clients until a signal ends it.
///
///      client → Connection → ListenClient ──(--echo)──► the same client
///                                └──► stdout, editor
///      stdin, editor ──► every client
final class ListenRun {
    let settings: ListenSettings
    let loop: EventLoop
    let console: Console
    let transcript: Transcript
    /// Standard output; nil where messages are not for it.
    let output: MessageWriter?
    /// The terminal, in a REPL.
    private(set) var editor: LineEditor?
    /// Standard input, once there is a client to send it to.
    var input: InputReader?
    var inputIsOver = false
    /// Whether clients wait for standard output, or for the terminal.
    var isWaitedFor = false

    private(set) lazy var server = makeServer()
    /// The beginning of its clients' URLs, which the request's path follows.
    var urlPrefix = ""
    var failure: Failure?
    private(set) var isEnding = false
    private(set) var isStopping = false
    private var signals: [SignalWatcher] = []
    /// The clients whose queues are full, by their number, while others wait for them.
    var slowReaders: [Int: SlowReader] = [:]
    /// The clients that wait for these, because their messages go to all.
    var heldSenders: Set<Int> = []
    var slowReaderTimer: Timer?
    var hasReportedLimit = false
    private var endTimer: Timer?

    /// What the end may take beyond the closing handshake's limit.
    private static let endGrace = Duration.seconds(1)

    /// Prepares a run.
    init(_ settings: ListenSettings, on loop: EventLoop, console: Console) throws(Failure) {
        self.settings = settings
        self.loop = loop
        self.console = console
        transcript = console.makeTranscript(for: settings.arguments, isPrompt: settings.isRepl, on: loop)
        do throws(IOError) {
            output = settings.writesOutput ? try MessageWriter(settings.arguments, colors: console, on: loop) : nil
        } catch {
            throw .output(error)
        }
    }

    /// Whether messages are shown, not just answered.
    var observesMessages: Bool { output != nil || settings.isRepl || settings.arguments.verbosity > 1 }

    /// What shows the frames of a client; nil: nobody asked for it.
    func makeTrace(ofClient number: Int) -> FrameTrace? {
        guard settings.arguments.verbosity > 1 else { return nil }
        return FrameTrace(transcript: transcript, client: number) { [console] in console.show($0) }
    }

    /// Starts listening, and returns the address with the port in use; nil for a Unix-domain socket.
    func start() throws(Failure) -> SocketAddress? {
        do throws(IOError) {
            return try server.listen(on: settings.endpoint)
        } catch {
            throw .listening(address: settings.arguments.address, error)
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
        if settings.isRepl {
            // The terminal is to be restored whatever ends the run.
            signals += [
                SignalWatcher(.hangUp, on: loop) { [unowned self] in end() },
                SignalWatcher(.quit, on: loop) { [unowned self] in interrupted() },
            ].compactMap { $0 }
        }
        do throws(Failure) {
            let address = try start()
            if settings.isRepl { try startEditor() }
            announce(address)
        } catch {
            return error
        }
        loop.run()
        return failure
    }

    private func makeServer() -> Server<ListenClient> {
        let server = Server<ListenClient>(
            .init(
                policy: settings.policy, connection: settings.connection, deflate: settings.arguments.deflate,
                responder: settings.site, handshakeTimeout: settings.arguments.handshakeTimeout),
            tls: settings.tls, on: loop
        ) { [unowned self] client in opened(client) }
        server.didRefuse = { [unowned self] refusal, address in refused(refusal, address) }
        server.didServe = { [unowned self] served in answered(served) }
        server.didFailToSecure = { [unowned self] error, address in failedToSecure(error, address) }
        server.didReachLimit = { [unowned self] count in reachedLimit(count) }
        return server
    }

    private func startEditor() throws(Failure) {
        do throws(IOError) {
            let editor = try LineEditor(prompt: "> ", history: History(), commands: Self.commands, on: loop)
            editor.delegate = self
            self.editor = editor
            console.editor = editor
        } catch {
            throw .input(error)
        }
    }

    private func announce(_ address: SocketAddress?) {
        let path = settings.arguments.address.dropFirst("unix:".count)
        let scheme = settings.tls == nil ? "ws" : "wss"
        urlPrefix = address.map { "\(scheme)://\($0)" } ?? "ws+unix:\(path):"
        let url = address.map { "\(scheme)://\($0)/" } ?? "ws+unix:\(path)"
        console.notice("Listening on \(url)" + (editor == nil ? "" : "; /help lists commands"))
        if let path = settings.arguments.servedDirectory {
            let place = address.map { " at \(settings.tls == nil ? "http" : "https")://\($0)/" } ?? ""
            console.notice(escapingControls("Serving the files of \(path)\(place)"))
        }
        if settings.arguments.servesConsole, let address {
            console.notice("Console at \(ConsolePage.url(of: address, isSecure: settings.tls != nil))")
        }
        if let pin = settings.selfSignedPin { console.notice("Self-signed certificate: --insecure --pin \(pin)") }
        output?.events?.write("listening") { event in
            event.add("url", url)
            if let address { event.add("port", Int(address.port)) }
            if let pin = settings.selfSignedPin { event.add("pin", "\(pin)") }
        }
    }

    // MARK: Ending

    /// Closes every client with 1001, and stops when they are gone; asked again, it stops at once.
    func end() {
        guard !isEnding else { return stop(waitsForOutput: false) }
        isEnding = true
        input?.pause()
        // Standard output may be stuck, and clients that wait for it cannot be heard: there is an end to that, too.
        endTimer = Timer(on: loop) { [unowned self] in stop(waitsForOutput: false) }
        endTimer?.start(after: settings.arguments.closeTimeout + Self.endGrace)
        server.close(CloseFrame(code: .goingAway))
        if server.connections.isEmpty { stop() }
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
        isStopping = true
        output?.flush()
        if output?.isDrained ?? true || !waitsForOutput { loop.stop() }
    }
}
