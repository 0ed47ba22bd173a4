import TestSupport
import Testing

@testable import WSCore

@Suite struct DeadPeerDetectorTests {
    @Test("owners are checked periodically, with a probe every fourth time")
    func probes() throws {
        try withWatch { loop, watch in
            let owner = Owner()
            watch.add(owner)
            // Adding an owner twice has no effect.
            watch.add(owner)
            loop.run { owner.looks.count >= 8 }
            expectEqual(owner.looks.prefix(8), [false, false, false, true, false, false, false, true])
            watch.remove(owner)
        }
    }

    @Test("removed owners are no longer checked, and later additions are")
    func removal() throws {
        try withWatch { loop, watch in
            let (first, second) = (Owner(), Owner())
            watch.add(first)
            watch.add(second)
            loop.run { !first.looks.isEmpty && !second.looks.isEmpty }
            watch.remove(first)
            let (count, otherCount) = (first.looks.count, second.looks.count)
            loop.run { second.looks.count >= otherCount + 3 }
            expectEqual(first.looks.count, count)
            // The timer stops without owners and restarts with the next.
            watch.remove(second)
            loop.advance(by: .milliseconds(5))
            watch.add(first)
            loop.run { first.looks.count > count }
            watch.remove(first)
        }
    }

    @Test("an owner can remove itself and others while it is checked")
    func removalInside() throws {
        try withWatch { loop, watch in
            let owners = (0..<10).map { _ in Owner() }
            for owner in owners {
                owner.didLook = { [unowned watch] in for other in owners { watch.remove(other) } }
                watch.add(owner)
            }
            loop.run { owners.contains { !$0.looks.isEmpty } }
            loop.advance(by: .milliseconds(5))
            expectEqual(owners.flatMap(\.looks).count, 1)
            for owner in owners { owner.didLook = {} }
        }
    }

    @Test("owners are retained until they are removed")
    func lifetime() throws {
        try withWatch { loop, watch in
            weak var kept: Owner?
            do {
                let owner = Owner()
                kept = owner
                watch.add(owner)
            }
            loop.run { kept?.looks.isEmpty == false }
            if let owner = kept { watch.remove(owner) }
            expectNil(kept)
        }
    }

    private func withWatch(_ body: (EventLoop, DeadPeerDetector) throws -> Void) throws {
        try withLoop { loop in try body(loop, DeadPeerDetector(on: loop, interval: .milliseconds(1))) }
    }
}

/// Counts its checks.
private final class Owner: PeerWatched {
    /// Whether each check was a probe.
    var looks: [Bool] = []
    var didLook: () -> Void = {}

    func lookAfterPeer(probing isProbing: Bool) {
        looks.append(isProbing)
        didLook()
    }
}
