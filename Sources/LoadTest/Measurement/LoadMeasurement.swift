import Conversation
import WSCore

/// The measurements of one thread of a load test: the outcome of its messages, with times.
///
///      opening │ warm-up │ messages count        │ waiting for replies    │ closing
///            begin  countStart        sendEnd, or stop                replyWaitEnded  finish
///
/// A message counts if it was due between ``countStart`` and the end of sending; its reply counts whenever it arrives.
/// Times are on the loop's clock, in nanoseconds.
package struct LoadMeasurement: ~Copyable {
    /// The end of the period over which rates are calculated.
    package enum End {
        /// When sending ends.
        case whenStopped
        /// When the last message is sent or answered. Used for a fixed number of messages, which take as long as
        /// necessary.
        case withLastReply
        /// When the last connection ends. The server closes it after reading everything sent before.
        case whenClosed
    }

    /// The outcomes of messages and connections.
    package var tally = LoadTally()
    internal private(set) var latencies = LatencyRecorder()
    internal var times = TimeHistograms()
    /// The replies that consist of several messages, or `nil` if replies are single messages.
    internal var streams: StreamRecorder?
    /// The clocks of the publishers, or `nil` if messages have no times.
    internal var publishedClock: PublishedClock?
    private var timeline = TimelineRecorder()
    /// The beginning of the first reply that was mismatched in a mode with requests, in printable form, or `nil` if there
    /// was none.
    package private(set) var mismatchedReply: String?
    /// The results of each step of a scenario.
    internal var steps: [PartRecorder] = []
    /// Whether latencies are also recorded without the time for which messages waited to be sent.
    internal var recordsService = false
    /// Whether the waits of messages on their connections are to be known.
    internal var needsWaits = false
    /// The latencies one by one, or `nil` if nothing asks for them.
    package var samples: LatencySamples?

    /// When messages start to count. The initial value excludes all.
    internal private(set) var countStart: UInt64 = .max
    /// When sending ends.
    internal private(set) var sendEnd: UInt64 = .max
    private var end = End.whenStopped
    private var endTime: UInt64?
    /// When a counted message was last sent or answered.
    private var lastTime: UInt64 = 0
    /// The number of replies to messages of the warm-up that arrived after it: those outstanding when messages began to
    /// count.
    internal private(set) var carriedCount = 0
    /// Whether the traffic of the measured duration is known.
    private var hasKeptTraffic = false

    /// The size of the beginning of a reply that suffices to show it, in bytes.
    private static let shownReplyBytes = 2048

    /// Starts with the load.
    /// - Parameters:
    ///   - time: The start of the load.
    ///   - warmup: The time at the beginning during which messages do not count.
    ///   - duration: The time during which messages are sent after that, or `nil` until ``stop(at:isEarly:)``.
    ///   - end: The end of the measured period if there is no duration.
    ///   - stages: The stages of the load, whose length is the duration.
    internal mutating func begin(
        at time: UInt64, warmup: Duration, duration: Duration?, end: End, stages: LoadStages? = nil
    ) {
        countStart = time + warmup.nanoseconds
        if let duration { sendEnd = countStart + duration.nanoseconds }
        self.end = duration == nil ? end : .whenStopped
        lastTime = countStart
        latencies.start(at: countStart, until: sendEnd, stages: stages)
    }

    /// Whether a message that was due at a time counts.
    @inline(__always)
    package func counts(_ time: UInt64) -> Bool { time >= countStart }

    /// The number of the second of the load at a time, from 0, or `nil` before messages count and after sending.
    internal func second(at time: UInt64) -> Int? {
        counts(time) && time < sendEnd ? Int((time - countStart) / 1_000_000_000) : nil
    }

    /// The measured duration; zero before the end is known.
    internal var duration: Duration {
        endTime.map { .nanoseconds(Int64(clamping: $0 - countStart)) } ?? .zero
    }

    // MARK: Messages

    /// Records messages sent now, at least one.
    /// - Returns: Whether they count.
    @inline(__always)
    internal mutating func sent(_ count: Int = 1, dueAt time: UInt64, now: UInt64) -> Bool {
        guard counts(time) else { return false }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        tally.sent &+= count
        lastTime = now
        latencies.recordSent(count, dueAt: time, at: now)
        return true
    }

    /// Counts messages that were due and will not be sent.
    internal mutating func leftUnsent(_ times: some Sequence<UInt64>) {
        for time in times where counts(time) { tally.unsent += 1 }
    }

    /// Counts messages that will never be answered.
    /// - Parameter unanswered: Returns the number of a connection's unanswered messages since a time.
    internal mutating func lose(_ unanswered: (_ time: UInt64) -> Int) {
        let count = unanswered(countStart)
        tally.lost += count
        guard count > 0 else { return }
        var rest = count
        latencies.stages?.forEach { stage, end in
            let laterCount = end == .max ? 0 : unanswered(end)
            stage.tally.lost += rest - laterCount
            rest = laterCount
        }
    }

    /// Counts messages that have timed out.
    /// - Parameters:
    ///   - limit: The time before which messages have timed out.
    ///   - giveUp: Gives up a connection's messages before a time, and returns their number.
    /// - Returns: Their number.
    internal mutating func timeOut(before limit: UInt64, _ giveUp: (_ time: UInt64) -> Int) -> Int {
        var count = 0
        latencies.stages?.forEach { stage, end in
            let timeouts = giveUp(min(end, limit))
            stage.tally.errors[.timeout] += timeouts
            count += timeouts
        }
        count += giveUp(limit)
        tally.errors[.timeout] += count
        return count
    }

    /// Records the correct reply to a message.
    /// - Parameters:
    ///   - connection: The number of the connection with the reply.
    ///   - wait: How long the message waited to be sent, in nanoseconds, or `nil` if that is unknown.
    ///   - name: What the message is, in samples; `nil` if there are no others.
    @inline(__always)
    internal mutating func answered(
        on connection: UInt64, sentAt time: UInt64, after wait: UInt64? = 0, now: UInt64, as name: String? = nil
    ) {
        guard counts(time) else { return carry(now) }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        lastTime = now
        tally.received &+= 1
        // Threads share a clock, but read it at different times.
        let latency = now > time ? now &- time : 0
        latencies.record(latency, at: now)
        if recordsService, let wait { times[.service].record(latency &- min(wait, latency)) }
        if samples != nil { sample(latency, on: connection, sentAt: time, after: wait, step: name) }
    }

    /// Records the correct replies to messages that were due at the same time, unless each needs a record of its own.
    /// - Returns: Whether they were recorded; false also during the warm-up.
    @inline(__always)
    internal mutating func answered(_ count: Int, sentAt time: UInt64, now: UInt64) -> Bool {
        guard counts(time), !recordsService, samples == nil else { return false }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        lastTime = now
        tally.received &+= count
        latencies.record(now > time ? now &- time : 0, count: count, at: now)
        return true
    }

    /// Records the correct reply to a message.
    /// - Parameter stream: The messages of the reply, if it may consist of several.
    @inline(__always)
    internal mutating func answered(
        on connection: UInt64, sentAt time: UInt64, after wait: UInt64?, by stream: ReplyStream?, now: UInt64
    ) {
        answered(on: connection, sentAt: time, after: wait, now: now)
        if let stream, counts(time) { streams?.record(stream, since: time) }
    }

    /// Counts the correct reply to a message of the warm-up.
    private mutating func carry(_ now: UInt64) {
        if counts(now) { carriedCount += 1 }
    }

    /// Records the correct reply to an unknown message.
    /// - Parameter time: When the message that it is counted for was due.
    internal mutating func answeredWithoutLatency(sentAt time: UInt64, now: UInt64) {
        guard counts(time) else { return carry(now) }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        lastTime = now
        tally.received += 1
        latencies.recordArrival(at: now, dueAt: time)
        count(\.latencyOmitted, ofMessageAt: time)
    }

    /// Records the latency of a message whose reply was recorded without one.
    internal mutating func confirm(
        _ latency: UInt64, on connection: UInt64, ofMessageAt time: UInt64, after wait: UInt64?
    ) {
        guard counts(time) else { return }
        if recordsService, let wait { times[.service].record(latency - min(wait, latency)) }
        tally.latencyOmitted -= 1
        latencies.confirm(latency, dueAt: time)
        if samples != nil { sample(latency, on: connection, sentAt: time, after: wait) }
    }

    /// Leaves out latencies that may be wrong: those recorded in the seconds of two times, and between.
    internal mutating func omitLatencies(since time: UInt64, until end: UInt64) {
        let count = latencies.omit(since: time, until: end)
        tally.latencyOmitted += count
        if streams != nil { streams = StreamRecorder() }
        guard count > 0, recordsService else { return }
        // These have no seconds. The results leave out those of other threads, too.
        times[.service].removeAll()
        recordsService = false
        needsWaits = samples != nil
    }

    /// Records a received message without a known send time.
    internal mutating func arrived(at now: UInt64) {
        guard counts(now), endTime == nil else { return }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        lastTime = now
        tally.received += 1
        latencies.recordArrival(at: now)
    }

    /// Records a received message of a publisher elsewhere.
    /// - Parameter age: The time since it was sent, in nanoseconds, negative if the clocks differ, or `nil` if unknown.
    internal mutating func arrived(at now: UInt64, on connection: UInt64, aged age: Int64?) {
        guard counts(now), endTime == nil else { return }
        guard let age, age.magnitude <= PublishedClock.mostDistant.magnitude else {
            publishedClock?.withoutTimeCount += 1
            return arrived(at: now)
        }
        guard age >= 0 else {
            publishedClock?.countNegative(by: age.magnitude)
            return arrived(at: now)
        }
        if latencies.hasEndedSecond(by: now) { advance(to: now) }
        lastTime = now
        tally.received += 1
        latencies.recordArrival(at: now, latency: UInt64(age))
        if samples != nil { sample(UInt64(age), on: connection, sentAt: now &- UInt64(age)) }
    }

    /// Counts an error.
    /// - Parameter cause: What caused it, or `nil` if that is unknown.
    package mutating func count(_ kind: LoadErrorKind, cause: ErrorCause?) {
        tally.errors[kind] += 1
        guard let cause else { return }
        tally.causes.add(cause)
        timeline.count(causedError: kind)
    }

    /// Records a failed attempt.
    internal mutating func failed(attemptedAt time: UInt64, now: UInt64) {
        if counts(time) { lastTime = now }
    }

    /// Increments a count if the message of that time counts.
    internal mutating func count(_ field: WritableKeyPath<LoadTally, Int>, ofMessageAt time: UInt64) {
        guard counts(time) else { return }
        tally[keyPath: field] += 1
        latencies.stages?.stage(at: time).tally[keyPath: field] += 1
    }

    /// Counts a request with a wrong reply, and keeps the first such reply.
    @inline(never)
    internal mutating func mismatched(_ reply: RawSpan, toMessageAt time: UInt64) {
        count(\.mismatched, ofMessageAt: time)
        guard mismatchedReply == nil, counts(time) else { return }
        mismatchedReply = reply.withUnsafeBytes {
            escapingControls(
                String(decoding: $0.prefix(Self.shownReplyBytes), as: UTF8.self),
                longest: MessageDifference.longestValue)
        }
    }

    /// Corrects the counts when the reply to a message arrives after something else was taken for it: the other one was
    /// a duplicate.
    internal mutating func unmatch(messageAt time: UInt64) {
        guard counts(time) else { return }
        tally.mismatched -= 1
        tally.duplicated += 1
        guard let stage = latencies.stages?.stage(at: time) else { return }
        stage.tally.mismatched -= 1
        stage.tally.duplicated += 1
    }

    /// Records a connection opened now.
    /// - Parameters:
    ///   - tls: The result of its TLS handshake, or `nil` without TLS.
    ///   - isShared: Whether it is a stream of an HTTP/2 connection that existed before.
    package mutating func opened(
        _ duration: Duration, phases durations: PhaseDurations, tls: TLSSummary?, version: HTTPVersion, isShared: Bool,
        now: UInt64
    ) {
        times[.handshake].record(duration.nanoseconds)
        if let second = second(at: now) {
            timeline.record(handshake: duration.nanoseconds, inSecond: second)
        } else if !counts(now) {
            timeline.record(opening: duration.nanoseconds, at: now)
        }
        if version == .http2 {
            tally.openings.http2Streams += 1
            if !isShared { tally.openings.http2Connections += 1 }
        }
        if let tls, !isShared {
            tally.openings.tlsHandshakes += 1
            if tls.isResumed { tally.openings.tlsResumed += 1 }
        }
        times.record(durations)
    }

    /// Completes the seconds that have ended by now, with the counts until now.
    package mutating func advance(to now: UInt64) {
        latencies.advance(to: now)
        latencies.setCounts(tally)
    }

    /// Adds the state of now to the timeline; to be called at the beginning of each second and more often.
    internal mutating func sample(openCount: Int, at now: UInt64) {
        timeline.sample(tally, openCount: openCount, inSecond: second(at: min(now, sendEnd - 1)) ?? Timeline.before)
    }

    /// The connections, handshakes, and errors of each second.
    internal var timelineResults: Timeline { timeline.timeline(secondCount: latencies.seconds.count) }

    /// The seconds that have been completed since the last call.
    internal mutating func takeSeconds() -> [BenchSecond] { latencies.takeSeconds() }

    // MARK: End

    /// Keeps the traffic of the measured duration once it has ended.
    /// - Parameter open: The traffic of each open connection. None of them may be receiving.
    internal mutating func keepTraffic(ofOpen open: some Sequence<LoadTraffic>) {
        guard endTime != nil, !hasKeptTraffic else { return }
        hasKeptTraffic = true
        tally.loadTraffic = tally.traffic
        for traffic in open { tally.loadTraffic += traffic }
    }

    /// Ends sending.
    /// - Parameter isEarly: Whether the run ends earlier than planned.
    internal mutating func stop(at now: UInt64, isEarly: Bool) {
        if isEarly { end = .whenStopped }
        if end == .whenStopped { endTime(at: min(now, sendEnd)) }
    }

    /// Ends the wait for replies.
    package mutating func replyWaitEnded() {
        if end == .withLastReply { endTime(at: lastTime) }
    }

    /// Completes the measurement after all connections have ended. Replies received since the end of the period count
    /// in the total but in no second.
    package mutating func finish(at now: UInt64) {
        if end == .whenClosed, counts(now) { endTime(at: now) }
        latencies.finish()
        flushSamples()
    }

    private mutating func endTime(at time: UInt64) {
        guard countStart != .max, endTime == nil else { return }
        let time = max(countStart, time)
        endTime = time
        latencies.end(at: time)
        latencies.setCounts(tally)
    }
}
