import UserInterface
import WSCore

// The settings of the connections.
extension ConnectSettings {
    /// The limits and the behavior of the connection.
    func connection<Handler>(handledBy type: Handler.Type = Handler.self) -> Connection<Handler>.Settings {
        Connection.Settings(
            role: .client, limits: arguments.client.limits.ofMessages,
            fragmentBytes: arguments.client.limits.fragmentBytes, closeTimeout: arguments.client.limits.closeTimeout,
            // A peer that does not read the answers gets no more of them.
            pausesReadingWhenFull: exchange?.answers.isEmpty == false)
    }

    /// The backoff between connection attempts, or `nil` without `--reconnect`.
    var backoff: Backoff? {
        switch arguments.staying.reconnection {
        case .never: nil
        case .times(let count): Backoff(maximumTries: count, delays: delays)
        case .always: Backoff(delays: delays)
        }
    }

    private var delays: Backoff.Delays {
        if let range = arguments.staying.reconnectDelay { return .between(range) }
        return hasPrompt || connector.isLocal ? .interactive : .standard
    }

    /// The heartbeat settings, or `nil` without a heartbeat.
    var heartbeat: HeartbeatTimer<ConnectRun>.Settings? {
        arguments.staying.heartbeats.heartbeat.map { interval in
            HeartbeatTimer.Settings(
                interval: interval, maximumMisses: arguments.staying.heartbeats.heartbeatMisses,
                message: arguments.staying.heartbeatMessage.map { Array($0.utf8) })
        }
    }
}
