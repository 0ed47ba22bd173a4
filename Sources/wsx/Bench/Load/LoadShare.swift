/// The part of a load that one of several threads has: every so-manieth connection.
struct LoadShare: Equatable, Sendable {
    /// Which of the threads it is, from 0.
    let index: Int
    /// The number of threads, not more than there are connections.
    let count: Int

    /// How many of so many connections it has.
    func connectionCount(of total: Int) -> Int {
        total > index ? (total - index + count - 1) / count : 0
    }

    /// The number of a connection in the whole load, given its position among those of the thread.
    func connectionNumber(at position: Int) -> UInt64 {
        UInt64(index + position * count)
    }

    /// How many of so many messages it sends: the connections take turns.
    func messageCount(of total: Int, connectionCount all: Int) -> Int {
        total / all * connectionCount(of: all) + connectionCount(of: total % all)
    }
}
