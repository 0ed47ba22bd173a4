/// Checks whether the peers of paused connections are still there: a connection that does not read cannot notice that
/// its peer has gone.
///
/// It costs nothing while no connection is paused, and otherwise one or two system calls per connection and check.
internal final class DeadPeerDetector {
    private let interval: Duration
    private var watched: [ObjectIdentifier: any PeerWatched] = [:]
    private var timer: Timer?
    private let loop: EventLoop
    private var lookCount = 0

    /// One check in this many also sends something to the peer, which fails if the peer has gone.
    private static let looksPerProbe = 4

    /// Creates a detector that checks every `interval`, 500 ms by default.
    init(on loop: EventLoop, interval: Duration = .milliseconds(500)) {
        self.loop = loop
        self.interval = interval
    }

    /// Starts to check the peer of `owner`, and retains `owner` until ``remove(_:)``.
    func add(_ owner: any PeerWatched) {
        watched[ObjectIdentifier(owner)] = owner
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in look() }
        timer.keepsLoopAlive = false
        timer.start(after: interval, every: interval)
        self.timer = timer
    }

    /// Stops checking the peer of `owner`.
    func remove(_ owner: any PeerWatched) {
        // Each connection calls this several times, and hashing takes longer than all else.
        if !watched.isEmpty { watched[ObjectIdentifier(owner)] = nil }
    }

    private func look() {
        // An owner may remove itself and others while it is called.
        lookCount += 1
        let isProbing = lookCount % Self.looksPerProbe == 0
        for (identifier, owner) in watched where watched[identifier] != nil {
            owner.lookAfterPeer(probing: isProbing)
        }
        // Not in remove(_:): a connection that alternates between paused and reading would create a timer each time.
        if watched.isEmpty { timer = nil }
    }
}

/// A paused connection.
internal protocol PeerWatched: AnyObject {
    /// Ends the connection if the peer has gone.
    /// - Parameter isProbing: Whether to send something, to find out.
    func lookAfterPeer(probing isProbing: Bool)
}
