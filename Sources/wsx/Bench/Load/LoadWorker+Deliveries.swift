import WSCore

// What publishers send and readers receive.
extension LoadWorker {
    /// Whether a connection is one that publishes, and does not read.
    func isPublisher(_ load: LoadConnection) -> Bool {
        mode == .broadcast && load.number < UInt64(settings.arguments.publisherCount)
    }

    /// Whether it has readers alone.
    var isWaitingForOthers: Bool {
        mode == .broadcast && share.connectionCount(of: settings.arguments.publisherCount) == 0
    }

    /// Sends the next message of a publisher.
    func publish(on load: LoadConnection, dueAt time: UInt64) -> Bool {
        guard let connection = load.connection else { return false }
        let number = load.ledger.next
        delivery.set(
            DeliveryMessage.Stamp(
                run: delivery.run, number: UInt32(truncatingIfNeeded: number),
                publisher: UInt32(truncatingIfNeeded: load.number),
                time: time))
        guard delivery.withBytes({ connection.send($0, as: kind) }) else { return false }
        load.ledger.sendForNothing()
        return true
    }

    /// Counts a message that a reader has received.
    func receivedDelivery(_ payload: RawSpan, as kind: MessageKind, by load: LoadConnection) {
        // What the server sends back to a publisher says nothing of the readers.
        guard !isPublisher(load) else { return }
        // What else a server says, to greet or to announce somebody, is no message that was published.
        guard payload.byteCount == delivery.byteCount || delivery.isOfRun(payload) else { return }
        let stamp = delivery.stamp(of: payload)
        if let stamp, stamp.run != delivery.run { return }
        guard kind == self.kind, let stamp, stamp.publisher < load.deliveries.count else {
            return measurement.count(\.mismatched, ofMessageAt: now)
        }
        let arrival = load.deliveries[Int(stamp.publisher)].receive(stamp.number)
        guard measurement.counts(stamp.time) else { return }
        switch arrival {
        case .duplicate:
            measurement.tally.duplicated += 1
            return
        case .reordered: measurement.tally.reordered += 1
        case .inOrder: break
        }
        load.deliveryCount += 1
        measurement.answered(sentAt: stamp.time, now: now)
        if phase == .draining { closeIfAnswered() }
    }

    /// All threads have sent what they had to: so many messages are to come to each reader.
    func settle(_ sentCount: Int) {
        expectedDeliveries = sentCount
        if phase == .loading { drain() } else { closeIfAnswered() }
    }

    /// Whether every reader has all that was published, as far as that is known.
    var hasAllDeliveries: Bool {
        guard let expectedDeliveries else { return false }
        return connections.values.allSatisfy { isPublisher($0) || $0.deliveryCount >= expectedDeliveries }
    }
}
