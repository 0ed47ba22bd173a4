/// The part of a load that one of `count` threads carries: the connections `index`, `index + count`, `index + 2·count`, ….
struct Shard: Equatable, Sendable {
    /// The number of the thread, from 0.
    let index: Int
    /// The number of threads; at most the number of connections.
    let count: Int

    /// The number of its connections.
    /// - Parameter total: The number of connections of all threads.
    func connectionCount(of total: Int) -> Int {
        total > index ? (total - index + count - 1) / count : 0
    }

    /// The number of a connection among those of all threads, given its position among those of this thread.
    func connectionNumber(at position: Int) -> UInt64 {
        UInt64(index + position * count)
    }

    /// The number of messages it sends. The connections take turns.
    /// - Parameters:
    ///   - total: The number of messages of all threads.
    ///   - all: The number of connections of all threads.
    func messageCount(of total: Int, connectionCount all: Int) -> Int {
        total / all * connectionCount(of: all) + connectionCount(of: total % all)
    }
}
