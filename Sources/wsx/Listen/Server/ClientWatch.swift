import WSCore

/// Watches the clients for signs of life, where that was asked for: heartbeats for each, and one timer for all that looks
/// for idle ones.
final class ClientWatch {
    private let heartbeatSettings: HeartbeatTimer<ListenClient>.Settings?
    private unowned let distributor: Distributor<Server<ListenClient>>
    private var heartbeats: [Int: HeartbeatTimer<ListenClient>] = [:]
    private var idleWatch: IdleWatch?
    private var idleTimer: Timer?
    private var causes: [Int: DisconnectReason] = [:]

    /// What a client is told that was idle.
    private static let idleFrame = CloseFrame(code: .goingAway, reason: "idle")

    /// Makes the watch that the arguments ask for; nil: they ask for none.
    init?(_ arguments: ListenArguments, of distributor: Distributor<Server<ListenClient>>) {
        guard arguments.heartbeats.heartbeat != nil || arguments.access.idleTimeout != nil else { return nil }
        heartbeatSettings = arguments.heartbeats.heartbeat.map {
            .init(interval: $0, maximumMisses: arguments.heartbeats.heartbeatMisses)
        }
        idleWatch = arguments.access.idleTimeout.map { IdleWatch(limit: $0) }
        self.distributor = distributor
    }

    /// Begins to watch a client that has just come.
    func add(_ connection: Connection<ListenClient>) {
        let number = connection.handler.number
        idleWatch?.add(number, at: distributor.loop.now)
        startLooking()
        guard let heartbeatSettings else { return }
        heartbeats[number] = HeartbeatTimer(heartbeatSettings, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload): distributor.outputs.sentHeartbeat(payload, to: number)
            case .sentMessage: break
            case .lost(let silence):
                causes[number] = .silent(for: silence, misses: heartbeatSettings.maximumMisses)
                connection.terminate()
            }
        }
    }

    /// Takes a pong.
    /// - Returns: The round trip of the ping that it answers; nil when that is no heartbeat.
    func pongReceived(_ payload: RawSpan, from number: Int) -> Duration? {
        heartbeats[number]?.pongReceived(payload)
    }

    /// Forgets a client that has left.
    /// - Returns: Why it was left; nil: for nothing that was found out here.
    func remove(_ number: Int) -> DisconnectReason? {
        heartbeats[number] = nil
        idleWatch?.remove(number)
        return causes.removeValue(forKey: number)
    }

    private func startLooking() {
        guard let idleWatch, idleTimer == nil else { return }
        let timer = Timer(on: distributor.loop) { [unowned self] in look() }
        timer.start(after: idleWatch.lookInterval, every: idleWatch.lookInterval)
        idleTimer = timer
    }

    private func look() {
        guard let limit = idleWatch?.limit else { return }
        let now = distributor.loop.now
        for connection in distributor.clients.all where !connection.isClosing {
            let number = connection.number
            // Who is not read, since our own output is full, or waits for what we hold back, cannot help it; unless it does
            // not read itself.
            let hasToWait = connection.isPausedByUser || connection.handler.waitsForGate
            if hasToWait, !connection.isFull { idleWatch?.excuse(number, at: now) }
            guard idleWatch?.isIdle(number, carriedBytes: connection.carriedBytes, at: now) ?? false else { continue }
            causes[number] = .idle(limit)
            distributor.close(connection, with: Self.idleFrame)
        }
        if distributor.clients.isEmpty { idleTimer = nil }
    }
}

extension Connection {
    /// What has been received, and what the kernel has taken of what was sent, in bytes.
    fileprivate var carriedBytes: Int { receivedTraffic.wireBytes + sentTraffic.wireBytes - queuedBytes }
}
