import CSystem
import Testing

@testable import WSCore

/// Time under a test's control.
///
/// "Nothing is left to do" is exact for everything that the loop's thread drives, including both ends of a connection:
/// the kernel usually makes written bytes readable before the write returns. It includes name lookups on other threads, but not
/// the work of other processes.
extension EventLoop {
    /// Runs until nothing is left to do but wait.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) {
        advance(by: .zero, sourceLocation: sourceLocation)
    }

    /// Lets time pass without waiting. Timers fire in order, each after all work that precedes it.
    func advance(by time: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        var left = time.nanoseconds
        var isDone = false
        runTurns(until: { isDone }, sourceLocation: sourceLocation) { [unowned self] limit in
            let step = min(left, limit ?? left)
            if step == 0 { isDone = true } else { simulation.skippedNanoseconds += step }
            left -= step
        }
    }

    /// Runs until `isDone` returns true, and skips waits for timers. Records an issue if no timer is left.
    func advance(sourceLocation: SourceLocation = #_sourceLocation, until isDone: () -> Bool) {
        var isStuck = false
        runTurns(until: { isStuck || isDone() }, sourceLocation: sourceLocation) { [unowned self] limit in
            if let limit { simulation.skippedNanoseconds += limit } else { isStuck = true }
        }
        // A segment may still be on its way through a busy kernel.
        let (previous, deadline) = (simulation.wait, wsx_monotonic_time() + 10_000_000_000)
        simulation.wait = { _ in 5 }
        while !isDone(), wsx_monotonic_time() < deadline { runOnce() }
        simulation.wait = previous
        if !isDone() { Issue.record("the condition is not met, and no timer is left", sourceLocation: sourceLocation) }
    }

    /// Makes ``run()`` skip all waits for timers.
    func skipWaits() {
        simulation.wait = { [unowned self] limit in
            guard let limit, !awaitsLookup else { return limit.map { Int32($0 / 1_000_000) + 1 } ?? -1 }
            simulation.skippedNanoseconds += limit
            return 0
        }
    }

    private var awaitsLookup: Bool { mailboxUse.map { $0.lookupCount > 0 } ?? false }

    /// Runs turns without waiting.
    /// - Parameter wait: Called if nothing is left to do but wait for a number of nanoseconds (`nil`: no limit).
    private func runTurns(
        until isDone: () -> Bool, sourceLocation: SourceLocation, wait: @escaping (UInt64?) -> Void
    ) {
        let previous = simulation.wait
        defer { simulation.wait = previous }
        // The end of the turn in which the test has acted, without a wait.
        simulation.wait = nil
        runOnce()
        var idleTurn: UInt64?
        simulation.wait = { [unowned self] limit in
            guard !awaitsLookup else { return 10 }
            guard turnCount == idleTurn else {
                // A busy kernel may deliver TCP segments on another thread.
                idleTurn = turnCount + 1
                return 5
            }
            wait(limit)
            return 0
        }
        let deadline = wsx_monotonic_time() + 60_000_000_000
        while !isDone() {
            runOnce()
            if wsx_monotonic_time() > deadline {
                Issue.record("the loop is still busy after a minute", sourceLocation: sourceLocation)
                return
            }
        }
    }
}
