import UserInterface
import WSCore

/// Detects silent and idle clients, as requested: one heartbeat per client, and one timer for all idle timeouts.
final class ClientWatch {
    private let heartbeatSettings: HeartbeatTimer<ListenClient>.Settings?
    private unowned let broadcaster: Broadcaster<Server<ListenClient>>
    private var heartbeats: [Int: HeartbeatTimer<ListenClient>] = [:]
    private var idleWatch: IdleWatch?
    private var idleTimer: Timer?
    private var causes: [Int: DisconnectReason] = [:]

    /// The close frame for idle clients.
    private static let idleFrame = CloseFrame(code: .goingAway, reason: "idle")

    /// Creates the watch, or returns `nil` if neither heartbeats nor an idle timeout are requested.
    init?(_ arguments: ListenArguments, of broadcaster: Broadcaster<Server<ListenClient>>) {
        guard arguments.heartbeats.heartbeat != nil || arguments.access.idleTimeout != nil else { return nil }
        heartbeatSettings = arguments.heartbeats.heartbeat.map {
            .init(interval: $0, maximumMisses: arguments.heartbeats.heartbeatMisses)
        }
        idleWatch = arguments.access.idleTimeout.map { IdleWatch(limit: $0) }
        self.broadcaster = broadcaster
    }

    /// Starts watching a new client.
    func add(_ connection: Connection<ListenClient>) {
        let number = connection.handler.number
        idleWatch?.add(number, at: broadcaster.loop.now)
        startLooking()
        guard let heartbeatSettings else { return }
        heartbeats[number] = HeartbeatTimer(heartbeatSettings, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload): broadcaster.outputs.sentHeartbeat(payload, to: number)
            case .sentMessage: break
            case .lost(let silence):
                causes[number] = .silent(for: silence, misses: heartbeatSettings.maximumMisses)
                connection.terminate()
            }
        }
    }

    /// Processes a pong.
    /// - Returns: The round-trip time, or `nil` if the pong answers no heartbeat.
    func pongReceived(_ payload: RawSpan, from number: Int) -> Duration? {
        heartbeats[number]?.pongReceived(payload)
    }

    /// Stops watching a client that has left.
    /// - Returns: Why the watch disconnected the client, or `nil` if it did not.
    func remove(_ number: Int) -> DisconnectReason? {
        heartbeats[number] = nil
        idleWatch?.remove(number)
        return causes.removeValue(forKey: number)
    }

    private func startLooking() {
        guard let idleWatch, idleTimer == nil else { return }
        let timer = Timer(on: broadcaster.loop) { [unowned self] in look() }
        timer.start(after: idleWatch.lookInterval, every: idleWatch.lookInterval)
        idleTimer = timer
    }

    private func look() {
        guard let limit = idleWatch?.limit else { return }
        let now = broadcaster.loop.now
        for connection in broadcaster.clients.all where !connection.isClosing {
            let number = connection.number
            // A client that we do not read, or that waits for our gate, is not to blame for being idle, unless it does
            // not read either.
            let hasToWait = connection.isPausedByUser || connection.handler.waitsForGate
            if hasToWait, !connection.isFull { idleWatch?.excuse(number, at: now) }
            guard idleWatch?.isIdle(number, carriedBytes: connection.carriedBytes, at: now) ?? false else { continue }
            causes[number] = .idle(limit)
            broadcaster.close(connection, with: Self.idleFrame)
        }
        if broadcaster.clients.isEmpty { idleTimer = nil }
    }
}

extension Connection {
    /// The number of bytes received, plus the sent bytes that the kernel has accepted.
    fileprivate var carriedBytes: Int { receivedTraffic.wireBytes + sentTraffic.wireBytes - queuedBytes }
}
