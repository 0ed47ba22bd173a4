import UserInterface
import WSCore

/// The random faults in the messages to one client.
struct FaultChance {
    private let dropRate: Double
    private let delays: ClosedRange<Duration>?
    private var random: SeededRandom

    /// Creates the random faults of a client.
    ///
    /// - Parameters:
    ///   - arguments: The kinds of faults and their rates.
    ///   - seed: The seed shared by all clients.
    ///   - client: The client's number. It gives each client its own random sequence, independent of the order of
    ///     sending.
    init(_ arguments: FaultArguments, seed: UInt64, client: Int) {
        dropRate = arguments.dropRate
        delays = arguments.delay
        var shared = SeededRandom(seed: seed)
        // Adjacent seeds would generate overlapping sequences.
        var own = SeededRandom(seed: shared.next() &+ UInt64(truncatingIfNeeded: client))
        random = SeededRandom(seed: own.next())
    }

    /// Whether to drop the next message.
    mutating func dropsMessage() -> Bool {
        dropRate > 0 && Double.random(in: 0..<1, using: &random) < dropRate
    }

    /// The delay of the next message.
    mutating func delay() -> Duration {
        guard let delays, delays.lowerBound < delays.upperBound else { return delays?.lowerBound ?? .zero }
        return delays.lowerBound
            + (delays.upperBound - delays.lowerBound) * Double.random(in: 0...1, using: &random)
    }
}
