extension Connection {
    /// The settings of a connection apart from its stream. A class, because the connections of a server share it.
    @usableFromInline
    package final class Settings: Sendable {
        /// The role of this endpoint, and the limits on incoming messages.
        @usableFromInline package let rules: MessageReceiver.Rules
        /// The maximum payload of an outgoing data frame in bytes; nil means no limit.
        package let fragmentBytes: Int?
        /// The time the peer has to answer our close frame.
        package let closeTimeout: Duration
        /// Whether a full output queue pauses reading, as suits a connection that answers what it reads.
        package let pausesReadingWhenFull: Bool
        /// Whether answers leave after each read of a stream of the system, and not at the end of the turn.
        let answersAtOnce: Bool
        /// The number of queued bytes above which ``Connection/isFull`` asks the output's source to pause.
        package let queueLimitBytes: Int
        /// Pause reasons that concern only the peer: once the peer is gone, its unread messages can be discarded.
        package let forfeitingReasons: PauseReasons
        /// Whether pings are answered, as RFC 6455 §5.5.2 requires.
        package let answersPings: Bool
        /// Whether close frames are answered at once. Otherwise the handler answers them with ``Connection/close(_:)``.
        package let answersCloses: Bool

        /// Creates settings. Defaults: a close timeout of 5 s, a queue limit of 16 MiB, and no fragmentation.
        package init(
            role: Role, limits: Limits, fragmentBytes: Int? = nil, closeTimeout: Duration = .seconds(5),
            pausesReadingWhenFull: Bool = false, answersAtOnce: Bool = false, queueLimitBytes: Int = 16 << 20,
            forfeitingReasons: PauseReasons = [], answersPings: Bool = true, answersCloses: Bool = true
        ) {
            rules = MessageReceiver.Rules(role: role, limits: limits)
            self.fragmentBytes = fragmentBytes
            self.closeTimeout = closeTimeout
            self.pausesReadingWhenFull = pausesReadingWhenFull
            self.answersAtOnce = answersAtOnce
            self.queueLimitBytes = queueLimitBytes
            self.forfeitingReasons = forfeitingReasons
            self.answersPings = answersPings
            self.answersCloses = answersCloses
        }

        package var role: Role { rules.role }
        package var limits: Limits { rules.limits }
    }
}

/// The reasons why reading is paused. Reading resumes when no reason is left.
package struct PauseReasons: OptionSet, Sendable {
    /// One bit per reason.
    package let rawValue: UInt16

    /// Creates a set of reasons from its bits.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The output the messages are written to cannot keep up.
    package static let output = PauseReasons(rawValue: 1)
    /// The connections of the loop together hold too much memory.
    package static let memory = PauseReasons(rawValue: 128)
}
