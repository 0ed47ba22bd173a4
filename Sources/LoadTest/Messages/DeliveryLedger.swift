/// Which messages of a publisher a reader has received.
///
///      received, but for the missing │ next …
///
/// Numbers are those of ``DeliveryMessage``: they go on from 2^32 - 1 with 0.
struct DeliveryLedger: Equatable {
    /// What a message is to its reader.
    enum Arrival: Equatable {
        /// The next one, or a later one.
        case inOrder
        /// One that came after a later one.
        case reordered
        /// One that was there before.
        case duplicate
    }

    /// The number of the first message that has not been looked for.
    private var next: UInt32 = 0
    /// Numbers before it that have not come, in their order.
    private var missing: [UInt32] = []

    /// The most missing numbers that are kept; half of them are forgotten when there are more, and count as duplicates if
    /// they come after all.
    private static let mostMissing = 4096

    /// Enters a message.
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
        // A gap of any size costs no more than what is kept of it.
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
