/// The heartbeat of a connection: sends keepalives and detects a dead peer.
package final class HeartbeatTimer<Handler: ConnectionHandler> {
    /// The settings of a heartbeat.
    package struct Settings: Equatable, Sendable {
        /// The interval between heartbeats, more than 0.
        package var interval: Duration
        /// The number of consecutive missed heartbeats after which the peer is considered dead, 1 or more.
        package var maximumMisses: Int
        /// The text message to send instead of a ping; nil for pings.
        package var message: [UInt8]?

        /// Creates settings. By default, the heartbeat sends pings, and the peer is dead after 3 misses.
        package init(interval: Duration, maximumMisses: Int = 3, message: [UInt8]? = nil) {
            self.interval = interval
            self.maximumMisses = maximumMisses
            self.message = message
        }
    }

    /// An action of the timer.
    package enum Event {
        /// Sent a ping with this payload.
        case sentPing([UInt8])
        /// Sent the heartbeat message.
        case sentMessage([UInt8])
        /// The peer has been silent for too long. The receiver must end the connection.
        case lost(silentFor: Duration)
    }

    /// Returns the message to send instead of the one of the settings, or `nil` to skip a heartbeat.
    package var nextMessage: (() -> [UInt8]?)?
    private unowned let connection: Connection<Handler>
    private let settings: Settings
    private let report: (Event) -> Void
    private var heartbeat: Heartbeat
    private var timer: Timer?

    /// Starts the heartbeat of a connection that has just been opened. Release the timer to stop it.
    /// - Parameters:
    ///   - settings: The settings of the heartbeat.
    ///   - connection: The connection, which must outlive the timer.
    ///   - report: Receives the timer's events.
    package init(_ settings: Settings, of connection: Connection<Handler>, report: @escaping (Event) -> Void) {
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

    /// Processes a pong.
    /// - Returns: The round-trip time if the pong answers a ping of this heartbeat, otherwise nil.
    package func pongReceived(_ payload: RawSpan) -> Duration? {
        heartbeat.pongReceived(payload, at: connection.loop.now)
    }

    private func beat() {
        // The close timeout takes over once the closing handshake has begun.
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
            if let message = nextMessage.map({ $0() }) ?? settings.message {
                connection.send(message.span.bytes, as: .text)
                report(.sentMessage(message))
            }
            timer?.start(after: settings.interval)
        case .peerIsLost(let silence):
            timer = nil
            report(.lost(silentFor: silence))
        }
    }
}

extension Connection {
    /// The input of a heartbeat step.
    fileprivate var observation: Heartbeat.Observation {
        Heartbeat.Observation(
            receivedBytes: receivedTraffic.wireBytes, takenBytes: sentTraffic.wireBytes - unsentBytes,
            isOutputWaiting: unsentBytes > 0, isReadingPaused: mustWait)
    }
}
