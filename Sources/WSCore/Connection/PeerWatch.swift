/// Looks after the peers of those from whom nothing is read: it is reading that tells that a peer has gone.
///
/// While nobody is in its care it costs nothing, and otherwise a system call or two for each at each look.
internal final class PeerWatch {
    private let interval: Duration
    private var watched: [ObjectIdentifier: any PeerWatched] = [:]
    private var timer: Timer?
    private let loop: EventLoop
    private var lookCount = 0

    /// Every so many looks a peer that seems to be there is to be sent something, which fails if it is not.
    private static let looksPerProbe = 4

    /// Makes a watch that looks every `interval`, 500 ms by default.
    init(on loop: EventLoop, interval: Duration = .milliseconds(500)) {
        self.loop = loop
        self.interval = interval
    }

    /// Begins to look after a peer, if that has not begun before; until ``remove(_:)`` it keeps whom it asks.
    func add(_ owner: any PeerWatched) {
        watched[ObjectIdentifier(owner)] = owner
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in look() }
        timer.keepsLoopAlive = false
        timer.start(after: interval, every: interval)
        self.timer = timer
    }

    /// No longer looks after a peer.
    func remove(_ owner: any PeerWatched) {
        watched[ObjectIdentifier(owner)] = nil
    }

    private func look() {
        // Those who are asked may leave, and others with them.
        lookCount += 1
        let isProbing = lookCount % Self.looksPerProbe == 0
        for (identifier, owner) in watched where watched[identifier] != nil {
            owner.lookAfterPeer(probing: isProbing)
        }
        // Not before: a client that is paused and read in turns would have it made again each time.
        if watched.isEmpty { timer = nil }
    }
}

/// Has a peer from which it does not read for now.
internal protocol PeerWatched: AnyObject {
    /// Does what there is to do if the peer has gone, and if `isProbing`, finds that out by sending something.
    func lookAfterPeer(probing isProbing: Bool)
}
