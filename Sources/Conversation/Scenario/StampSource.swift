import WSCore

/// Makes the stamps of a connection's messages.
struct StampSource {
    /// The stamp of the next message.
    var next: Template.Stamp
    private var random: SeededRandom
    /// The offset from the clock of the calls to the time since 1970, in nanoseconds.
    private let clockOffset: UInt64

    init(connection: UInt64, clockOffset: UInt64, seed: UInt64) {
        next = Template.Stamp(sequence: 0, connection: connection, time: 0, seed: 0)
        random = SeededRandom(seed: seed)
        self.clockOffset = clockOffset
    }

    mutating func update(at now: UInt64) {
        next.time = (now &+ clockOffset) / 1_000_000
        next.seed = random.next()
    }

    /// A random number from 0 to less than 1.
    mutating func randomShare() -> Double { Double(random.next() >> 11) * 0x1p-53 }
}
