import WSCore

/// When the messages of an open loop are due, and on which connections: those of one thread.
///
///      rate │      ┌──────────
///           │    ╱
///           │  ╱
///           └──────┴──────────
///             ramp
///
/// The messages of all threads together are evenly spaced, and the connections take turns: message *g* belongs to
/// connection *g* mod *connections*.
public struct LoadSchedule: Equatable, Sendable {
    /// Messages a second, of all threads.
    private let rate: Double
    /// How long it takes until there are so many, in seconds.
    private let ramp: Double
    private let shard: Shard
    /// The connections of all threads, and those of this one.
    private let (allConnections, connections): (Int, Int)
    private var round = 0
    /// Which connection of this thread is to send.
    internal private(set) var position = 0

    /// Makes a schedule of more than 0 messages a second and with a connection or more for each thread.
    public init(rate: Double, ramp: Duration = .zero, connectionCount: Int, shard: Shard) {
        self.rate = rate
        self.ramp = ramp / .seconds(1)
        self.shard = shard
        allConnections = connectionCount
        connections = shard.connectionCount(of: connectionCount)
    }

    /// When the next message is due, in nanoseconds from the beginning.
    internal var offset: UInt64 { offset(round, position) }

    private func offset(_ round: Int, _ position: Int) -> UInt64 {
        let number = Double(round) * Double(allConnections) + Double(shard.connectionNumber(at: position))
        let rampCount = rate * ramp / 2
        let seconds =
            number < rampCount ? (2 * ramp * number / rate).squareRoot() : ramp + (number - rampCount) / rate
        return UInt64(min(seconds * 1e9, 0x1p62))
    }

    /// Goes on to the next message.
    internal mutating func advance() {
        position += 1
        guard position == connections else { return }
        position = 0
        round += 1
    }

    /// Passes over the messages that are due before a time, and returns how many these are.
    /// - Parameters:
    ///   - end: That time, in nanoseconds from the beginning.
    ///   - limit: No more are passed over.
    internal mutating func skip(before end: UInt64, atMost limit: Int) -> Int {
        let passedCount = round * connections + position
        // Found by halving: hours of a high rate are billions of messages.
        var range = 0..<min(limit, Int.max / 2 - passedCount)
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let (round, position) = (passedCount + middle).quotientAndRemainder(dividingBy: connections)
            range = offset(round, position) < end ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        let count = range.lowerBound
        (round, position) = (passedCount + count).quotientAndRemainder(dividingBy: connections)
        return count
    }
}

/// The part of a load that one of `count` threads carries: the connections `index`, `index + count`, `index + 2·count`, ….
public struct Shard: Equatable, Sendable {
    /// The number of the thread, from 0.
    public let index: Int
    /// The number of threads; at most the number of connections.
    public let count: Int

    /// Makes the part of a thread.
    public init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }

    /// The number of its connections.
    /// - Parameter total: The number of connections of all threads.
    public func connectionCount(of total: Int) -> Int {
        total > index ? (total - index + count - 1) / count : 0
    }

    /// The number of a connection among those of all threads, given its position among those of this thread.
    public func connectionNumber(at position: Int) -> UInt64 {
        UInt64(index + position * count)
    }

    /// The number of messages it sends. The connections take turns.
    /// - Parameters:
    ///   - total: The number of messages of all threads.
    ///   - all: The number of connections of all threads.
    public func messageCount(of total: Int, connectionCount all: Int) -> Int {
        total / all * connectionCount(of: all) + connectionCount(of: total % all)
    }
}
