import WSCore

/// One connection of a load test.
final class LoadConnection: ConnectionHandler {
    /// Its number, from 0.
    let number: UInt64
    /// Which of its messages are without a reply.
    var ledger: EchoLedger
    /// What it has received of each publisher.
    var deliveries: [DeliveryLedger] = []
    /// How many messages of all publishers it has received that count.
    var deliveryCount = 0
    /// When messages were due that wait for room in its queue, in nanoseconds.
    var owedTimes: [UInt64] = []
    /// The connection; nil before it is open and after its end.
    var connection: Connection<LoadConnection>?
    /// Outlives all of its connections, and is asked for with every message: counting references to it took a tenth of the
    /// time of one.
    private let unmanagedWorker: Unmanaged<LoadWorker>

    /// Makes the handler of a connection that is about to be opened.
    /// - Parameter remembered: So many messages are remembered, or more.
    init(_ number: UInt64, remembered: Int, publisherCount: Int, of worker: LoadWorker) {
        self.number = number
        unmanagedWorker = .passUnretained(worker)
        deliveries = Array(repeating: DeliveryLedger(), count: publisherCount)
        ledger = EchoLedger(capacity: remembered)
    }

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

    private var worker: LoadWorker { unmanagedWorker.takeUnretainedValue() }

    /// All that is decoded now has been read by now.
    func connectionWillReceive(_ connection: Connection<LoadConnection>) {
        worker.takeTime()
    }

    /// Checks a reply and sends what may follow it.
    func connection(
        _ connection: Connection<LoadConnection>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        unmanagedWorker._withUnsafeGuaranteedRef { worker in
            switch worker.mode {
            case .echo: worker.receivedEcho(payload, as: kind, by: self, outbox: &outbox)
            case .broadcast: worker.receivedDelivery(payload, as: kind, by: self)
            case .send, .receive: worker.receivedMessage()
            case .connect, .idle: break
            }
        }
    }

    /// Checks the reply to a ping.
    func connection(_ connection: Connection<LoadConnection>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        if worker.mode == .idle { worker.receivedPong(payload, by: self, outbox: &outbox) }
    }

    /// Sends what has waited for room.
    func connectionDidDrain(_ connection: Connection<LoadConnection>) {
        worker.drained(self)
    }

    /// Reports the end.
    func connection(_ connection: Connection<LoadConnection>, didEnd end: ConnectionEnd) {
        worker.ended(self, end)
    }
}
