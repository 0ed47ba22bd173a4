import Conversation
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
            each delivery. Messages that publishers receive do not count. With `--message`, the number and the time are \
            in the placeholder `{{marker}}`, which readers find in any envelope: `--message '{"text":"{{marker}}"}'`. A \
            message without it is sent once on each connection, before the load, for instance to join a room; with \
            `--warmup`, deliveries do not count until the server has handled them all. With `--protocol`, messages \
            are lines of the protocol, and readers search its events. All readers are one room; for several, run a \
            test for each, and merge them.
            """,
        options: [
            .connectRate, .messages, .rate, .ramp, .replyTimeout, .message, .file, .size, .binary, .heartbeatMessage,
            .applicationProtocol,
        ],
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

extension LoadPlan.Messages {
    /// The messages with markers, or `nil` if no template has one.
    fileprivate func makeMarkedMessage(rows: ConnectionRows?, clockOffset: UInt64) -> MarkedMessage? {
        MarkedMessage(templates, variables: variables, run: runNumber, rows: rows, clockOffset: clockOffset)
    }
}

/// Messages that some connections publish and all others receive.
internal final class BroadcastWorkload: Workload {
    let context: LoadContext
    fileprivate var message: DeliveryMessage
    /// The messages of templates, or `nil` if messages are generated.
    fileprivate var marked: MarkedMessage?
    /// The messages that each connection sends before the load, or `nil` if there are none.
    fileprivate var opening: TemplatedMessage?
    fileprivate var openingCount = 0
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
        marked = messages.makeMarkedMessage(rows: context.factory.rows, clockOffset: context.factory.clockOffset)
        let openings = marked?.openings ?? []
        if !openings.isEmpty {
            opening = TemplatedMessage(
                openings, variables: messages.variables, rows: context.factory.rows,
                clockOffset: context.factory.clockOffset)
            openingCount = openings.count
        }
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
        guard plan.messages.templates.isEmpty, plan.conversation.applicationProtocol == nil else {
            guard let message = plan.messages.makeMarkedMessage(rows: nil, clockOffset: 0) else {
                return LoadPlanProblem(
                    option: "--mode broadcast",
                    reason: "no message contains {{marker}}, by which readers recognize it; add it to --message")
            }
            guard message.isUnambiguous else {
                return LoadPlanProblem(option: "--message", reason: "it contains {{marker}} twice; once is enough")
            }
            return plan.protocolProblem(needsReplies: false)
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

    func opened(_ connection: LoadConnection) {
        if connection.pipeline == nil { open(connection) }
    }

    /// Sends the messages that precede the load. They count only as traffic.
    fileprivate func open(_ connection: LoadConnection) {
        for number in 0..<openingCount {
            guard
                let message = opening?.write(
                    EchoMessage.Stamp(number: UInt64(number), connection: connection.number, time: context.now))
            else { return }
            if let pipeline = connection.pipeline {
                _ = context.send(message.bytes, as: kind, on: connection, through: pipeline)
            } else {
                _ = connection.transmit(message.bytes, as: kind)
            }
        }
    }

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
        guard marked == nil else {
            return context.receive(payload, as: kind, on: reader) { search($0, receivedBy: reader) }
        }
        guard let stamp = message.stamp(of: payload) else {
            return context.receive(payload, as: kind, on: reader) {
                take($0, as: kind, message.stamp(of: $0), by: reader, in: context)
            }
        }
        take(payload, as: kind, stamp, by: reader, in: context)
    }

    /// Counts a message, or a record of it.
    @inline(__always)
    private func take(
        _ payload: RawSpan, as kind: MessageKind, _ stamp: DeliveryMessage.Stamp?, by reader: BroadcastConnection,
        in context: LoadContext
    ) {
        // Ignore the server's messages to publishers, which are not deliveries to readers.
        guard !isSender(reader) else { return }
        // Ignore other messages of the server, such as greetings.
        guard payload.byteCount == message.byteCount || message.isOfRun(payload) else { return }
        if let stamp, stamp.run != message.run { return }
        guard kind == self.kind, let stamp else {
            return context.measurement.count(\.mismatched, ofMessageAt: context.now)
        }
        count(stamp, deliveredTo: reader)
    }

    /// Counts the markers in a message received by a reader.
    fileprivate func search(_ payload: RawSpan, receivedBy reader: BroadcastConnection) {
        guard !isSender(reader) else { return }
        marked?.forEachStamp(in: payload) { stamp in
            if let stamp {
                count(stamp, deliveredTo: reader)
            } else {
                context.measurement.count(\.mismatched, ofMessageAt: context.now)
            }
        }
    }

    @inline(__always)
    private func count(_ stamp: DeliveryMessage.Stamp, deliveredTo reader: BroadcastConnection) {
        guard stamp.publisher < reader.deliveries.count else {
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
        context.measurement.answered(on: reader.number, sentAt: stamp.time, now: now)
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
        let stamp = DeliveryMessage.Stamp(
            run: workload.message.run, number: publishedCount, publisher: UInt32(truncatingIfNeeded: number), time: time
        )
        guard send(stamp) else { return false }
        publishedCount &+= 1
        return true
    }

    override func becameReady(in context: LoadContext) {
        workload.open(self)
        super.becameReady(in: context)
    }

    private func send(_ stamp: DeliveryMessage.Stamp) -> Bool {
        if let message = workload.marked?.write(stamp, number: UInt64(publishedCount), on: number) {
            guard let pipeline else { return send(message.bytes, as: workload.kind) }
            return context.send(message.bytes, as: workload.kind, on: self, through: pipeline)
        }
        workload.message.set(stamp)
        return workload.message.withBytes { send($0, as: workload.kind) }
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        workload.search(event.line.span.bytes, receivedBy: self)
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
