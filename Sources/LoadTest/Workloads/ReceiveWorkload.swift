import WSCore

extension BenchMode {
    /// Counts received messages.
    public static let receive = BenchMode(
        ModeDescriptor(
            name: "receive",
            summary: "count the messages that the server sends",
            manual: """
                Count the messages that the server sends during `--duration`. `--message` sends a message on each \
                connection first, for instance to subscribe. There are no latencies.
                """,
            options: [.connectRate, .message, .file, .binary],
            wording: ModeWording(
                title: "Receive test", titleNamesMessages: false, countedThings: "messages received"),
            metrics: ModeMetrics(hasLatencies: false),
            load: ModeLoad(messages: .whenGiven),
            makeWorkload: { ReceiveWorkload($0) }))
}

/// Counts the server's messages, optionally after sending a request for them.
internal final class ReceiveWorkload: Workload {
    let context: LoadContext
    private var message: EchoMessage

    /// Creates a workload in which each connection first sends the plan's messages, if any.
    init(_ context: LoadContext) {
        self.context = context
        message = context.plan.makeEchoMessage(clockOffset: context.clockOffset)
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler { ReceiveConnection(number, in: context) }

    /// Sends the messages that ask the server for its own.
    func begin() {
        for connection in context.senders {
            for number in context.plan.messages.templates.indices {
                message.set(
                    EchoMessage.Stamp(number: UInt64(number), connection: connection.number, time: context.now))
                let isSent = message.withBytes { connection.port?.send($0, as: context.plan.messages.kind) ?? false }
                guard isSent else { break }
                context.countSent(dueAt: context.now)
            }
        }
    }
}

/// A connection that counts received messages.
internal final class ReceiveConnection: LoadConnection, LoadHandler {
    func connection(
        _ connection: Connection<ReceiveConnection>, received payload: RawSpan, as kind: MessageKind,
        outbox: inout Outbox
    ) {
        context._withUnsafeGuaranteedRef { context in
            if context.takesIntoExchange(payload, on: self, outbox: &outbox) { return }
            context.measurement.arrived(at: context.now)
        }
    }
}
