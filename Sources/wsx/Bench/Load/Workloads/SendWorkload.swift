import WSCore

/// As many messages one way as the server takes.
final class SendWorkload: Workload {
    private var message: EchoMessage
    private let kind: MessageKind

    /// Sends a message on all connections.
    init(_ message: consuming EchoMessage, as kind: MessageKind) {
        self.message = message
        self.kind = kind
    }

    /// Counts what the server says to that.
    var receiver: LoadReceiver { .counter }
    /// What the kernel has taken is not with the server before it closes.
    var measurementEnd: LoadMeasurement.End { .whenClosed }

    func hasNext(_ connection: LoadConnection) -> Bool { true }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        connection.sendForNothing(&message, as: kind, dueAt: time)
    }
}
