extension Connection {
    /// What a connection needs to know beside its stream; a class, because the connections of a server share it.
    public final class Settings: Sendable {
        /// Which end this is.
        public let role: Role
        /// What is accepted from the peer.
        public let limits: Limits
        /// The largest payload of a data frame sent, in bytes; nil: no limit.
        public let fragmentBytes: Int?
        /// How long the peer may leave our close frame unanswered.
        public let closeTimeout: Duration
        /// Whether a full output queue stops reading: right where what is sent answers what is read.
        public let pausesReadingWhenFull: Bool
        /// With more bytes queued than this, ``Connection/isFull`` says that the source of the output is to pause.
        public let queueLimitBytes: Int
        /// Reasons to pause that concern the peer alone: when it is gone, what it has sent is of no use to anybody.
        public let forfeitingReasons: PauseReasons
        /// Whether pings are answered, as they must be.
        public let answersPings: Bool

        /// Makes settings; `closeTimeout` is 5 s by default, and up to 16 MiB are queued.
        public init(
            role: Role, limits: Limits, fragmentBytes: Int? = nil, closeTimeout: Duration = .seconds(5),
            pausesReadingWhenFull: Bool = false, queueLimitBytes: Int = 16 << 20, forfeitingReasons: PauseReasons = [],
            answersPings: Bool = true
        ) {
            self.role = role
            self.limits = limits
            self.fragmentBytes = fragmentBytes
            self.closeTimeout = closeTimeout
            self.pausesReadingWhenFull = pausesReadingWhenFull
            self.queueLimitBytes = queueLimitBytes
            self.forfeitingReasons = forfeitingReasons
            self.answersPings = answersPings
        }
    }
}
