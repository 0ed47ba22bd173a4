import WSCore

/// One run of `wsx listen`: serves clients until a signal ends it.
///
///      client → Connection → ListenClient ──► ListenOutputs ──► stdout, transcript, recording
///                                ├──(--echo)──► the same client
///                                ├──(--exec)──► ProgramSession ──► the same client
///                                └──(--broadcast)──┐
///      stdin, ListenPrompt ──────────────────► Distributor ──► every client
final class ListenRun {
    /// How far the run has come.
    private enum Phase {
        /// Clients are served.
        case serving
        /// The last clients and programs are waited for.
        case ending(EndCause)
        /// Nothing is waited for but the outputs.
        case stopping(EndCause)
    }

    /// Why a run ends.
    private enum EndCause {
        case asked
        /// With `--once`.
        case onlyClientLeft
    }

    let settings: ListenSettings
    let loop: EventLoop
    let faults: Faults
    let outputs: ListenOutputs
    /// What is told of clients that come and go.
    let log: ClientLog
    private(set) lazy var server = makeServer()
    /// Sends messages to the clients.
    private(set) lazy var distributor = Distributor(
        to: server, input: settings.readsPipe ? settings.arguments.inputSettings : nil,
        answersByItself: settings.arguments.mode.answersByItself, outputs: outputs, faults: faults)
    /// Looks for clients without a sign of life; nil: nobody asked for it.
    private(set) lazy var watch = ClientWatch(settings.arguments, of: distributor)
    /// What runs for the clients; nil: nothing does.
    private(set) lazy var programs = settings.program.map { ProgramPool($0, settings.arguments, of: self) }
    /// Where it listens, in the order of the settings' endpoints.
    private(set) var places: [ListeningPlace] = []
    /// Where lines are typed; nil: nowhere, or not any more.
    private var prompt: ListenPrompt?
    /// The further threads; nil: there are none.
    private var threads: ListenThreads?
    private var phase = Phase.serving
    /// Why the run does not end as asked.
    private var failure: Failure?
    private var stopRequests: StopRequests?
    private var endTimer: Timer?

    /// What the end may take beyond the closing handshake's limit.
    private static let endGrace = Duration.seconds(1)

