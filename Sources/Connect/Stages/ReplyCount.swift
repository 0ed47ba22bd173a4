import Formats
import Conversation
import Peer
import WSCore

/// Tells the replies on a connection from greetings, without a clock.
///
///     ──► ping  message 1 … message n
///     ◄── greeting  pong  reply 1 … reply n
///
/// A ping precedes the first message. Whatever arrives before its pong was sent before the server read the message, and
/// is no reply. Without a pong, there is no count. The ping also measures the round trip.
///
/// If replies end the run, messages are held until it is known what they are; see ``hold(_:)``.
struct ReplyCount {
    private enum Ping {
        case unsent
        /// Before the ping, this many messages had been sent and received.
        case sent(at: Duration, sentCount: Int, receivedCount: Int)
        /// Answered. Before the ping and the pong, this many messages had been sent and received.
        case answered(roundTrip: Duration, sentCount: Int, receivedCount: Int)
    }

    /// A received message.
    struct Held {
        let payload: [UInt8]
        let kind: MessageKind
        /// How it was decoded, or `nil` if it is as received.
        let decoding: Decoding?
        /// Whether it may be a reply if there is no pong.
        let mayBeReply: Bool
        /// When it arrived, on the loop's clock.
        let time: Duration
    }

    /// The payload of the ping, readable for users who watch the frames.
    static let payload = Array("linger".utf8)
    /// The time without a pong after which the messages held are replies.
    static let holdLimit = Duration.seconds(1)
    /// The size of messages held from which they are replies, without further waiting for the pong.
    static let holdLimitBytes = 16 << 20

    private var ping = Ping.unsent
    private var held: [Held] = []
    private var heldBytes = 0
    /// The number of messages, from the next one on, that began before the pong.
    private var earlyCount = 0

    /// The round trip of the ping, or `nil` before its pong.
    var roundTrip: Duration? { if case .answered(let roundTrip, _, _) = ping { roundTrip } else { nil } }

    /// Whether the ping must be sent before the next message.
    var needsPing: Bool { if case .unsent = ping { true } else { false } }

    /// Records that the ping is sent now.
    /// - Parameters:
    ///   - sentCount: The number of messages sent so far.
    ///   - receivedCount: The number of messages received so far.
    mutating func pingSent(at now: Duration, sentCount: Int, receivedCount: Int) {
        ping = .sent(at: now, sentCount: sentCount, receivedCount: receivedCount)
    }

    /// Processes a pong.
    /// - Parameter receivedCount: The number of messages received so far.
    /// - Returns: The round trip if the pong answers the ping, or `nil` otherwise.
    mutating func pongReceived(_ payload: RawSpan, at now: Duration, receivedCount: Int) -> Duration? {
        guard case .sent(let time, let sentCount, _) = ping,
            payload.withUnsafeBytes({ $0.elementsEqual(Self.payload) })
        else { return nil }
        ping = .answered(roundTrip: now - time, sentCount: sentCount, receivedCount: receivedCount)
        return now - time
    }

    // MARK: Holding

    /// When the wait for the pong ends, on the loop's clock in nanoseconds, or `nil` if there is no wait.
    var holdDeadline: UInt64? {
        if case .sent(let time, _, _) = ping { (time + Self.holdLimit).nanoseconds } else { nil }
    }
    /// Whether there are, or may be, messages that began before the pong.
    var awaitsGreetings: Bool { holdDeadline != nil || earlyCount > 0 }
    /// Whether so much is held that the wait for the pong is over.
    var isHoldFull: Bool { heldBytes > Self.holdLimitBytes }

    /// Holds a message until the pong. It was a greeting then; without a pong, it is a reply.
    mutating func hold(_ message: Held) {
        heldBytes += message.payload.count + MemoryLayout<Held>.stride
        held.append(message)
    }

    /// Removes and returns the messages held.
    mutating func release() -> [Held] {
        defer { (held, heldBytes) = ([], 0) }
        return held
    }

    /// Handles the pong while messages that began before it have not been decoded or received to their end.
    mutating func expectGreetings(_ count: Int) {
        earlyCount = count
    }

    /// Whether the next message began before the pong. Each call is for another message.
    mutating func takesGreeting() -> Bool {
        guard earlyCount > 0 else { return false }
        earlyCount -= 1
        return true
    }

    // MARK: Counting

    /// The round trip if exactly one reply has arrived for each message, or `nil` otherwise.
    /// - Parameters:
    ///   - sentCount: The number of messages sent so far.
    ///   - receivedCount: The number of messages received so far.
    func answeredRoundTrip(sentCount: Int, receivedCount: Int) -> Duration? {
        guard case .answered(let roundTrip, let firstSent, let firstReceived) = ping,
            sentCount > firstSent, sentCount - firstSent == receivedCount - firstReceived
        else { return nil }
        return roundTrip
    }

    /// The number of messages and of their replies, if there are fewer replies, or `nil` otherwise. The parameters are
    /// those of ``answeredRoundTrip(sentCount:receivedCount:)``.
    func missingReplies(sentCount: Int, receivedCount: Int) -> MissingReplies? {
        switch ping {
        case .unsent: nil
        case .sent(_, let firstSent, let firstReceived), .answered(_, let firstSent, let firstReceived):
            MissingReplies(sentCount: sentCount - firstSent, replyCount: receivedCount - firstReceived)
        }
    }
}

/// How many messages were sent on a connection that got fewer replies.
struct MissingReplies {
    let sentCount: Int
    let replyCount: Int

    fileprivate init?(sentCount: Int, replyCount: Int) {
        guard replyCount < sentCount else { return nil }
        (self.sentCount, self.replyCount) = (sentCount, replyCount)
    }

    /// `1 reply to 3 messages`
    var words: String {
        "\(replyCount) \(replyCount == 1 ? "reply" : "replies") to \(Phrase.count(sentCount, "message"))"
    }
}
