import WSCore

/// What one thread of a load test measures: what became of its messages, and when.
///
///      opening │ warm-up │ messages count        │ replies are waited for │ closing
///            begin  countStart        sendEnd, or stop                replyWaitEnded  finish
///
/// A message counts when it was due between ``countStart`` and the end of sending, and its reply whenever that comes. Times
/// are those of the loop's clock, in nanoseconds.
public struct LoadMeasurement: ~Copyable {
    /// What says when the time is over that rates are for.
    public enum End {
        /// When nothing more is sent.
        case whenStopped
        /// With what was sent or answered last: a number of messages takes as long as it takes.
        case withLastReply
        /// With the last connection, which its server closes when it has read all that was sent before.
        case whenClosed
    }

    /// What became of messages and connections.
    public var tally = LoadTally()
    internal private(set) var latencies = LatencyRecorder()
    /// How long connections took to open, in nanoseconds.
    internal private(set) var handshakes = Histogram()
    /// How long each part of that took, in nanoseconds.
    internal private(set) var phases = PhaseHistograms()
    /// How much later than they were due messages of an open loop were sent, in nanoseconds.
    internal private(set) var delays = Histogram()

    /// When messages begin to count; before the load begins, none does.
    internal private(set) var countStart: UInt64 = .max
    /// Nothing is sent from then on.
    internal private(set) var sendEnd: UInt64 = .max
    private var end = End.whenStopped
    private var endTime: UInt64?
    /// When a message that counts was sent or answered last.
    private var lastTime: UInt64 = 0

    /// Begins with the load.
    /// - Parameters:
    ///   - time: When the load begins.
    ///   - warmup: How long messages do not count from then.
    ///   - duration: How long messages are sent after that; nil: until ``stop(at:isEarly:)``.
    ///   - end: When it is over without a duration.
    internal mutating func begin(at time: UInt64, warmup: Duration, duration: Duration?, end: End) {
        countStart = time + warmup.wholeNanoseconds
        if let duration { sendEnd = countStart + duration.wholeNanoseconds }
        self.end = duration == nil ? end : .whenStopped
        lastTime = countStart
        latencies.start(at: countStart, until: sendEnd)
    }

    /// Whether a message counts that was due at a time.
    @inline(__always)
    public func counts(_ time: UInt64) -> Bool { time >= countStart }

    /// How long messages were sent; none before the end is known.
    internal var duration: Duration {
        endTime.map { .nanoseconds(Int64(clamping: $0 - countStart)) } ?? .zero
    }

    // MARK: Messages

    /// A message that was due is sent now.
    /// - Returns: Whether it counts.
    @inline(__always)
    internal mutating func sent(dueAt time: UInt64, now: UInt64) -> Bool {
        guard counts(time) else { return false }
        tally.sent &+= 1
        lastTime = now
        latencies.recordSent(at: now)
        return true
    }

    /// A message of an open loop was due, and this end has come to it now.
    @inline(__always)
    internal mutating func reached(dueAt time: UInt64, now: UInt64) {
        delays.record(now - time)
    }

    /// Messages that were due are not sent any more.
    internal mutating func leftUnsent(_ times: some Sequence<UInt64>) {
        for time in times where counts(time) { tally.unsent += 1 }
    }

    /// The right reply to a message of that time is there now.
    @inline(__always)
    internal mutating func answered(sentAt time: UInt64, now: UInt64) {
        guard counts(time) else { return }
        lastTime = now
        tally.received &+= 1
        // The clocks of threads are one, but not read at the same time.
        latencies.record(now > time ? now &- time : 0, at: now)
    }

    /// Something is there now that nothing is known of.
    internal mutating func arrived(at now: UInt64) {
        guard counts(now), endTime == nil else { return }
        lastTime = now
        tally.received += 1
        latencies.recordArrival(at: now)
    }

    /// An attempt has failed now.
    internal mutating func failed(attemptedAt time: UInt64, now: UInt64) {
        if counts(time) { lastTime = now }
    }

    /// Adds one to a count, if a message of that time counts.
    internal mutating func count(_ field: WritableKeyPath<LoadTally, Int>, ofMessageAt time: UInt64) {
        if counts(time) { tally[keyPath: field] += 1 }
    }

    /// What was taken for a reply that is wrong came besides: the reply to the message of that time is here.
    internal mutating func unmatch(messageAt time: UInt64) {
        guard counts(time) else { return }
        tally.mismatched -= 1
        tally.duplicated += 1
    }

    /// A connection has been opened.
    public mutating func opened(_ duration: Duration, phases durations: PhaseDurations) {
        handshakes.record(duration.wholeNanoseconds)
        phases.record(durations)
    }

    /// Ends the seconds that are over by now, for those who look at them.
    internal mutating func advance(to now: UInt64) {
        latencies.advance(to: now)
    }

    // MARK: End

    /// Nothing more is sent.
    /// - Parameter isEarly: Whether it ends sooner than it was to.
    internal mutating func stop(at now: UInt64, isEarly: Bool) {
        if isEarly { end = .whenStopped }
        if end == .whenStopped { endTime(at: min(now, sendEnd)) }
    }

    /// No more replies are waited for.
    public mutating func replyWaitEnded() {
        if end == .withLastReply { endTime(at: lastTime) }
    }

    /// All connections have ended; a reply that has come since the end is part of all latencies and of no second.
    public mutating func finish(at now: UInt64) {
        if end == .whenClosed, counts(now) { endTime(at: now) }
        latencies.finish()
    }

    private mutating func endTime(at time: UInt64) {
        guard countStart != .max, endTime == nil else { return }
        let time = max(countStart, time)
        endTime = time
        latencies.end(at: time)
    }
}

extension Duration {
    /// The nanoseconds in it; none if it is negative, and 146 years at most.
    public var wholeNanoseconds: UInt64 { UInt64(min(max(0, self / .nanoseconds(1)), 0x1p62)) }
}