    /// Prepares a run.
    init(_ settings: ListenSettings, on loop: EventLoop, console: Console) throws(Failure) {
        self.settings = settings
        self.loop = loop
        let arguments = settings.arguments
        faults = Faults(arguments, console: console, on: loop)
        outputs = try ListenOutputs(
            arguments, isPrompt: settings.isRepl, to: settings.writesOutput ? StandardDescriptors.output : nil,
            faults: faults, console: console, on: loop)
        log = ClientLog(arguments, on: loop, console: console, transcript: outputs.transcript)
        outputs.didDrain = { [unowned self] in outputsDidDrain() }
        outputs.didFail = { [unowned self] failure in end(with: failure) }
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
        // The terminal is to be restored, and programs are to be ended, whatever ends the run.
        stopRequests = StopRequests(all: settings.isRepl || programs != nil, on: loop) { [unowned self] request in
            switch request {
            case .interrupt, .quit: if let prompt { prompt.interrupted() } else { end() }
            case .terminate, .hangUp, .timeLimit: end()
            }
        }
        do throws(Failure) {
            let address = try start()
            threads = try settings.forFurtherThreads(listeningOn: address).map { (all) throws(Failure) in
                // Weak: the last of them may say so when the loop turns for the last time, as it is released.
                try ListenThreads(all, on: loop) { [weak self] in self?.stopIfOver() }
            }
            if settings.isRepl { try startPrompt() }
            ListeningPlace.announce(places, by: settings, hasPrompt: prompt != nil, to: outputs)
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
                responder: settings.site, handshakeTimeout: settings.arguments.server.handshakeTimeout,
                maximumConnections: settings.arguments.access.maximumConnections,
                reservedDescriptors: programs?.reservedDescriptors ?? 0,
                bytesPerSecond: faults.arguments.bytesPerSecond, share: settings.share),
            tls: settings.tls, on: loop
        ) { [unowned self] client in opened(client) }
        server.refusal = { [unowned self] upgrade in
            faults.rejection(of: upgrade.request, policy: settings.policy) ?? programs?.refusal(of: upgrade)
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

    private func startPrompt() throws(Failure) {
        let prompt = ListenPrompt(
            of: self, sending: settings.kind, console: outputs.console, transcript: outputs.transcript)
        try prompt.open(on: loop)
        self.prompt = prompt
        outputs.editor = prompt.editor
    }

    // MARK: Clients

    /// Makes the handler of a client whose request is accepted, and tells of it.
    private func opened(_ client: Server<ListenClient>.Client) -> ListenClient {
        log.opened(client)
        let request = client.upgrade.request
        // A target in absolute form has an authority of its own, which is not where we listen.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
        outputs.writeEvent { events in
            events.writeOpen(
                url: places[client.endpointIndex].urlPrefix + target, subprotocol: client.upgrade.subprotocol,
                extensions: client.extensions, client: client.number)
        }
        if settings.arguments.server.servesOnce { server.stopListening() }
        loop.atEndOfTurn(distributor)
        return ListenClient(client, of: self)
    }

    /// Takes note of the end of a client's connection.
    func ended(_ end: ConnectionEnd, of connection: Connection<ListenClient>) {
        let number = connection.number
        server.remove(number)
        let cause = watch?.remove(number)
        if let line = connection.handler.logLine { log.ended(end, cause, of: connection, client: number, line) }
        let failure = cause?.failure ?? failure(of: end)
        if let failure { outputs.writeEvent { $0.writeFailure(failure, client: number) } }
        outputs.writeEvent { $0.writeClose(end, client: number) }
        if settings.arguments.server.servesOnce { return endAfterOnlyClient(with: failure) }
        if stopIfOver() { return }
        distributor.slowReaders.clientDidDrain(number)
    }

    /// What a connection's end is a failure of: where there are many, that clients come and go is none of the server's.
    private func failure(of end: ConnectionEnd) -> Failure? {
        guard settings.arguments.server.servesOnce else { return end.violation.map { .failure(of: $0) } }
        return Failure.failure(of: end, closeTimeout: settings.arguments.limits.closeTimeout)
    }

    // MARK: Ending

    /// Whether the server takes leave of its clients.
    var isEnding: Bool { endCause != nil }
    /// Whether somebody has asked for the end, which is not just that of the only client.
    private var isEndAskedFor: Bool { endCause == .asked }
    private var isStopping: Bool { if case .stopping = phase { true } else { false } }

    private var endCause: EndCause? {
        switch phase {
        case .serving: nil
        case .ending(let cause), .stopping(let cause): cause
        }
    }

    /// Closes every client with 1001, and stops when they are gone; asked again, it stops at once.
    func end() {
        guard !isEnding else {
            phase = .stopping(.asked)
            return stop(waitsForOutput: false)
        }
        phase = .ending(.asked)
        threads?.end()
        distributor.endInput()
        // Standard output may be stuck, and clients that wait for it cannot be heard: there is an end to that, too.
        endTimer = Timer(on: loop) { [unowned self] in stop(waitsForOutput: false) }
        endTimer?.start(after: settings.arguments.limits.closeTimeout + Self.endGrace + (programs?.endLimit ?? .zero))
        server.stopListening()
        for connection in distributor.clients.all {
            distributor.close(connection, with: CloseFrame(code: .goingAway))
        }
        programs?.end()
        stopIfOver()
    }

    /// Stops when nobody and nothing is waited for any more; returns whether it does.
    @discardableResult
    private func stopIfOver() -> Bool {
        guard isEnding, distributor.clients.isEmpty, programs?.isEmpty ?? true, threads?.areOver ?? true else {
            return false
        }
        stop()
        return true
    }

    /// Ends because an output cannot be written any more; nil: its reader has seen enough.
    private func end(with failure: Failure?) {
        if self.failure == nil { self.failure = failure }
        // Clients that waited for the output are to be heard: their close frames end the run.
        outputs.releaseClients()
        if isStopping { loop.stop() } else if !isEnding { end() }
    }

    /// Ends after the only client, when all that it sent is written. An end that was asked for is no failure of its.
    private func endAfterOnlyClient(with failure: Failure?) {
        if !isEnding {
            if self.failure == nil { self.failure = failure }
            phase = .ending(.onlyClientLeft)
        }
        distributor.endInput()
        programs?.end()
        stopIfOver()
    }

    /// Stops the loop, once standard output has everything if it is waited for.
    func stop(waitsForOutput: Bool = true) {
        prompt?.close()
        prompt = nil
        outputs.editor = nil
        programs?.kill()
        threads?.stop()
        phase = .stopping(endCause ?? .asked)
        outputs.flush()
        if outputs.isDrained || !waitsForOutput { loop.stop() }
    }

    private func outputsDidDrain() {
        if outputs.isRecording { distributor.readOn() }
        if isStopping, outputs.isDrained { loop.stop() }
    }
}

extension ListenRun: ListenPromptServer {
    /// Sends what was typed to a client, or to all, unless the server is ending.
    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?) -> DeliveryProblem? {
        if client == nil, isEnding { return .serverIsEnding }
        return distributor.send(typed: item, payload, to: client)
    }

    /// What there is to say of each client.
    var clientLines: [String] {
        distributor.clients.inOrder.map { connection in
            let name = "Client \(connection.number)"
            let (sent, received) = (connection.sentTraffic.wireBytes, connection.receivedTraffic.wireBytes)
            return connection.handler.logLine?.words(
                name, status: nil, now: loop.turnTime, receivedBytes: received, sentBytes: sent) ?? name
        }
    }

    /// Goes on with what had to wait while the user's editor had the terminal.
    func promptDidReturn() {
        outputs.drained()
    }
}

extension ListenRun: ProgramHost {
    var console: Console { outputs.console }

    func client(_ number: Int) -> (any ServedClient)? { distributor.clients[number] }

    func close(_ client: any ServedClient, with frame: CloseFrame) {
        distributor.close(client, with: frame)
    }

    func programSent(_ payload: RawSpan, as kind: MessageKind, to client: Int) {
        if outputs.observesMessages { outputs.answered(payload, as: kind, to: client) }
    }

    /// Whether the end of the run tells of the failure: that of the only client's program, until an end is asked for.
    var takesProgramFailures: Bool { settings.arguments.server.servesOnce && !isEndAskedFor }

    func programFailed(_ words: String, of client: Int) {
        guard takesProgramFailures else { return console.error("client \(client): \(words)") }
        let failure = Failure.program(words)
        if self.failure == nil { self.failure = failure }
        outputs.writeEvent { $0.writeFailure(failure, client: client) }
    }

    func programDidEnd() {
        stopIfOver()
    }
}
