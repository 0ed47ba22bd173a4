import WSCore

extension BenchMode {
    /// Sends messages without waiting for replies.
    public static let send = BenchMode(
        ModeDescriptor(
            name: "send",
            summary: "as many messages one way as the server takes",
            manual: """
                Send messages one way, as fast as the server takes them or at `--rate`. What it answers is counted as \
                received, and not looked at; there are no latencies. Sent is what the system has taken to send: it may hold \
                some megabytes for each connection, so that only a run of some seconds tells what the server takes. A number \
                of messages (`--messages`) takes until the server has read all of them.
                """,
            options: [.connectRate, .messages, .rate, .ramp, .message, .file, .size, .binary],
            wording: ModeWording(title: "Sending", titleNamesMessages: true, countedThings: "messages sent"),
            metrics: ModeMetrics(hasLatencies: false, rate: .sent),
            // Only sent messages count, and queued ones are not sent yet.
            load: ModeLoad(messages: .always, queueLimitBytes: 16 << 10),
            makeWorkload: { SendWorkload($0) }))
}

/// Sends messages one way, as fast as the server accepts them.
internal final class SendWorkload: Workload {
    let context: LoadContext
    private var message: EchoMessage
    private let kind: MessageKind

    /// Creates a workload that sends the plan's messages on all connections.
    init(_ context: LoadContext) {
        self.context = context
        message = context.plan.makeEchoMessage(clockOffset: context.clockOffset)
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
    /// Not retained: the workload outlives its connections.
    private let workload: Unmanaged<SendWorkload>
    fileprivate private(set) var sentCount: UInt64 = 0

    init(_ number: UInt64, of workload: SendWorkload) {
        self.workload = .passUnretained(workload)
        super.init(number, in: workload.context)
    }

    override var hasNext: Bool { true }

    override func send(dueAt time: UInt64) -> Bool {
        guard workload._withUnsafeGuaranteedRef({ $0.send(on: self, dueAt: time) }) else { return false }
        sentCount &+= 1
        return true
    }

    /// Counts a message from the server.
    func connection(
        _ connection: Connection<SendConnection>, received payload: RawSpan, as kind: MessageKind,
        outbox: inout Outbox
    ) {
        context._withUnsafeGuaranteedRef { $0.measurement.arrived(at: $0.now) }
    }
}
