import WSCore

/// What some connections publish and all others receive.
final class BroadcastWorkload: Workload {
    private var message: DeliveryMessage
    private let kind: MessageKind
    private let publisherCount: Int
    private(set) var readerCount = 0
    /// How many messages each reader is to receive; nil: that is not known yet.
    private var expectedCount: Int?

    /// Has the first connections of all publish, which have a schedule.
    init(_ message: consuming DeliveryMessage, as kind: MessageKind, publisherCount: Int) {
        self.message = message
        self.kind = kind
        self.publisherCount = publisherCount
    }

    var receiver: LoadReceiver { .deliveries(.passUnretained(self)) }

    // MARK: Connections

    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection {
        LoadConnection(number, publisherCount: publisherCount, of: worker)
    }

    func isSender(_ connection: LoadConnection) -> Bool { connection.number < UInt64(publisherCount) }

    func isDeserted(for worker: LoadWorker) -> Bool {
        hasReadersAlone(for: worker) ? worker.connections.isEmpty : worker.senders.isEmpty
    }

    private func hasReadersAlone(for worker: LoadWorker) -> Bool {
        worker.shard.connectionCount(of: publisherCount) == 0
    }

    // MARK: Sending

    func begin(for worker: LoadWorker) {
        readerCount = worker.connections.count - worker.senders.count
        // How long publishers send is for their threads to say.
        if hasReadersAlone(for: worker) { worker.leaveSendingToOthers() }
    }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        message.set(
            DeliveryMessage.Stamp(
                run: message.run, number: UInt32(truncatingIfNeeded: connection.ledger.next),
                publisher: UInt32(truncatingIfNeeded: connection.number), time: time))
        guard message.withBytes({ connection.send($0, as: kind) }) else { return false }
        connection.ledger.sendForNothing()
        return true
    }

    /// So many messages are to come to each reader.
    func allSent(_ count: Int, for worker: LoadWorker) {
        expectedCount = count
        if worker.phase == .loading { worker.drain() } else { worker.closeIfAnswered() }
    }

    // MARK: Deliveries

    /// Counts a message that a reader has received.
    func received(_ payload: RawSpan, as kind: MessageKind, by reader: LoadConnection, for worker: LoadWorker) {
        // What the server sends back to a publisher says nothing of the readers.
        guard !isSender(reader) else { return }
        // What else a server says, to greet or to announce somebody, is no message that was published.
        guard payload.byteCount == message.byteCount || message.isOfRun(payload) else { return }
        let stamp = message.stamp(of: payload)
        if let stamp, stamp.run != message.run { return }
        guard kind == self.kind, let stamp, stamp.publisher < reader.deliveries.count else {
            return worker.measurement.count(\.mismatched, ofMessageAt: worker.now)
        }
        let arrival = reader.deliveries[Int(stamp.publisher)].receive(stamp.number)
        guard worker.measurement.counts(stamp.time) else { return }
        switch arrival {
        case .duplicate:
            worker.measurement.tally.duplicated += 1
            return
        case .reordered: worker.measurement.tally.reordered += 1
        case .inOrder: break
        }
        reader.deliveryCount += 1
        worker.measurement.answered(sentAt: stamp.time, now: worker.now)
        if worker.phase == .draining { worker.closeIfAnswered() }
    }

    /// Whether every reader has all that was published, as far as that is known.
    func isAnswered(for worker: LoadWorker) -> Bool {
        guard let expectedCount else { return false }
        return worker.connections.values.allSatisfy { isSender($0) || $0.deliveryCount >= expectedCount }
    }
}
