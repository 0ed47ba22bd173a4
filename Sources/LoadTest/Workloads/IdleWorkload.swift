import Conversation
import WSCore

extension BenchMode {
    /// Keeps connections open.
    package static let idle = BenchMode(
        name: "idle",
        summary: "keep connections open and send pings",
        manual: """
            Keep connections open for `--duration` and send a ping on each every `--heartbeat`. The latency is the \
            time to the pong. With `--protocol`, its keepalives are sent, too, and its events are counted as pushes.
            """,
        options: [.connectRate, .ramp, .lifetime, .stages, .replyTimeout, .heartbeatMessage, .applicationProtocol],
        ownOptions: [.heartbeat],
        wording: ModeWording(
            title: "Idle test", titleNamesMessages: false, countedThings: "pongs", sentThings: "pings",
            receivedVerb: "answered"),
        metrics: ModeMetrics(accountsForAllSent: true),
        // A ping contains a number and a hash.
        load: ModeLoad(pace: .heartbeat, defaultBytes: 16),
        makeWorkload: { IdleWorkload($0) })
}

/// Keeps connections open, with scheduled pings on each.
internal final class IdleWorkload: Workload {
    let context: LoadContext
    fileprivate var verifier: ReplyVerifier

    /// Creates a workload that sends generated messages as pings.
    init(_ context: LoadContext) {
        self.context = context
        verifier = ReplyVerifier(context.factory.makeEchoMessage())
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler { IdleConnection(number, of: self) }
}

/// A connection that sends pings and receives pongs.
internal final class IdleConnection: RoundTripConnection, LoadHandler {
    private let workload: IdleWorkload

    init(_ number: UInt64, of workload: IdleWorkload) {
        self.workload = workload
        super.init(
            number, remembered: 1, identity: workload.verifier.message.identity, in: workload.context)
    }

    override func send(dueAt time: UInt64) -> Bool {
        let words = workload.verifier.message.set(nextStamp(dueAt: time))
        guard workload.verifier.message.withBytes({ port?.offerPing($0) ?? false }) else { return false }
        ledger.send(at: time, words)
        return true
    }

    func connection(_ connection: Connection<IdleConnection>, receivedPong payload: RawSpan) {
        receivePong(payload)
    }

    func connection(_ connection: Connection<IdleConnection>, received payload: RawSpan, as kind: MessageKind) {
        context.receive(payload, as: kind, on: self) { _ in }
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        context.measurement.count(\.pushes, ofMessageAt: context.now)
    }

    /// Takes a pong as the answer to its ping and all earlier ones: a peer may answer only the latest ping (RFC 6455
    /// §5.5.3).
    func receivePong(_ pong: RawSpan) {
        // RFC 6455 §5.5.3: an unsolicited pong is a heartbeat, not an answer.
        guard let number = workload.verifier.message.number(in: pong, of: self.number, expected: ledger.first),
            number < ledger.next
        else { return }
        while ledger.first < number {
            context.measurement.answered(on: self.number, sentAt: ledger.takeFirst(), now: context.now)
        }
        workload.verifier.check(pong, isRightKind: true, by: self, in: context)
        workload.verifier.recordReplies(on: self, in: context)
        guard context.phase == .loading else { return context.host?.closeIfAnswered() ?? () }
        _ = context.mayContinue(self)
    }
}
