import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx listen`: serves clients until a signal ends it.
///
///      client → Connection → ListenClient ──► ListenOutputs ──► stdout, transcript, recording
///                                ├──(--echo)──► the same client
///                                ├──(--exec)──► ProgramSession ──► the same client
///                                ├──(--scenario)──► ClientScenario ──► the same client
///                                ├──(relay)──► Upstream ──► the server, and from there the same client
///                                └──(--broadcast)──┐
///      stdin, ListenPrompt ──────────────────► Broadcaster ──► every client
package final class ListenRun {
    let settings: ListenSettings
    let loop: EventLoop
    let outputs: ListenOutputs
    var faults: Faults { outputs.faults }
    /// Logs clients and requests.
    let log: ClientLog
    private(set) lazy var server = makeServer()
    /// Sends messages to clients.
    private(set) lazy var broadcaster = Broadcaster(
        to: server, input: settings.readsPipe ? settings.arguments.inputSettings : nil,
        encoder: TextEncoder(settings.arguments.codecs.encoders),
        answersByItself: settings.arguments.mode.traits.answersByItself,
        staysOnPath: settings.arguments.mode == .broadcast(.path), outputs: outputs, faults: faults)
    /// Detects silent and idle clients, or `nil` if not requested.
    private(set) lazy var watch = ClientWatch(settings.arguments, of: broadcaster)
    /// What the mode does for clients.
    private(set) lazy var mode = makeMode()
    /// The equipment of clients that need nothing of their own.
    private(set) lazy var sharedEquipment = ClientEquipment(of: self, mode as? any ClientService)
    let pipelines: PipelineFactory
    /// Encodes what is sent to the server of a relay.
    let serverEncoder: TextEncoder
    /// The programs that answer messages, or `nil` without `--answer … => exec:`.
    let answerPrograms: AnswerPrograms?
    /// The listening places, in the order of the settings' endpoints.
    private(set) var places: [ListeningPlace] = []
    /// The prompt, or `nil` if there is none or it has closed.
    private var prompt: ListenPrompt?
    /// The additional threads, or `nil` if there is only one thread.
    private var threads: ListenThreads?
    private var state = ListenState()
    private var losses = ListenLosses()
    private var endTimer: Timer?

    /// The time allowed for the end in addition to the close timeout.
    private static let endGrace = Duration.seconds(1)

    /// Prepares a run and opens its outputs.
    package init(_ settings: ListenSettings, on loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        self.settings = settings
        self.loop = loop
        pipelines = PipelineFactory(settings)
        serverEncoder = TextEncoder(settings.arguments.codecs.clientEncoders)
        answerPrograms = AnswerPrograms(settings.answerCommands, atMost: settings.maximumAnswerPrograms, on: loop)
        let arguments = settings.arguments
        let faults = Faults(arguments, diagnostics: diagnostics, on: loop)
        outputs = try ListenOutputs(
            arguments, isPrompt: settings.hasPrompt, to: settings.writesOutput ? StandardDescriptors.output : nil,
            faults: faults, diagnostics: diagnostics, on: loop)
        log = ClientLog(
            arguments, on: loop, diagnostics: diagnostics, transcript: outputs.transcript, isPrompt: outputs.view != nil
        )
        for pattern in (pipelines.rules?.patterns ?? []) + settings.scenarios.flatMap(\.scenario.patterns)
            + pipelines.dropping.patterns
        {
            outputs.diagnostics.watch(pattern)
        }
        outputs.didDrain = { [unowned self] in outputsDidDrain() }
        outputs.didFail = { [unowned self] failure in end(with: failure) }
    }

    /// Starts listening. Returns the first address with the actual port, or `nil` for a Unix domain socket.
    @discardableResult
    func start() throws(Failure) -> SocketAddress? {
        var first: SocketAddress?
        do throws(IOError) {
            for endpoint in settings.endpoints {
                let address = try server.listen(on: endpoint)
                first = first ?? address
                places.append(
                    ListeningPlace(
                        endpoint, boundTo: address, isSecure: settings.tls != nil, isProxy: settings.relay?.proxy != nil
                    ))
            }
        } catch {
            let address = settings.arguments.address
            throw .listening(address: address.isEmpty ? "a socket of LISTEN_FDS" : address, error)
        }
        try (mode as? Relay)?.check(against: places)
        return first
    }

    /// Runs until the server ends. Returns the failure, or `nil` if there was none.
    package func run() -> Failure? {
        let stopRequests: StopRequests
        for served in settings.scenarios {
            served.scenario.noteOtherConnections(in: served.arguments, on: diagnostics)
        }
        do throws(Failure) {
            // Catch all signals if the terminal has to be restored or programs have to be ended.
            stopRequests = try StopRequests(
                all: settings.hasPrompt || mode.needsAllSignals || answerPrograms != nil, on: loop
            ) { [unowned self] request in
                guard !mode.handleStopRequest(request) else { return }
                switch request {
                case .interrupt, .quit: if let prompt { prompt.interrupted() } else { end() }
                case .terminate, .hangUp, .timeLimit: end()
                }
            }
            let address = try start()
            threads = try settings.forFurtherThreads(listeningOn: address).map { (all) throws(Failure) in
                // Weak: the last thread may report its end in the loop's final turn, while the run is being released.
                try ListenThreads(all, secrets: diagnostics.secrets, on: loop) { [weak self] in self?.stopIfOver() }
            }
            if settings.hasPrompt { try startPrompt() }
            if let page = outputs.page {
                page.send = { [unowned self] (item, payload, client, toServer) throws(PageProblem) in
                    try sendFromPage(item, payload, to: client, toServer: toServer)
                }
                try page.start()
            }
            ListeningPlace.announce(places, by: settings, hasPrompt: prompt != nil, to: outputs)
            try mode.start(at: places)
        } catch {
            return error
        }
        withExtendedLifetime(stopRequests) {
            loop.run()
            threads?.join()
        }
        answerPrograms?.kill()
        losses.count(remaining: broadcaster.clients.all)
        let failure = outputs.recording.complete(after: state.failure ?? mode.failure)
        let result = diagnostics.failure(after: failure, losses.all(of: outputs)) ?? broadcaster.inputFailure
        outputs.page?.finish(after: result)
        return result
    }

    private func makeServer() -> Server<ListenClient> {
        var serverSettings = Server<ListenClient>.Settings(
            policy: settings.policy, connection: settings.connection, deflate: settings.arguments.compression.deflate,
            responder: settings.site)
        serverSettings.handshakeTimeout = settings.arguments.server.handshakeTimeout
        serverSettings.maximumConnections = settings.arguments.access.maximumConnections
        mode.prepare(&serverSettings)
        serverSettings.reservedDescriptors += answerPrograms?.descriptorCount ?? 0
        serverSettings.bytesPerSecond = faults.arguments.bytesPerSecond
        serverSettings.maximumHeldBytes = settings.maximumHeldBytes
        serverSettings.share = settings.share
        serverSettings.acceptsHTTP2 = settings.arguments.server.acceptsHTTP2
        let server = Server(serverSettings, tls: settings.tls, on: loop) { [unowned self] client in opened(client) }
        server.admission = .immediate { [unowned self] upgrade in
            faults.rejection(of: upgrade.request, policy: settings.policy) ?? mode.refusal(of: upgrade)
        }
        mode.relay(for: server)
        if settings.arguments.web.deliversPosts {
            server.postDelivery = { [unowned self] request, body in post(request, body) }
        }
        server.observer = { [unowned self] event in
            switch event {
            case .opened(let connection):
                watch?.add(connection)
                connection.handler.didOpen(connection)
            case .refused(let refusal, let facts): log.refused(refusal, facts)
            case .served(let served): log.answered(served)
            case .exchanged(let exchange):
                guard settings.relay?.proxy?.intercepts(exchange.request) ?? true else { break }
                outputs.writeEvent { $0.write(exchange, isSecure: settings.tls != nil) }
            case .failedToSecure(let error, let facts, let target): log.failedToSecure(error, facts, for: target)
            case .violatedHTTP2(let error, let address): log.violatedHTTP2(error, from: address)
            case .reachedLimit(let limit): log.reachedLimit(limit)
            }
        }
        return server
    }

    private func startPrompt() throws(Failure) {
        guard let view = outputs.view else { return }
        let prompt = try ListenPrompt.open(
            with: settings.arguments.transcript.display.isPlain ? PlainEditor.opener : LineEditor.opener, of: self,
            sending: settings.kind, isRelay: settings.relay != nil, encoder: broadcaster.encoder,
            serverEncoder: serverEncoder, view: view,
            recording: outputs.recording, on: loop)
        prompt.editor.services.paste.choice = settings.arguments.transcript.paste
        self.prompt = prompt
        outputs.editor = prompt.editor
    }

    // MARK: Clients

    /// Logs a client, reports its `open` event, and creates its handler.
    private func opened(_ client: AcceptedClient) -> ListenClient {
        log.opened(client)
        outputs.writeEvent { events in
            events.writeOpen(
                url: url(of: client), subprotocol: client.upgrade.subprotocol, extensions: client.extensions,
                version: client.upgrade.request.version,
                heads: settings.relay?.reportsHTTP == true || events === outputs.page?.events
                    ? (client.upgrade.request, client.response) : nil,
                client: client.number)
        }
        if settings.arguments.server.servesOnce { stopListening() }
        loop.atEndOfTurn(broadcaster)
        return ListenClient(client, of: self)
    }

    /// The URL that a client requested.
    func url(of client: AcceptedClient) -> String {
        let request = client.upgrade.request
        if settings.relay?.proxy != nil, let url = request.targetURL { return url.text }
        // A target in absolute form contains its own authority, which may differ from our address.
        let target = (request.path ?? request.target) + (request.query.map { "?\($0)" } ?? "")
        return places[client.endpointIndex].urlPrefix + target
    }

    /// Removes a client, and logs and reports the end of its connection.
    func ended(_ end: ConnectionEnd, of connection: Connection<ListenClient>) {
        let number = connection.number
        server.remove(number)
        losses.clientLeft(number, end)
        let cause = watch?.remove(number)
        if let line = connection.handler.logLine { log.ended(end, cause, of: connection, client: number, line) }
        let failure = cause?.failure ?? failure(of: end)
        if let failure { outputs.writeEvent { $0.writeFailure(failure, client: number) } }
        outputs.writeEvent { $0.writeClose(end, client: number) }
        connection.handler.service?.ended(end, reportedAs: failure)
        if settings.arguments.server.servesOnce { return endAfterOnlyClient(end, failure) }
        if stopIfOver() { return }
        broadcaster.slowReaders.clientDidDrain(number)
        server.retryPosts()
    }

    /// The failure that a connection's end counts as. A server for many clients ignores how they disconnect, except
    /// after a protocol violation.
    private func failure(of end: ConnectionEnd) -> Failure? {
        // A scenario has its own expectations of the end.
        guard settings.arguments.server.servesOnce, settings.scenarios.isEmpty else {
            return end.violation.map { .failure(of: $0) }
        }
        return Failure.failure(of: end, closeTimeout: settings.arguments.limits.closeTimeout)
    }

    private func stopListening() {
        mode.stopListening()
        server.stopListening()
    }

    // MARK: Ending

    /// Whether the server is ending.
    var isEnding: Bool { state.endCause != nil }

    /// Closes all clients with 1001 and stops when they are gone. A second call stops at once.
    func end() {
        guard !isEnding else {
            state.phase = .stopping(.asked)
            return stop(waitsForOutput: false)
        }
        state.phase = .ending(.asked)
        threads?.end()
        // Answers to clients are not what the user wanted to send.
        if settings.arguments.mode == .conversation {
            // Other input waits for clients.
            losses.unsent.hasInput = broadcaster.isInputHeldUp && !broadcaster.slowReaders.isEmpty
            losses.endRequested(with: broadcaster.clients.all)
        }
        broadcaster.endInput()
        // Limit the time: if standard output is stuck, clients paused for it are never read.
        endTimer = Timer(on: loop) { [unowned self] in stop(waitsForOutput: false) }
        endTimer?.start(
            after: settings.arguments.limits.closeTimeout + Self.endGrace + mode.endLimit)
        stopListening()
        for connection in broadcaster.clients.all {
            broadcaster.close(connection, with: CloseFrame(code: .goingAway))
        }
        mode.end()
        stopIfOver()
    }

    /// Stops if no clients, programs, or threads are left. Returns whether it stopped.
    @discardableResult
    func stopIfOver() -> Bool {
        guard isEnding, broadcaster.clients.isEmpty, mode.isOver, threads?.areOver ?? true
        else { return false }
        stop()
        return true
    }

    /// Ends the run because an output has failed. The failure is `nil` if the reader of standard output closed it.
    private func end(with failure: Failure?) {
        guard !mode.continuesAfterOutputFailure(failure) else { return outputs.releaseClients() }
        state.fail(with: failure)
        // Read the clients that waited for the output; their close frames end the run.
        outputs.releaseClients()
        if state.isStopping { loop.stop() } else if !isEnding { end() }
    }

    /// Ends the run after its only client has left and its output is written. If the end was already requested, the
    /// client's failure is ignored.
    private func endAfterOnlyClient(_ end: ConnectionEnd, _ failure: Failure?) {
        if !isEnding {
            state.fail(with: failure)
            state.phase = .ending(.onlyClientLeft)
            if settings.arguments.mode == .conversation { losses.onlyClientLeft(end) }
            losses.unsent.hasInput = broadcaster.hasUnsentInput
        }
        broadcaster.endInput()
        mode.end()
        stopIfOver()
    }

    /// Stops the loop, by default after standard output has accepted all data.
    func stop(waitsForOutput: Bool = true) {
        prompt?.close()
        prompt = nil
        outputs.editor = nil
        mode.stop()
        server.endTunnels()
        threads?.stop()
        state.phase = .stopping(state.endCause ?? .asked)
        guard waitsForOutput else {
            // So that each client has its line in the log and its event.
            losses.noteUnread(of: broadcaster.clients.all)
            for connection in broadcaster.clients.all { connection.terminate() }
            return loop.atEndOfTurn(
                DeferredWork { [self] in
                    outputs.flush()
                    loop.stop()
                })
        }
        outputs.flush()
        if outputs.isDrained { loop.stop() }
    }

    private func outputsDidDrain() {
        if outputs.isRecording {
            broadcaster.resumeInput()
            server.retryPosts()
        }
        mode.outputsDidDrain()
        if state.isStopping, outputs.isDrained { loop.stop() }
    }
}

extension ListenRun: ListenPromptServer {
    /// Sends a typed item to one client or to all. A message to all is refused while the server is ending.
    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?, toServer: Bool) -> DeliveryProblem? {
        if client == nil, isEnding { return .serverIsEnding }
        if client == nil, settings.relay != nil { return .noRecipient }
        if let client, toServer {
            guard let connection = broadcaster.clients[client] else { return .noClient(client) }
            return connection.handler.inject(item, payload, on: connection) ? nil : .isClosing(client)
        }
        return broadcaster.send(typed: item, payload, to: client)
    }

    /// The clients, ordered by number.
    var clientRows: [ClientRow] {
        broadcaster.clients.inOrder.map { connection in
            let line = connection.handler.logLine
            return ClientRow(
                number: connection.number, address: line?.address ?? "?", path: line?.escapedPath ?? "",
                duration: line?.duration(until: loop.turnTime), received: connection.receivedTraffic.messages,
                sent: connection.sentTraffic.messages)
        }
    }

    /// The facts about the server for the status line.
    var statusFacts: StatusLine.Facts {
        StatusLine.Facts(
            place: [places.first?.url ?? "listening", Phrase.count(broadcaster.clients.count, "client")],
            recording: outputs.recording.path)
    }

    /// Resumes output that was held back while the user's editor used the terminal.
    func promptDidReturn() {
        outputs.drained()
    }
}

extension ListenRun {
    var diagnostics: Diagnostics { outputs.diagnostics }

    /// Logs and reports that the server of a relay has violated the protocol on the connection for a client.
    func serverViolated(_ violation: ProtocolError, for client: Int) {
        let failure = Failure.violationByServer(violation)
        log.serverFailed(failure, for: client)
        if !adopt(failure, of: client) { outputs.writeEvent { $0.writeFailure(failure, client: client) } }
    }

    /// Makes a client's failure the result of a run with `--once`, until the end is requested.
    /// - Returns: Whether it is.
    func adopt(_ failure: Failure, of client: Int) -> Bool {
        guard settings.arguments.server.servesOnce, state.endCause != .asked else { return false }
        state.fail(with: failure)
        outputs.writeEvent { $0.writeFailure(failure, client: client) }
        return true
    }
}
