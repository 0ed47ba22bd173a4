import UserInterface
import WSCore

/// The connections of `wsx relay` to its server, one for each client.
///
///      client ─► Connection<ListenClient> ─► Upstream ─► Connection<Upstream> ─► server
///                        ▲                                       │
///                        └───────────── Broadcaster ◄────────────┘
///
/// A client is answered after the server has answered. Requests that are not upgrades pass through ``forwarding``.
final class Relay {
    private(set) var settings: RelaySettings
    unowned let run: ListenRun
    /// The command behind the proxy, or `nil` if none has started.
    var command: RelayCommand?
    /// The failure of an output, which does not end the run while the command runs.
    private var outputFailure: Failure?
    private let connectionSettings: Connection<Upstream>.Settings
    /// The attempts to connect to the server.
    private var connectors: [ObjectIdentifier: Connector] = [:]
    /// A connection that has just opened, until its client takes it.
    private var opened: Connector.Opened?
    private var upstreams: [Int: Upstream] = [:] {
        didSet { run.server.upstreamCount = upstreams.count }
    }
    private let rewriting: RelayRewriting?
    /// Whether a request has come.
    private(set) var hasClients = false

    /// How many bytes a client, or the server, may leave unread before the other side is paused. Larger queues gain nothing:
    /// the kernel's buffers hold more.
    static let queueLimitBytes = 128 << 10

    init(_ settings: RelaySettings, of run: ListenRun) {
        self.settings = settings
        self.run = run
        let limits = run.settings.arguments.limits
        rewriting = settings.rewriter.map {
            RelayRewriting(
                $0, diagnostics: run.diagnostics,
                isVerbose: run.settings.arguments.transcript.verbosity > 0)
        }
        connectionSettings = Connection.Settings(
            role: .client, limits: limits.ofMessages,
            fragmentBytes: limits.fragmentBytes, closeTimeout: limits.closeTimeout,
            pausesReadingWhenFull: run.settings.answersServer, queueLimitBytes: Self.queueLimitBytes,
            answersPings: false, answersCloses: false)
    }

    /// Whether there is no connection to the server.
    var isEmpty: Bool { upstreams.isEmpty }

    /// Why the command failed, or else an output.
    var failure: Failure? { command?.failure ?? outputFailure.map { .reported($0) } }

    /// Forwards a request to end to the command. Returns false if none is running.
    func handleStopRequest(_ request: StopRequests.Request) -> Bool {
        guard let command, command.isRunning else { return false }
        command.forward(request)
        return true
    }

    /// Reports the failure of an output, if a command is running, which it does not end.
    func continuesAfterOutputFailure(_ failure: Failure?) -> Bool {
        guard let command, command.isRunning else { return false }
        if let failure { run.diagnostics.report(failure) }
        outputFailure = outputFailure ?? failure
        return true
    }

    /// Connects to the server for a client, and decides as the server does. Returns a closure that cancels this.
    func admit(
        _ upgrade: ServerUpgrade, on prepared: PreparedConnection?,
        _ decide: @escaping (Admission.Decision) -> Void
    ) -> () -> Void {
        hasClients = true
        do throws(HandshakeRefusal) {
            if let refusal = run.faults.rejection(of: upgrade.request, policy: run.settings.policy) { throw refusal }
            return connect(try settings.upgrading(upgrade), on: prepared, for: upgrade, decide)
        } catch {
            decide(.refused(error))
            return {}
        }
    }

    private func connect(
        _ connectorSettings: Connector.Settings, on prepared: PreparedConnection?, for upgrade: ServerUpgrade,
        _ decide: @escaping (Admission.Decision) -> Void
    ) -> () -> Void {
        var key: ObjectIdentifier?
        let connector = Connector(connectorSettings, resources: settings.resources, on: run.loop) {
            [unowned self] result in
            if let key { connectors[key] = nil }
            switch result {
            case .failure(let error): decide(.refused(settings.refusal(for: error, of: upgrade.request)))
            case .success(let opened):
                var upgrade = upgrade
                upgrade.subprotocol = opened.upgrade.subprotocol
                upgrade.extraFields = settings.gateway.fields(of: opened.upgrade.response, to: upgrade.request)
                self.opened = opened
                decide(.accepted(upgrade))
                // The client may have been dismissed meanwhile.
                self.opened?.stream.close()
                self.opened = nil
            }
        }
        connector.prepared = prepared
        let identifier = ObjectIdentifier(connector)
        key = identifier
        connectors[identifier] = connector
        connector.didRefuse = { [unowned self] response in
            connectors[identifier] = nil
            decide(.answered(response))
        }
        connector.start()
        return { [unowned self] in connectors.removeValue(forKey: identifier)?.cancel() }
    }

    /// Creates the connection to the server for the client that has just been admitted.
    func start(for client: AcceptedClient) -> Upstream? {
        guard let opened else { return nil }
        self.opened = nil
        let (number, path) = (client.number, client.upgrade.request.normalizedPath)
        let upstream = Upstream(
            opened, connectionSettings, resources: run.server.resources, client: number, broadcaster: run.broadcaster,
            rewriting: { rewriting?.concerning($0, at: path) },
            pipeline: { peer, rewrite in
                ClientPipeline(
                    of: client, from: .server, in: run, needsDecoding: run.outputs.observesMessages,
                    rewriting: rewrite, answering: peer)
            }
        ) { [unowned self] violation in
            upstreams[number] = nil
            if let violation { run.serverViolated(violation, for: number) }
            run.stopIfOver()
        }
        upstreams[number] = upstream
        return upstream
    }

    /// Resumes the server's messages when the outputs have written their backlog.
    func outputsDidDrain() {
        for upstream in upstreams.values { upstream.outputsDidDrain() }
    }

    /// Forwards the requests that are not upgrades.
    var forwarding: RequestForwarding {
        RequestForwarding(settings.gateway, resources: settings.resources, reportsExchanges: settings.reportsHTTP) {
            [unowned self] (request, framing) throws(HandshakeRefusal) in
            hasClients = true
            return try settings.forwarding(request, framing: framing)
        } refusal: { [settings] error, request in
            settings.refusal(for: error, of: request)
        }
    }

    /// Takes part in tunnels, if the relay is an HTTP proxy.
    var tunneling: Tunneling? {
        settings.proxy.map { proxy in
            (
                proxy.layer, proxy.intercepts,
                { [unowned self] (request, target) throws(HandshakeRefusal) in
                    hasClients = true
                    return try settings.connecting(request, to: target)
                }
            )
        }
    }

    /// Checks that the relay does not connect to itself.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func check(against places: [ListeningPlace]) throws(Failure) {
        settings.ownAddresses = places.compactMap(\.address)
        for place in places { try settings.check(against: place.destination) }
    }

    /// Stops connecting for clients that have not been answered.
    func stopConnecting() {
        for connector in connectors.values { connector.cancel() }
        connectors = [:]
    }
}
