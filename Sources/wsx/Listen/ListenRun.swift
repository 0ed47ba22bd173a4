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
    private var urlPrefix = ""
    private var failure: Failure?
    private(set) var isEnding = false
    private var isStopping = false
    private var signals: [SignalWatcher] = []
    private var slowReaderTimer: Timer?
    private var hasReportedLimit = false
    private var endTimer: Timer?

    /// How long a client that takes nothing may hold up what goes to all before it is closed with 1013.
    static let slowReaderLimit = Duration.seconds(5)

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
                handshakeTimeout: settings.arguments.handshakeTimeout),
            tls: settings.tls, on: loop
        ) { [unowned self] client in opened(client) }
        server.didRefuse = { [unowned self] refusal, address in refused(refusal, address) }
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
        if let pin = settings.selfSignedPin { console.notice("Self-signed certificate: --insecure --pin \(pin)") }
        output?.events?.write("listening") { event in
            event.add("url", url)
            if let address { event.add("port", Int(address.port)) }
            if let pin = settings.selfSignedPin { event.add("pin", "\(pin)") }
        }
    }

    // MARK: Clients

    private func opened(_ client: Server<ListenClient>.Client) -> ListenClient {
        let request = client.upgrade.request
        // A target in absolute form has an authority of its own, which is not where we listen.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
        if !settings.isEmbedded {
            let origin = client.address.map { " from \($0)" } ?? ""
            let subprotocol = client.upgrade.subprotocol.map { ", subprotocol \($0)" } ?? ""
            console.notice(escapingControls("Client \(client.number) connected\(origin): \(target)\(subprotocol)"))
        }
        if settings.arguments.verbosity > 0 {
            if let tls = client.tls { console.notice(ReportedTLS.lines(tls, with: nil).joined(separator: "\n")) }
            for line in ReportedHead.lines(of: request) {
                console.show(transcript.head(line, .received))
            }
            let response = String(decoding: client.responseBytes, as: UTF8.self)
            for line in ReportedHead.lines(ofSent: response) { console.show(transcript.head(line, .sent)) }
        }
        output?.events?.writeOpen(
            url: urlPrefix + target, subprotocol: client.upgrade.subprotocol, extensions: client.extensions,
            client: client.number)
        // What is read goes to the clients there are: the input waits for the first.
        loop.atEndOfTurn(self)
        return ListenClient(number: client.number, of: self)
    }

    private func refused(_ refusal: HandshakeRefusal, _ address: SocketAddress?) {
        guard !settings.isEmbedded else { return }
        let origin = address.map { " from \($0)" } ?? ""
        console.notice("Refused a request\(origin): \(refusal.status), \(refusal.reason)")
    }

    private func failedToSecure(_ error: TLSError, _ address: SocketAddress?) {
        let origin = address.map { " from \($0)" } ?? ""
        console.notice("Refused a client\(origin): \(error)")
    }

    /// Says once that clients have to wait for descriptors.
    private func reachedLimit(_ count: Int) {
        guard !hasReportedLimit else { return }
        hasReportedLimit = true
        console.error("\(count) clients fill the descriptor limit: further ones wait; ulimit -n raises it")
    }

    /// A client's connection is over.
    func ended(_ number: Int, _ end: ConnectionEnd, _ connection: Connection<ListenClient>) {
        server.remove(number)
        if !settings.isEmbedded {
            let violation = end.violation.map { ", \($0)" } ?? ""
            let reason = end.reason.isEmpty ? "" : " \"\(escapingControls(end.reason))\""
            console.notice("Client \(number) disconnected: \(end.code.rawValue)\(reason)\(violation)")
            if settings.arguments.verbosity > 0 {
                let traffic = TrafficReport.words(
                    sent: connection.sentTraffic, received: connection.receivedTraffic, showsWire: true)
                console.notice("Client \(number): \(traffic)")
            }
        }
        if let violation = end.violation { output?.events?.writeFailure(.violation(violation), client: number) }
        output?.events?.writeClose(end, client: number)
        if isEnding, server.connections.isEmpty { return stop() }
        clientDidDrain()
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

    private func stop(waitsForOutput: Bool = true) {
        editor?.close()
        editor = nil
        console.editor = nil
        isStopping = true
        output?.flush()
        if output?.isDrained ?? true || !waitsForOutput { loop.stop() }
    }

    /// Whether standard output does not keep up, or the user's editor has the terminal for long.
    var isOutputFull: Bool { output?.isFull ?? false || editor?.holdsMuch ?? false }

    /// An output has taken everything that had to wait.
    func outputDidDrain() {
        if isWaitedFor, !isOutputFull {
            isWaitedFor = false
            // In another order each time: the first may fill standard output again.
            for connection in server.connections.values.shuffled() { connection.resumeReading() }
        }
        if isStopping, output?.isDrained ?? true { loop.stop() }
    }

    /// Standard output cannot be written any more. A reader that has gone away is a normal end.
    private func outputDidFail(_ error: IOError) {
        if error != .brokenPipe { failure = .output(error) }
        // Clients that waited for standard output are to be heard: their close frames end the run.
        for connection in server.connections.values { connection.resumeReading() }
        if isStopping { loop.stop() } else if !isEnding { end() }
    }

    // MARK: Slow readers

    /// Pauses the input while a client's queue is full, and closes one that takes nothing meanwhile.
    func holdInputForSlowReaders() {
        let now = loop.turnTime
        for connection in slowReaders {
            let queuedBytes = connection.queuedBytes
            guard let last = connection.handler.lastFull, last.queuedBytes <= queuedBytes else {
                connection.handler.lastFull = (queuedBytes, now)
                continue
            }
            // A client that has the server to itself holds nobody up.
            if now - last.time >= Self.slowReaderLimit, server.connections.count > 1 {
                connection.handler.isGivenUp = true
                connection.close(CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
            }
        }
        guard !slowReaders.isEmpty else { return readOn() }
        input?.pause()
        guard slowReaderTimer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in
            slowReaderTimer = nil
            holdInputForSlowReaders()
        }
        slowReaderTimer = timer
        timer.start(after: Self.slowReaderLimit)
    }

    private var slowReaders: [Connection<ListenClient>] {
        server.connections.values.filter { $0.isFull && !$0.handler.isGivenUp }
    }

    /// Goes on with the input when all clients have room.
    func clientDidDrain() {
        guard slowReaders.isEmpty else { return }
        slowReaderTimer = nil
        readOn()
    }
}

extension ListenRun: EndOfTurnWork {
    /// A client has come.
    func endTurn() {
        readOn()
    }
}
