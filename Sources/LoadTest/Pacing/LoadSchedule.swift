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
///
/// With random arrivals, the integral grows by an exponentially distributed number from message to message, and the
/// connection is chosen at random, so the messages of each thread and of each connection are a Poisson process, too.
package struct LoadSchedule: Equatable, Sendable {
    /// The rate of all threads over time, in messages per second.
    private let course: LoadCourse
    private let shard: Shard
    /// The number of connections of all threads, and of this thread.
    private let (allConnections, connections): (Int, Int)
    private var round = 0
    /// The random arrivals, or `nil` if messages are evenly spaced.
    private var arrivals: PoissonArrivals?
    /// The position of the next sender among this thread's connections.
    internal private(set) var position = 0

    /// Creates a schedule. The rate must be positive, and each thread needs at least one connection.
    /// - Parameter ramp: The time until the full rate is reached.
    package init(
        rate: Double, ramp: Duration = .zero, _ arrival: Arrival = .constant, connectionCount: Int, shard: Shard
    ) {
        self.init(LoadCourse(to: rate, within: ramp), arrival, connectionCount: connectionCount, shard: shard)
    }

    /// Creates a schedule with a rate that changes. Each thread needs at least one connection.
    internal init(_ course: LoadCourse, _ arrival: Arrival = .constant, connectionCount: Int, shard: Shard) {
        self.course = course
        self.shard = shard
        allConnections = connectionCount
        connections = shard.connectionCount(of: connectionCount)
        guard arrival == .poisson else { return }
        arrivals = PoissonArrivals(
            meanGap: Double(allConnections) / Double(connections),
            random: SeededRandom(seed: PoissonArrivals.firstSeed + UInt64(shard.index)))
        advance()
    }

    /// When the next message is due, in nanoseconds from the start.
    internal var offset: UInt64 { arrivals.map { offset(ofIntegral: $0.integral) } ?? offset(round, position) }

    private func offset(_ round: Int, _ position: Int) -> UInt64 {
        offset(ofIntegral: Double(round) * Double(allConnections) + Double(shard.connectionNumber(at: position)))
    }

    private func offset(ofIntegral number: Double) -> UInt64 {
        UInt64(min(course.time(ofIntegral: number) * 1e9, 0x1p62))
    }

    /// Moves on to the next message.
    internal mutating func advance() {
        if let position = arrivals?.advance(connectionCount: connections) { return self.position = position }
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
        guard arrivals == nil else { return skipArrivals(before: end, atMost: limit) }
        let passedCount = round * connections + position
        let count = Self.count(below: min(limit, Int.max / 2 - passedCount)) { number in
            let (round, position) = (passedCount + number).quotientAndRemainder(dividingBy: connections)
            return offset(round, position) < end
        }
        (round, position) = (passedCount + count).quotientAndRemainder(dividingBy: connections)
        return count
    }

    /// Draws the arrivals before a time, but of many, only the first. The rest is the expected number.
    private mutating func skipArrivals(before end: UInt64, atMost limit: Int) -> Int {
        var count = 0
        while count < min(limit, Self.mostDrawn), offset < end {
            advance()
            count += 1
        }
        guard count == Self.mostDrawn, let arrivals else { return count }
        let rest = Self.count(below: min(limit, Int.max / 2) - count) { number in
            offset(ofIntegral: arrivals.integral + Double(number) * arrivals.meanGap) < end
        }
        self.arrivals?.integral += Double(rest) * arrivals.meanGap
        return count + rest
    }

    /// The number of arrivals of which each one is drawn when they are skipped.
    private static let mostDrawn = 1 << 20

    /// The number of messages before the first that is not due, by binary search: hours at a high rate contain billions.
    private static func count(below limit: Int, isDue: (_ number: Int) -> Bool) -> Int {
        var range = 0..<limit
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isDue(middle) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// How messages of an open loop arrive at their rate.
package enum Arrival: String, CaseIterable, Sendable {
    case constant
    case poisson
}

/// The arrivals of a Poisson process.
private struct PoissonArrivals: Equatable {
    /// The seed of the first thread. Every run has the same arrivals, so the numbers of those of each of the first eight
    /// threads, and of their sums, are close to the expected ones: within 1.5 standard deviations.
    static let firstSeed: UInt64 = 0x706F_6973_736F_7108
    /// The integral of the rate at the next arrival.
    var integral = 0.0
    /// The mean growth of the integral from one arrival to the next.
    let meanGap: Double
    var random: SeededRandom

    /// Moves on to the next arrival. Returns the position of its connection.
    mutating func advance(connectionCount: Int) -> Int {
        integral += nextExponential() * meanGap
        return Int.random(in: 0..<connectionCount, using: &random)
    }

    /// A number with an exponential distribution and the mean 1 (von Neumann, Various techniques used in connection with
    /// random digits, 1951): for a first number x, the probability that a falling sequence has an odd length is e⁻ˣ.
    private mutating func nextExponential() -> Double {
        var whole = 0.0
        while true {
            let first = Double.random(in: 0..<1, using: &random)
            var (last, length) = (first, 0)
            var next = first
            repeat {
                (last, length) = (next, length + 1)
                next = Double.random(in: 0..<1, using: &random)
            } while next < last
            if length % 2 == 1 { return whole + first }
            whole += 1
        }
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
