import WSCore

/// What chance does to the messages for one client.
struct FaultChance {
    private let dropRate: Double
    private let delays: ClosedRange<Duration>?
    private var random: SeededRandom

    /// Makes the chance of a client.
    ///
    /// - Parameters:
    ///   - arguments: What is to happen, and how often.
    ///   - seed: What the random numbers of all clients begin with.
    ///   - client: The client's number, so that each has random numbers of its own, whoever sends first.
    init(_ arguments: FaultArguments, seed: UInt64, client: Int) {
        dropRate = arguments.dropRate
        delays = arguments.delay
        var shared = SeededRandom(seed: seed)
        // Numbers next to each other would begin sequences that overlap.
        var own = SeededRandom(seed: shared.next() &+ UInt64(truncatingIfNeeded: client))
        random = SeededRandom(seed: own.next())
    }

    /// Whether the next message is left out.
    mutating func dropsMessage() -> Bool {
        dropRate > 0 && Double.random(in: 0..<1, using: &random) < dropRate
    }

    /// How long the next message is held back.
    mutating func delay() -> Duration {
        guard let delays, delays.lowerBound < delays.upperBound else { return delays?.lowerBound ?? .zero }
        return delays.lowerBound
            + (delays.upperBound - delays.lowerBound) * Double.random(in: 0...1, using: &random)
    }
}
