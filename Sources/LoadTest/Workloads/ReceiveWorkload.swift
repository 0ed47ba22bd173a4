import Conversation
import Formats
import WSCore

extension BenchMode {
    /// Counts received messages.
    package static let receive = BenchMode(
        name: "receive",
        summary: "count the messages that the server sends",
        manual: """
            Count the messages that the server sends during `--duration`. `--message` sends a message on each \
            connection first, for instance to subscribe. There are no latencies, except with `--latency-from`. With \
            `--protocol`, the events of the protocol are counted, and `--message` sends lines.
            """,
        options: [
            .connectRate, .lifetime, .stages, .message, .file, .binary, .heartbeatMessage, .applicationProtocol,
        ],
        ownOptions: [.latencyFrom],
        wording: ModeWording(
            title: "Receive test", titleNamesMessages: false, countedThings: "messages received"),
        metrics: ModeMetrics(hasLatencies: false),
        load: ModeLoad(messages: .whenGiven),
        problem: { $0.protocolProblem(needsReplies: false) },
        makeWorkload: { ReceiveWorkload($0) })
}

/// Counts the server's messages, optionally after sending a request for them.
internal final class ReceiveWorkload: Workload {
    let context: LoadContext
    fileprivate var message: EchoMessage

    /// Creates a workload in which each connection first sends the plan's messages, if any.
    init(_ context: LoadContext) {
        self.context = context
        message = context.factory.makeEchoMessage()
        if context.plan.publishedTime != nil { context.measurement.publishedClock = PublishedClock() }
    }

    /// Counts a message, and records how long ago it was sent.
    fileprivate func arrived(_ payload: RawSpan, on connection: ReceiveConnection) {
        guard let path = context.plan.publishedTime else { return context.measurement.arrived(at: context.now) }
        let now = Int64(truncatingIfNeeded: context.now &+ context.factory.clockOffset)
        let age = PublishedTime.nanoseconds(at: path, in: payload).flatMap { time in
            let (age, overflow) = now.subtractingReportingOverflow(time)
            return overflow ? nil : age
        }
        context.measurement.arrived(at: context.now, on: connection.number, aged: age)
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler { ReceiveConnection(number, of: self) }
}

/// A connection that asks the server for its messages and counts them.
internal final class ReceiveConnection: LoadConnection, LoadHandler {
    private let workload: ReceiveWorkload
    private var sentCount = 0
    /// The number of the first message.
    private let firstNumber: UInt64

    init(_ number: UInt64, of workload: ReceiveWorkload) {
        self.workload = workload
        firstNumber = workload.context.connections.earlier(number).messageCount
        super.init(number, in: workload.context)
    }

    override var hasNext: Bool { sentCount < context.plan.messages.templates.count }

    override var messageCount: UInt64 { firstNumber + UInt64(sentCount) }

    override func send(dueAt time: UInt64) -> Bool {
        workload.message.set(EchoMessage.Stamp(number: messageCount, connection: number, time: time))
        guard sendMessage() else { return false }
        sentCount += 1
        return true
    }

    private func sendMessage() -> Bool {
        let kind = context.plan.messages.kind
        guard let pipeline else { return workload.message.withBytes { send($0, as: kind) } }
        return workload.message.withBytes { context.send($0, as: kind, on: self, through: pipeline) }
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        workload.arrived(event.payload.span.bytes, on: self)
    }

    func connection(_ connection: Connection<ReceiveConnection>, received payload: RawSpan, as kind: MessageKind) {
        receive(payload, as: kind)
    }

    /// Counts a message.
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        context.receive(payload, as: kind, on: self) { workload.arrived($0, on: self) }
    }
}
