/// The messages of a publisher that a reader has received.
///
///      received or missing │ next …
///
/// Numbers are those of ``DeliveryMessage``; 2^32 - 1 is followed by 0.
struct DeliveryLedger: Equatable {
    /// The classification of a received message.
    enum Arrival: Equatable {
        /// The next message, or a later one.
        case inOrder
        /// A message received after a later one.
        case reordered
        /// A message that was received before.
        case duplicate
    }

    /// The number of the next expected message.
    private var next: UInt32 = 0
    /// Earlier numbers that have not been received, in order.
    private var missing: [UInt32] = []

    /// The maximum number of missing numbers to keep. Above it, half of them are forgotten, and count as duplicates if
    /// they arrive later.
    private static let mostMissing = 4096

    /// Records a message.
    mutating func receive(_ number: UInt32) -> Arrival {
        let distance = Int32(truncatingIfNeeded: Int64(number) - Int64(next))
        guard distance < 0 else {
            if distance > 0 { skip(to: number) }
            next = number &+ 1
            return .inOrder
        }
        guard let index = missing.firstIndex(of: number) else { return .duplicate }
        missing.remove(at: index)
        return .reordered
    }

    private mutating func skip(to number: UInt32) {
        // Limit the cost of a large gap to the numbers that are kept.
        let gap = number &- next
        if gap > UInt32(Self.mostMissing) {
            missing.removeAll()
            next = number &- UInt32(Self.mostMissing)
        }
        if missing.count + Int(number &- next) > Self.mostMissing {
            missing.removeFirst(min(missing.count, Self.mostMissing / 2))
        }
        while next != number {
            missing.append(next)
            next &+= 1
        }
    }
}
