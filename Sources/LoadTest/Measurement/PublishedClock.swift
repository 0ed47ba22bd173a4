import WSCore

/// The comparison of the clocks of publishers elsewhere with the one of this end.
package struct PublishedClock: Equatable, Sendable {
    /// The number of messages that arrived before they were sent, according to the clocks. They have no latency.
    package internal(set) var negativeCount = 0
    /// The largest such difference in nanoseconds.
    package internal(set) var mostNegative: UInt64 = 0
    /// The number of messages without a time, or with one that is more than ``mostDistant`` away.
    package internal(set) var withoutTimeCount = 0

    /// The largest plausible difference in nanoseconds, in either direction: a day.
    static let mostDistant: Int64 = 86_400_000_000_000

    /// Counts a message that arrived before it was sent.
    /// - Parameter difference: In nanoseconds.
    internal mutating func countNegative(by difference: UInt64) {
        negativeCount += 1
        mostNegative = max(mostNegative, difference)
    }

    /// Adds the messages of another load.
    internal mutating func add(_ other: PublishedClock) throws(BenchResultsError) {
        negativeCount = try negativeCount.adding(checking: other.negativeCount)
        withoutTimeCount = try withoutTimeCount.adding(checking: other.withoutTimeCount)
        mostNegative = max(mostNegative, other.mostNegative)
    }
}

extension PublishedClock? {
    /// Adds the messages of another load, if there are any.
    internal mutating func add(_ other: PublishedClock?) throws(BenchResultsError) {
        guard let other else { return }
        if self == nil { self = other } else { try self?.add(other) }
    }
}
