import WSCore

extension BenchMode {
    /// Keeps connections open.
    public static let idle = BenchMode(
        ModeDescriptor(
            name: "idle",
            summary: "keep connections open and send pings",
            manual: """
                Keep connections open for `--duration` and send a ping on each every `--heartbeat`. The latency is the \
                time to the pong.
                """,
            options: [.connectRate, .ramp, .replyTimeout],
            ownOptions: [.heartbeat],
            wording: ModeWording(
                title: "Idle test", titleNamesMessages: false, countedThings: "pongs", sentThings: "pings",
                receivedVerb: "answered"),
            metrics: ModeMetrics(accountsForAllSent: true),
            // A ping is number and hash.
            load: ModeLoad(pace: .heartbeat, defaultBytes: 16),
            makeWorkload: { IdleWorkload($0) }))
}

/// Connections that are kept open, with a ping on each now and then, on a schedule.
internal final class IdleWorkload: Workload {
    let context: LoadContext
    fileprivate var verifier: ReplyVerifier

    /// Sends generated messages as pings.
    init(_ context: LoadContext) {
        self.context = context
        verifier = ReplyVerifier(context.plan.makeEchoMessage(clockOffset: context.clockOffset))
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler { IdleConnection(number, of: self) }
}

/// A connection that sends pings and receives pongs.
internal final class IdleConnection: RoundTripConnection, LoadHandler {
    private unowned let workload: IdleWorkload

    init(_ number: UInt64, of workload: IdleWorkload) {
        self.workload = workload
        super.init(
            number, remembered: 1, identifiesReplies: workload.verifier.message.isIdentified, in: workload.context)
    }

    override func send(dueAt time: UInt64) -> Bool {
        workload.verifier.message.set(nextStamp(dueAt: time))
        guard workload.verifier.message.withBytes({ port?.offerPing($0) ?? false }) else { return false }
        ledger.send(at: time)
        return true
    }

    func connection(_ connection: Connection<IdleConnection>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        receivePong(payload)
    }

    /// Takes a pong as the answer to all pings up to its own: only the latest has to be answered (RFC 6455 §5.5.3).
    func receivePong(_ pong: RawSpan) {
        let context = workload.context
        // An unsolicited pong is a sign of life, and no answer (RFC 6455 §5.5.3).
        guard let number = workload.verifier.message.number(in: pong, of: self.number, expected: ledger.first),
            number < ledger.next
        else { return }
        while ledger.first < number {
            context.measurement.answered(sentAt: ledger.takeFirst(), now: context.now)
        }
        workload.verifier.received(pong, isRightKind: true, by: self, in: context)
        if context.phase != .loading { context.host?.closeIfAnswered() }
    }
}
