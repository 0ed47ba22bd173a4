import WSCore

/// What a thread of a load test and the one that directs it tell each other while it runs.
struct LoadPost: Sendable {
    /// How opening the connections went.
    var openCount = 0
    /// Why one of them was not opened.
    var failure: Failure?
    /// When the load begins, on the loops' clock in nanoseconds.
    var startTime: UInt64 = 0
}
