import WSCore

/// What the rules for messages that go to all clients, or keep all of them waiting, need of the run that they hold for.
protocol BroadcastHost: AnyObject {
    /// The loop on which everything happens.
    var loop: EventLoop { get }
    /// How many clients there are.
    var clientCount: Int { get }
    /// The clients whose queues are full, but for one; those that are being closed do not count.
    func fullReaders(but sender: Int?) -> [Int]
    /// What a client has not taken, in bytes; nil: it has left, or is being closed.
    func unsentBytes(of reader: Int) -> Int?
    /// Has a client that keeps others waiting wait itself, or the input (nil).
    func pauseSender(_ sender: Int?, for reason: PauseReasons)
    /// Has it go on, unless there are other reasons not to.
    func resumeSender(_ sender: Int?, after reason: PauseReasons)
    /// Closes a client that holds up the others.
    func close(slowReader reader: Int, because fault: String)
}
