import WSCore

/// What the server sends to those that have asked for it.
final class ReceiveWorkload: Workload {
    private var message: EchoMessage
    private let kind: MessageKind
    /// How many messages each connection sends to ask.
    private let count: Int

    /// Has each connection ask with so many messages, or none.
    init(_ message: consuming EchoMessage, as kind: MessageKind, count: Int) {
        self.message = message
        self.kind = kind
        self.count = count
    }

    var receiver: LoadReceiver { .counter }

    /// Asks the server for what is to be received.
    func begin(for worker: LoadWorker) {
        for connection in worker.senders {
            for _ in 0..<count {
                guard send(on: connection, dueAt: worker.now) else { break }
                worker.countSent(dueAt: worker.now)
            }
        }
    }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        connection.sendForNothing(&message, as: kind, dueAt: time)
    }
}
