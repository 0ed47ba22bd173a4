import Formats
import WSCore

extension BenchMode {
    /// Publishes messages on some connections and receives them on all others.
    package static let broadcast = BenchMode(
        name: "broadcast",
        summary: "measure delivery from publishers to readers",
        manual: """
            Publish on `--publishers` connections, at `--rate` or 10 messages per second in total, and read on all \
            others. The server must relay each message to all readers. Messages carry a number and the time they \
            were due: each reader detects lost, duplicated, and reordered messages. The latency is the time to \
            each delivery. Messages that publishers receive do not count. Connections stay open during the \
            whole load, so `--lifetime` and `--stages` need another mode; `--rate` accepts stages.
            """,
        options: [.connectRate, .messages, .rate, .ramp, .replyTimeout, .size, .binary, .heartbeatMessage],
        ownOptions: [.publishers],
        wording: ModeWording(
            title: "Broadcast test", titleNamesMessages: true, countedThings: "deliveries", sentVerb: "published",
            receivedVerb: "delivered",
            expectation: "each message must reach each reader once, in order, and unchanged"),
        metrics: ModeMetrics(verifiesMessages: true, population: .deliveries),
        load: ModeLoad(
            senders: .publishers, pace: .rate(10), messages: .always, defaultBytes: DeliveryMessage.leastBytes),
        problem: BroadcastWorkload.problem,
        makeWorkload: { BroadcastWorkload($0) })
}

/// Messages that some connections publish and all others receive.
internal final class BroadcastWorkload: Workload {
    let context: LoadContext
    fileprivate var message: DeliveryMessage
    fileprivate let kind: MessageKind
    fileprivate let publisherCount: Int
    private(set) var readerCount = 0
    /// The number of messages each reader should receive, or `nil` while it is unknown.
    private var expectedCount: Int?
    /// Counts deliveries that arrived before the load began on this thread, because a publisher of another thread was
    /// faster.
    private var early: [() -> Void] = []

    /// Creates a workload in which the first connections publish on a schedule.
    init(_ context: LoadContext) {
        self.context = context
        let messages = context.plan.messages
        message = DeliveryMessage(byteCount: context.plan.messageBytes, run: messages.runNumber)
        kind = messages.kind
        publisherCount = context.plan.connections.publisherCount
    }

    @Sendable
    fileprivate static func problem(of plan: LoadPlan) -> LoadPlanProblem? {
        guard plan.connections.publisherCount < plan.connections.count else {
            let count = Phrase.count(plan.connections.count, "connection")
            return LoadPlanProblem(
                option: "--publishers \(plan.connections.publisherCount)",
                reason: "no reader is left among \(count); increase --connections")
        }
        guard plan.messageBytes >= DeliveryMessage.leastBytes else {
            return LoadPlanProblem(
                option: "--size \(plan.messageBytes)",
                reason: "broadcast messages carry a number and a time and need "
                    + "\(DeliveryMessage.leastBytes) bytes or more")
        }
        return nil
    }

    // MARK: Connections

    func makeConnection(_ number: UInt64) -> any LoadHandler { BroadcastConnection(number, of: self) }

    func isSender(_ connection: LoadConnection) -> Bool { connection.number < UInt64(publisherCount) }

    var isDeserted: Bool {
        context.connections.reopening.isEmpty
            && (hasReadersAlone ? context.connections.isEmpty : context.senders.isEmpty)
    }

    private var hasReadersAlone: Bool { context.shard.connectionCount(of: publisherCount) == 0 }

    // MARK: Sending

    func begin() {
        readerCount = context.connections.count - context.senders.count
        for count in early { count() }
        early = []
        // A thread with readers only waits for the publishers' threads.
        if hasReadersAlone { context.leaveSendingToOthers() }
    }

    /// Sets the number of messages expected by each reader.
    func allSent(_ count: Int) {
        expectedCount = count
        if context.phase == .loading { context.host?.drain() } else { context.host?.closeIfAnswered() }
    }

    // MARK: Deliveries

    /// Counts a message received by a reader.
    @inline(__always)
    fileprivate func received(
        _ payload: RawSpan, as kind: MessageKind, by reader: BroadcastConnection, in context: LoadContext
    ) {
        let stamp = message.stamp(of: payload)
        if stamp == nil, context.takes(payload, as: kind, on: reader) { return }
        // Ignore the server's messages to publishers, which are not deliveries to readers.
        guard !isSender(reader) else { return }
        // Ignore other messages of the server, such as greetings.
        guard payload.byteCount == message.byteCount || message.isOfRun(payload) else { return }
        if let stamp, stamp.run != message.run { return }
        guard kind == self.kind, let stamp, stamp.publisher < reader.deliveries.count else {
            return context.measurement.count(\.mismatched, ofMessageAt: context.now)
        }
        if context.phase == .ready {
            let now = context.now
            return early.append { [unowned self] in deliver(stamp, to: reader, at: now) }
        }
        deliver(stamp, to: reader, at: context.now)
        if context.phase == .draining { context.host?.closeIfAnswered() }
    }

    @inline(__always)
    private func deliver(_ stamp: DeliveryMessage.Stamp, to reader: BroadcastConnection, at now: UInt64) {
        let arrival = reader.deliveries[Int(stamp.publisher)].receive(stamp.number)
        guard context.measurement.counts(stamp.time) else { return }
        switch arrival {
        case .duplicate:
            context.measurement.tally.duplicated += 1
            return
        case .reordered: context.measurement.tally.reordered += 1
        case .inOrder: break
        }
        reader.deliveryCount += 1
        context.measurement.answered(sentAt: stamp.time, now: now)
    }

    /// Whether each reader has received all published messages. `false` while their number is unknown.
    var isAnswered: Bool { expectedCount != nil && context.connections.values.allSatisfy { $0.isAnswered } }

    /// Whether a connection has received all its messages.
    fileprivate func isComplete(_ connection: BroadcastConnection) -> Bool {
        isSender(connection) || connection.deliveryCount >= expectedCount ?? .max
    }
}

/// A connection that publishes or reads.
internal final class BroadcastConnection: LoadConnection, LoadHandler {
    private let workload: BroadcastWorkload
    /// The number of messages it has published.
    private var publishedCount: UInt32 = 0
    /// The messages received from each publisher.
    fileprivate var deliveries: [DeliveryLedger]
    /// The number of counted messages received from all publishers.
    fileprivate var deliveryCount = 0

    init(_ number: UInt64, of workload: BroadcastWorkload) {
        self.workload = workload
        deliveries = Array(repeating: DeliveryLedger(), count: workload.publisherCount)
        super.init(number, in: workload.context)
    }

    override func send(dueAt time: UInt64) -> Bool {
        workload.message.set(
            DeliveryMessage.Stamp(
                run: workload.message.run, number: publishedCount, publisher: UInt32(truncatingIfNeeded: number),
                time: time))
        guard workload.message.withBytes({ send($0, as: workload.kind) }) else { return false }
        publishedCount &+= 1
        return true
    }

    override var isAnswered: Bool { workload.isComplete(self) }

    func connection(_ connection: Connection<BroadcastConnection>, received payload: RawSpan, as kind: MessageKind) {
        receive(payload, as: kind)
    }

    /// Counts a message.
    @inline(__always)
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        workload.received(payload, as: kind, by: self, in: context)
    }
}
