/// Decides when to send a heartbeat and when a silent peer is dead.
///
///      start ──────── beat ──────── beat ──────── beat ──────── beat ──────── dead
///                            alive       silence       silence       silence
///                                        1st miss      2nd miss      3rd miss
///
/// A heartbeat is sent once per interval even on a busy connection, because servers and proxies close connections on
/// which the client sends nothing. Any received byte shows that the peer is alive; it need not answer the heartbeat
/// itself. An interval after a heartbeat without received bytes is a miss. After enough consecutive misses, the peer is
/// dead.
///
/// The caller provides the time, which must be monotonic.
package struct Heartbeat: Sendable {
    /// The kind of heartbeat.
    package enum Kind: Sendable {
        /// A ping, which every peer must answer (RFC 6455 §5.5.2).
        case ping
        /// An application message, for servers that expect one. A peer that does not answer is considered dead.
        case message
    }

    /// The observable state of a connection.
    package struct Observation: Equatable, Sendable {
        /// The number of bytes received since the connection was opened.
        package var receivedBytes: Int
        /// The number of our bytes that have left for the peer's side.
        package var takenBytes: Int
        /// Whether more bytes are waiting to leave.
        package var isOutputWaiting: Bool
        /// Whether reading is paused because earlier input cannot be processed.
        package var isReadingPaused: Bool

        /// Creates an observation. The defaults are those of a connection without traffic.
        package init(
            receivedBytes: Int = 0, takenBytes: Int = 0, isOutputWaiting: Bool = false, isReadingPaused: Bool = false
        ) {
            self.receivedBytes = receivedBytes
            self.takenBytes = takenBytes
            self.isOutputWaiting = isOutputWaiting
            self.isReadingPaused = isReadingPaused
        }
    }

    /// The next action.
    package enum Step: Equatable, Sendable {
        /// Send a ping with this payload now, then ask again.
        case sendPing([UInt8])
        /// Send the application message now, then ask again.
        case sendMessage
        /// Ask again at this time.
        case wait(until: Duration)
        /// Disconnect: the peer is considered dead after this much silence.
        case peerIsLost(silentFor: Duration)
    }

    /// The interval between heartbeats.
    package let interval: Duration
    /// The number of consecutive misses after which the peer is considered dead, 1 or more.
    package let maximumMisses: Int
    /// The kind of heartbeat.
    package let kind: Kind
    /// The number of consecutive misses so far.
    package private(set) var missCount = 0

    private var nextTime: Duration
    private var lastLifeTime: Duration
    private var latest = Observation()
    private var hasBegun = false
    private var pingCount: UInt64 = 0
    /// The pings without a pong, oldest first.
    private var pings: [(number: UInt64, time: Duration)] = []

    private static let payload = NumberedPayload(word: "heartbeat")
    /// The maximum number of pings remembered, for a peer that sends data but never answers pings.
    private static let maximumPings = 64

    /// Creates the heartbeat of a connection. The first one is due one interval after the start.
    /// - Parameters:
    ///   - interval: The interval between heartbeats, more than 0.
    ///   - maximumMisses: The number of consecutive misses after which the peer is considered dead, at least 1.
    ///   - kind: The kind of heartbeat. Defaults to pings.
    ///   - start: The time the connection was opened.
    package init(every interval: Duration, maximumMisses: Int, kind: Kind = .ping, startingAt start: Duration) {
        self.interval = interval
        self.maximumMisses = max(1, maximumMisses)
        self.kind = kind
        nextTime = start + interval
        lastLifeTime = start
    }

    /// Returns the action to take now.
    /// - Parameters:
    ///   - now: The current time.
    ///   - seen: The observed state of the connection.
    package mutating func step(at now: Duration, _ seen: Observation) -> Step {
        guard now >= nextTime else { return .wait(until: nextTime) }
        judge(seen, at: now)
        guard missCount < maximumMisses else { return .peerIsLost(silentFor: now - lastLifeTime) }
        latest = seen
        hasBegun = true
        nextTime = now + interval
        switch kind {
        case .message: return .sendMessage
        case .ping: return .sendPing(makePing(at: now))
        }
    }

    /// Processes a pong.
    /// - Returns: The round-trip time if the pong answers a ping of this heartbeat, otherwise nil.
    package mutating func pongReceived(_ payload: RawSpan, at now: Duration) -> Duration? {
        guard let number = Self.payload.number(in: payload),
            let index = pings.firstIndex(where: { $0.number == number })
        else { return nil }
        let roundTrip = now - pings[index].time
        // RFC 6455 §5.5.3: the peer may answer only the most recent ping, so earlier ones may get no pong.
        pings.removeSubrange(...index)
        return roundTrip
    }

    private mutating func judge(_ seen: Observation, at now: Duration) {
        // If output was waiting and more of it has left since, the peer's side must have accepted some. The heartbeat
        // itself may still be far back in the queue.
        let tookOutput = latest.isOutputWaiting && seen.takenBytes != latest.takenBytes
        if seen.receivedBytes != latest.receivedBytes || tookOutput {
            missCount = 0
            lastLifeTime = now
        } else if hasBegun, canJudge(seen, at: now) {
            missCount += 1
        }
    }

    /// Whether silence indicates a dead peer.
    ///
    /// It does not if we were not reading. A pause that started and ended within the interval can be ignored, because
    /// received data caused it. It does not if this step is late by an interval either: then this process was
    /// suspended, and data that arrived meanwhile has not been read yet.
    private func canJudge(_ seen: Observation, at now: Duration) -> Bool {
        !latest.isReadingPaused && !seen.isReadingPaused && now - nextTime < interval
    }

    private mutating func makePing(at now: Duration) -> [UInt8] {
        pingCount += 1
        if pings.count == Self.maximumPings { pings.removeFirst() }
        pings.append((pingCount, now))
        return Self.payload.bytes(pingCount)
    }
}
