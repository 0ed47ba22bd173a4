import WSCore

extension BenchMode {
    /// Sends messages and waits for their echoes.
    package static let echo = BenchMode(
        name: "echo",
        summary: "measure round trips to an echo server",
        manual: """
            Send messages that the server echoes, with `--in-flight` messages in flight on each connection, or at \
            `--rate`. Each echo is compared with its message. The latency is the round-trip time.
            """,
        options: [
            .connectRate, .messages, .rate, .ramp, .think, .lifetime, .stages, .inFlight, .replyTimeout, .message,
            .file, .size, .binary,
        ],
        wording: ModeWording(title: "Echo test", titleNamesMessages: true, countedThings: "replies"),
        metrics: ModeMetrics(verifiesMessages: true, accountsForAllSent: true),
        load: ModeLoad(messages: .always),
        makeWorkload: { EchoWorkload($0) })
}

/// Sends messages and verifies their echoes.
internal final class EchoWorkload: Workload {
    let context: LoadContext
    fileprivate var verifier: ReplyVerifier
    fileprivate let kind: MessageKind
    /// The maximum number of messages in flight per connection in a closed loop.
    fileprivate let inFlight: Int
    /// Whether a message has arrived in the current read; false between reads.
    private var hasReceived = false

    /// The minimum number of messages to remember per connection if replies are identified by their contents.
    private static let leastRemembered = 64

    /// Creates a workload that sends the plan's messages on all connections.
    init(_ context: LoadContext) {
        self.context = context
        verifier = ReplyVerifier(context.factory.makeEchoMessage())
        kind = context.plan.messages.kind
        inFlight = context.plan.pace.inFlight
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler {
        let remembered = verifier.message.isFoundByComparing ? max(inFlight, Self.leastRemembered) : inFlight
        return EchoConnection(number, remembered: remembered, of: self)
    }

    /// Checks a reply.
    @inline(__always)
    fileprivate func received(
        _ payload: RawSpan, as kind: MessageKind, by connection: EchoConnection, in context: LoadContext
    ) {
        hasReceived = true
        let isRightKind = kind == self.kind
        if connection.pipeline == nil || isRightKind && verifier.isNext(payload, on: connection) {
            verifier.check(payload, isRightKind: isRightKind, by: connection, in: context)
        } else {
            decode(payload, as: kind, from: connection, in: context)
        }
    }

    /// Checks the records of a reply.
    @inline(never)
    private func decode(
        _ payload: RawSpan, as kind: MessageKind, from connection: EchoConnection, in context: LoadContext
    ) {
        context.receive(payload, as: kind, on: connection) { record in
            verifier.check(record, isRightKind: kind == self.kind, by: connection, in: context)
        }
    }

    /// Records the latencies of a read's replies, and sends the messages that may follow, which are due now.
    @inline(__always)
    fileprivate func endedRead(on connection: EchoConnection, in context: LoadContext, replyingOn port: some LoadPort) {
        guard hasReceived else { return }
        hasReceived = false
        verifier.recordReplies(on: connection, in: context)
        guard context.sendsAfterReply(on: connection) else { return }
        let now = context.now
        // Messages of the warm-up are not among the remaining ones.
        let remaining = context.measurement.counts(now) ? context.remainingMessages : .max
        let most = now < context.measurement.sendEnd ? min(connection.freeCount, remaining) : 0
        var count = 0
        while count < most {
            let words = verifier.message.set(connection.nextStamp(dueAt: now))
            guard verifier.message.withBytes({ port.send($0, as: kind) }) else { break }
            connection.ledger.send(at: now, words)
            count &+= 1
        }
        if count > 0 { context.countSent(count, dueAt: now) }
        if context.remainingMessages == 0 { context.drainIfSent() }
    }
}

/// A connection that sends messages and receives their echoes.
internal final class EchoConnection: RoundTripConnection, LoadHandler {
    private let workload: EchoWorkload

    init(_ number: UInt64, remembered: Int, of workload: EchoWorkload) {
        self.workload = workload
        super.init(
            number, remembered: remembered, identity: workload.verifier.message.identity, in: workload.context)
    }

    override var hasNext: Bool { freeCount > 0 }
    /// The number of messages that may be sent in a closed loop.
    fileprivate var freeCount: Int { workload.inFlight - ledger.inFlightCount }

    override func send(dueAt time: UInt64) -> Bool {
        let words = workload.verifier.message.set(nextStamp(dueAt: time))
        guard workload.verifier.message.withBytes({ send($0, as: workload.kind) }) else { return false }
        ledger.send(at: time, words)
        return true
    }

    func connection(_ connection: Connection<EchoConnection>, received payload: RawSpan, as kind: MessageKind) {
        workload.received(payload, as: kind, by: self, in: context)
    }

    func connectionDidReceive(_ connection: Connection<EchoConnection>) {
        workload.endedRead(on: self, in: context, replyingOn: connection)
    }

    /// Receives a read with one message.
    func receive(_ payload: RawSpan, as kind: MessageKind, replyingOn port: some LoadPort) {
        workload.received(payload, as: kind, by: self, in: context)
        workload.endedRead(on: self, in: context, replyingOn: port)
    }
}
