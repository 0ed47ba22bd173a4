/// The heartbeat of a connection: sends what keeps it alive, and says when its peer is lost.
public final class HeartbeatTimer<Handler: ConnectionHandler> {
    /// What a heartbeat of the connection is, and how often.
    public struct Settings: Equatable, Sendable {
        /// The time from one heartbeat to the next, more than 0.
        public var interval: Duration
        /// After how many misses in a row the peer is lost, 1 or more.
        public var maximumMisses: Int
        /// The text that is sent in place of a ping; nil: a ping.
        public var message: [UInt8]?

        /// Makes settings; by default heartbeats are pings and the third miss is the loss.
        public init(interval: Duration, maximumMisses: Int = 3, message: [UInt8]? = nil) {
            self.interval = interval
            self.maximumMisses = maximumMisses
            self.message = message
        }
    }

    /// What the timer does.
    public enum Event {
        /// It has sent a ping with this payload.
        case sentPing([UInt8])
        /// It has sent the message.
        case sentMessage([UInt8])
        /// Nothing has come for so long that the peer is lost. The connection is still to be ended.
        case lost(silentFor: Duration)
    }

    private unowned let connection: Connection<Handler>
    private let settings: Settings
    private let report: (Event) -> Void
    private var heartbeat: Heartbeat
    private var timer: Timer?

    /// Begins the heartbeat of a connection that has just been opened; releasing it ends it.
    /// - Parameters:
    ///   - settings: What it is, and how often.
    ///   - connection: The connection, which outlives it.
    ///   - report: Takes what happens.
    public init(_ settings: Settings, of connection: Connection<Handler>, report: @escaping (Event) -> Void) {
        self.settings = settings
        self.connection = connection
        self.report = report
        heartbeat = Heartbeat(
            every: settings.interval, maximumMisses: settings.maximumMisses,
            kind: settings.message == nil ? .ping : .message, startingAt: connection.loop.now)
        let timer = Timer(on: connection.loop) { [unowned self] in beat() }
        self.timer = timer
        timer.start(after: settings.interval)
    }

    /// Takes a pong.
    /// - Returns: The round trip of the ping that it answers; nil when that is none of the heartbeat's.
    public func pongReceived(_ payload: RawSpan) -> Duration? {
        heartbeat.pongReceived(payload, at: connection.loop.now)
    }

    private func beat() {
        // How long a peer may take to close is not for the heartbeat to say.
        guard !connection.isClosing else { return }
        let now = connection.loop.now
        switch heartbeat.step(at: now, connection.observation) {
        case .wait(let time):
            timer?.start(after: time - now)
        case .sendPing(let payload):
            connection.sendPing(payload.span.bytes)
            report(.sentPing(payload))
            timer?.start(after: settings.interval)
        case .sendMessage:
            let message = settings.message ?? []
            connection.send(message.span.bytes, as: .text)
            report(.sentMessage(message))
            timer?.start(after: settings.interval)
        case .peerIsLost(let silence):
            timer = nil
            report(.lost(silentFor: silence))
        }
    }
}

extension Connection {
    /// What a heartbeat can see.
    fileprivate var observation: Heartbeat.Observation {
        Heartbeat.Observation(
            receivedBytes: receivedTraffic.wireBytes, takenBytes: sentTraffic.wireBytes - unsentBytes,
            isOutputWaiting: unsentBytes > 0, isReadingPaused: mustWait)
    }
}
