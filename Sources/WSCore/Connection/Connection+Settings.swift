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
        /// Decodes bytes, and returns how many of them. Made where the type of the handler is known, so that the decoding
        /// loop is specialised for it: a stream reaches its delegate dynamically, in code that is generic still.
        let decode: @Sendable (Connection<Handler>, inout MutableRawSpan) -> Int

        /// Makes settings; `closeTimeout` is 5 s by default, and up to 16 MiB are queued.
        @inlinable
        public convenience init(
            role: Role, limits: Limits, fragmentBytes: Int? = nil, closeTimeout: Duration = .seconds(5),
            pausesReadingWhenFull: Bool = false, queueLimitBytes: Int = 16 << 20, forfeitingReasons: PauseReasons = [],
            answersPings: Bool = true
        ) {
            self.init(
                role: role, limits: limits, fragmentBytes: fragmentBytes, closeTimeout: closeTimeout,
                pausesReadingWhenFull: pausesReadingWhenFull, queueLimitBytes: queueLimitBytes,
                forfeitingReasons: forfeitingReasons, answersPings: answersPings
            ) { connection, bytes in
                connection.handler.connectionWillReceive(connection)
                var events = ConnectionEvents(connection: connection, handler: connection.handler)
                do throws(ProtocolError) {
                    return try connection.session.receive(&bytes, handler: &events)
                } catch {
                    connection.peerViolated(error)
                    return bytes.byteCount
                }
            }
        }

        @usableFromInline
        internal init(
            role: Role, limits: Limits, fragmentBytes: Int?, closeTimeout: Duration, pausesReadingWhenFull: Bool,
            queueLimitBytes: Int, forfeitingReasons: PauseReasons, answersPings: Bool,
            decode: @escaping @Sendable (Connection<Handler>, inout MutableRawSpan) -> Int
        ) {
            self.decode = decode
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
