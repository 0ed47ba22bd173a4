import WSCore

extension BenchMode {
    /// Sends messages without waiting for replies.
    package static let send = BenchMode(
        name: "send",
        summary: "measure how fast the server reads messages",
        manual: """
            Send messages one way, as fast as the server reads them or at `--rate`. Replies are counted as \
            received but not checked, and there are no latencies. A message counts as sent when the kernel accepts \
            it. The kernel may buffer several megabytes per connection: run for at least a few seconds to measure \
            the server. With `--messages`, the duration includes the time until the server has read all messages.
            """,
        options: [.connectRate, .messages, .rate, .ramp, .lifetime, .stages, .message, .file, .size, .binary],
        wording: ModeWording(title: "Send test", titleNamesMessages: true, countedThings: "messages sent"),
        metrics: ModeMetrics(hasLatencies: false, rate: .sent),
        // Only sent messages count, and queued ones are not sent yet.
        load: ModeLoad(messages: .always, queueLimitBytes: 16 << 10),
        makeWorkload: { SendWorkload($0) })
}

/// Sends messages one way, as fast as the server accepts them.
internal final class SendWorkload: Workload {
    let context: LoadContext
    private var message: EchoMessage
    private let kind: MessageKind

    /// Creates a workload that sends the plan's messages on all connections.
    init(_ context: LoadContext) {
        self.context = context
        message = context.factory.makeEchoMessage()
        kind = context.plan.messages.kind
    }

    /// The period ends when connections close, because data in the kernel's buffers has not reached the server yet.
    var measurementEnd: LoadMeasurement.End { .whenClosed }

    func makeConnection(_ number: UInt64) -> any LoadHandler { SendConnection(number, of: self) }

    fileprivate func send(on connection: SendConnection, dueAt time: UInt64) -> Bool {
        let stamp = EchoMessage.Stamp(number: connection.sentCount, connection: connection.number, time: time)
        message.set(stamp)
        return message.withBytes { connection.send($0, as: kind) }
    }
}

/// A connection that only sends.
internal final class SendConnection: LoadConnection, LoadHandler {
    private let workload: SendWorkload
    fileprivate private(set) var sentCount: UInt64

    init(_ number: UInt64, of workload: SendWorkload) {
        self.workload = workload
        sentCount = workload.context.connections.earlier(number).messageCount
        super.init(number, in: workload.context)
    }

    override var hasNext: Bool { true }
    override var messageCount: UInt64 { sentCount }

    override func send(dueAt time: UInt64) -> Bool {
        guard workload.send(on: self, dueAt: time) else { return false }
        sentCount &+= 1
        return true
    }

    /// Counts a message from the server.
    func connection(_ connection: Connection<SendConnection>, received payload: RawSpan, as kind: MessageKind) {
        context.receive(payload, as: kind, on: self) { _ in context.measurement.arrived(at: context.now) }
    }
}
