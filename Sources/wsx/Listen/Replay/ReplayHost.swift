import WSCore

/// What the replay of a recording needs of the run whose clients it answers.
protocol ReplayHost: AnyObject {
    /// The loop on which everything happens.
    var loop: EventLoop { get }
    /// Whether a client is there and more can be said to it: neither its queue nor what waits for its time is full.
    func hasRoom(for client: Int) -> Bool
    /// Says something to a client after a pause.
    func say(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to client: Int)
    /// Closes a client behind what has been said.
    func closeAfterReplay(_ client: Int)
    /// Reads nothing from a client to which there is more to be said.
    func pauseForReplay(_ client: Int)
    /// Goes on reading when all has been said.
    func resumeAfterReplay(_ client: Int)
}
