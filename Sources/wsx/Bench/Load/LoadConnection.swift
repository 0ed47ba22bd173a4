import WSCore

/// One connection of a load test, of whatever kind: with a type for each, there would be a decoder for each.
final class LoadConnection: ConnectionHandler {
    /// Its number, from 0.
    let number: UInt64
    /// Which of its messages are without a reply.
    var ledger: EchoLedger
    /// What it has received of each publisher.
    var deliveries: [DeliveryLedger]
    /// How many messages of all publishers it has received that count.
    var deliveryCount = 0
    /// Whether it is to send on in the next turn.
    var isSendingOn = false
    /// When messages were due that wait for room in its queue, in nanoseconds.
    var owedTimes: [UInt64] = []
    /// Whether it is this end that closes it, so that its end is as it should be.
    var isClosing = false
    /// The connection; nil before it is open and after its end.
    var connection: Connection<LoadConnection>?
    private let receiver: LoadReceiver
    /// Outlives all of its connections, and is asked for with every message: counting references to it took a tenth of the
    /// time of one.
    private let unmanagedWorker: Unmanaged<LoadWorker>

    /// Makes the handler of a connection that is about to be opened.
    /// - Parameters:
    ///   - remembered: So many messages are remembered, or more.
    ///   - publisherCount: How many publishers it may receive something of.
    init(_ number: UInt64, remembered: Int = 1, publisherCount: Int = 0, of worker: LoadWorker) {
        self.number = number
        receiver = worker.workload.receiver
        unmanagedWorker = .passUnretained(worker)
        deliveries = Array(repeating: DeliveryLedger(), count: publisherCount)
        ledger = EchoLedger(capacity: remembered)
    }

    // MARK: Sending

    /// The message whose reply is expected next; there is one.
    @inline(__always)
    var expectedStamp: EchoMessage.Stamp {
        EchoMessage.Stamp(number: ledger.first, connection: number, time: ledger.firstTime)
    }

    /// The message that is sent next.
    @inline(__always)
    func nextStamp(dueAt time: UInt64) -> EchoMessage.Stamp {
        EchoMessage.Stamp(number: ledger.next, connection: number, time: time)
    }

    /// Whether it takes another message.
    var hasRoom: Bool { connection?.isFull == false }

    /// Sends a message; false: it takes no more.
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        connection?.send(payload, as: kind) ?? false
    }

    /// Sends a ping; false: it takes no more.
    func sendPing(_ payload: RawSpan) -> Bool {
        connection?.sendPing(payload) ?? false
    }

    /// Sends its next message, to which no reply is expected; false: it takes no more.
    func sendForNothing(_ message: inout EchoMessage, as kind: MessageKind, dueAt time: UInt64) -> Bool {
        message.set(nextStamp(dueAt: time))
        guard message.withBytes({ send($0, as: kind) }) else { return false }
        ledger.sendForNothing()
        return true
    }

    // MARK: Receiving

    /// All that is decoded now has been read by now.
    func connectionWillReceive(_ connection: Connection<LoadConnection>) {
        unmanagedWorker._withUnsafeGuaranteedRef { $0.takeTime() }
    }

    /// Checks a message and sends what may follow it.
    func connection(
        _ connection: Connection<LoadConnection>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        unmanagedWorker._withUnsafeGuaranteedRef { worker in
            switch receiver {
            case .echoes(let workload):
                workload._withUnsafeGuaranteedRef {
                    $0.received(payload, as: kind, by: self, for: worker, outbox: &outbox)
                }
            case .deliveries(let workload):
                workload._withUnsafeGuaranteedRef { $0.received(payload, as: kind, by: self, for: worker) }
            case .counter: worker.measurement.arrived(at: worker.now)
            case .pongs, .nobody: break
            }
        }
    }

    // What comes less often may count references.

    /// Checks the reply to a ping.
    func connection(_ connection: Connection<LoadConnection>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        guard case .pongs(let workload) = receiver else { return }
        workload.takeUnretainedValue().received(payload, by: self, for: unmanagedWorker.takeUnretainedValue())
    }

    /// Sends what has waited for room.
    func connectionDidDrain(_ connection: Connection<LoadConnection>) {
        unmanagedWorker.takeUnretainedValue().drained(self)
    }

    /// Reports the end.
    func connection(_ connection: Connection<LoadConnection>, didEnd end: ConnectionEnd) {
        unmanagedWorker.takeUnretainedValue().ended(self, end)
    }
}
