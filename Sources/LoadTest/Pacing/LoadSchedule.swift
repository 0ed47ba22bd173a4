import WSCore

/// The due times of one thread's messages in an open loop, and the connections to send them on.
///
///      rate │      ┌──────────
///           │    ╱
///           │  ╱
///           └──────┴──────────
///             ramp
///
/// The messages of all threads together are evenly spaced while the rate is constant, and connections take turns:
/// message *g* belongs to connection *g* mod *connections*. It is due when the integral of the rate reaches *g*.
package struct LoadSchedule: Equatable, Sendable {
    /// The rate of all threads over time, in messages per second.
    private let course: LoadCourse
    private let shard: Shard
    /// The number of connections of all threads, and of this thread.
    private let (allConnections, connections): (Int, Int)
    private var round = 0
    /// The position of the next sender among this thread's connections.
    internal private(set) var position = 0

    /// Creates a schedule. The rate must be positive, and each thread needs at least one connection.
    /// - Parameter ramp: The time until the full rate is reached.
    package init(rate: Double, ramp: Duration = .zero, connectionCount: Int, shard: Shard) {
        self.init(LoadCourse(to: rate, within: ramp), connectionCount: connectionCount, shard: shard)
    }

    /// Creates a schedule with a rate that changes. Each thread needs at least one connection.
    internal init(_ course: LoadCourse, connectionCount: Int, shard: Shard) {
        self.course = course
        self.shard = shard
        allConnections = connectionCount
        connections = shard.connectionCount(of: connectionCount)
    }

    /// When the next message is due, in nanoseconds from the start.
    internal var offset: UInt64 { offset(round, position) }

    private func offset(_ round: Int, _ position: Int) -> UInt64 {
        let number = Double(round) * Double(allConnections) + Double(shard.connectionNumber(at: position))
        return UInt64(min(course.time(ofIntegral: number) * 1e9, 0x1p62))
    }

    /// Moves on to the next message.
    internal mutating func advance() {
        position += 1
        guard position == connections else { return }
        position = 0
        round += 1
    }

    /// Skips the messages that are due before a time and returns their number.
    /// - Parameters:
    ///   - end: The time, in nanoseconds from the start.
    ///   - limit: The maximum number of messages to skip.
    internal mutating func skip(before end: UInt64, atMost limit: Int) -> Int {
        let passedCount = round * connections + position
        // Binary search, because hours at a high rate contain billions of messages.
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

/// The share of a load carried by one of `count` threads: the connections `index`, `index + count`, `index + 2·count`,
/// ….
package struct Shard: Equatable, Sendable {
    /// The number of the thread, starting at 0.
    package let index: Int
    /// The number of threads; at most the number of connections.
    package let count: Int

    /// Creates the share of a thread.
    package init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }

    /// The number of the thread's connections.
    /// - Parameter total: The number of connections of all threads.
    package func connectionCount(of total: Int) -> Int {
        total > index ? (total - index + count - 1) / count : 0
    }

    /// The number of a connection among those of all threads, for a position in this thread.
    package func connectionNumber(at position: Int) -> UInt64 {
        UInt64(index + position * count)
    }

    /// The number of messages the thread sends. Connections take turns.
    /// - Parameters:
    ///   - total: The number of messages of all threads.
    ///   - all: The number of connections of all threads.
    package func messageCount(of total: Int, connectionCount all: Int) -> Int {
        total / all * connectionCount(of: all) + connectionCount(of: total % all)
    }
}
