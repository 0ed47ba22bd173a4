/// Decides when to send a sign of life, and when a peer that gives none is lost.
///
///      start ──────── beat ──────── beat ──────── beat ──────── beat ──────── lost
///                            life        silence       silence       silence
///                                        1st miss      2nd miss      3rd miss
///
/// A heartbeat is sent once an interval, however busy the connection is: servers and proxies end connections on which
/// the client says nothing. Any byte that comes in counts as life; the peer need not answer the heartbeat itself. An
/// interval after a heartbeat in which nothing came is a miss, and misses in a row end in the loss.
///
/// It is asked when the time has come, and reads no clock; times are monotonic ones.
public struct Heartbeat: Sendable {
    /// What a heartbeat is.
    public enum Kind: Sendable {
        /// A ping, which every peer answers (RFC 6455 §5.5.2).
        case ping
        /// A message of the application's, for servers that want it so. One that leaves it unanswered is lost.
        case message
    }

    /// What can be seen of a connection at a moment.
    public struct Observation: Equatable, Sendable {
        /// The bytes that have come in since it was opened.
        public var receivedBytes: Int
        /// The bytes of ours that have gone on to the peer's side.
        public var takenBytes: Int
        /// Whether more wait that have not.
        public var isOutputWaiting: Bool
        /// Whether we do not read, since what came before cannot be put out.
        public var isReadingPaused: Bool

        /// Makes an observation; by default, one of a connection on which nothing has happened.
        public init(
            receivedBytes: Int = 0, takenBytes: Int = 0, isOutputWaiting: Bool = false, isReadingPaused: Bool = false
        ) {
            self.receivedBytes = receivedBytes
            self.takenBytes = takenBytes
            self.isOutputWaiting = isOutputWaiting
            self.isReadingPaused = isReadingPaused
        }
    }

    /// What to do.
    public enum Step: Equatable, Sendable {
        /// Send a ping with this payload now, and ask again.
        case sendPing([UInt8])
        /// Send the application's message now, and ask again.
        case sendMessage
        /// Ask again at this time.
        case wait(until: Duration)
        /// Leave the peer, of which nothing has come for so long.
        case peerIsLost(silentFor: Duration)
    }

    /// The time from one heartbeat to the next.
    public let interval: Duration
    /// After how many misses in a row the peer is lost, 1 or more.
    public let maximumMisses: Int
    /// What a heartbeat is.
    public let kind: Kind
    /// The misses since there was life.
    public private(set) var missCount = 0

    private var nextTime: Duration
    private var lastLifeTime: Duration
    private var latest = Observation()
    private var hasBegun = false
    private var pingCount: UInt64 = 0
    /// The pings that wait for their pong, oldest first.
    private var pings: [(number: UInt64, time: Duration)] = []

    private static let payload = NumberedPayload(word: "heartbeat")
    /// A peer may stay alive by what it sends and never answer a ping: then only the latest are remembered.
    private static let maximumPings = 64

    /// Makes the heartbeat of a connection; the first is due an interval after its start.
    /// - Parameters:
    ///   - interval: The time from one heartbeat to the next, more than 0.
    ///   - maximumMisses: After how many misses in a row the peer is lost, 1 or more.
    ///   - kind: What a heartbeat is.
    ///   - start: When the connection was opened.
    public init(every interval: Duration, maximumMisses: Int, kind: Kind = .ping, startingAt start: Duration) {
        self.interval = interval
        self.maximumMisses = max(1, maximumMisses)
        self.kind = kind
        nextTime = start + interval
        lastLifeTime = start
    }

    /// Tells what to do now.
    /// - Parameters:
    ///   - now: The time.
    ///   - seen: What can be seen of the connection.
    public mutating func step(at now: Duration, _ seen: Observation) -> Step {
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

    /// Takes a pong.
    /// - Returns: The round trip of the ping that it answers; nil when that is none of the heartbeat's.
    public mutating func pongReceived(_ payload: RawSpan, at now: Duration) -> Duration? {
        guard let number = Self.payload.number(in: payload),
            let index = pings.firstIndex(where: { $0.number == number })
        else { return nil }
        let roundTrip = now - pings[index].time
        // RFC 6455 §5.5.3: the peer may answer the most recent ping only; earlier ones have no answer to come.
        pings.removeSubrange(...index)
        return roundTrip
    }

    private mutating func judge(_ seen: Observation, at now: Duration) {
        // While our output waited, more of it could go on only because the peer's side took some. The
        // heartbeat itself may be far back in that queue.
        let tookOutput = latest.isOutputWaiting && seen.takenBytes != latest.takenBytes
        if seen.receivedBytes != latest.receivedBytes || tookOutput {
            missCount = 0
            lastLifeTime = now
        } else if hasBegun, canJudge(seen, at: now) {
            missCount += 1
        }
    }

    /// Whether silence says something about the peer.
    ///
    /// Not when we did not read. A pause that began and ended within the interval needs no thought: it began because
    /// something came. Nor when this moment is late by an interval: then we were the ones who stood still, and what
    /// came meanwhile has not been read yet.
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
