import CLibuv
import Testing

@testable import WSCore

/// Time under a test's control.
///
/// "Nothing is left to do" is exact for everything that the loop's thread drives, including both ends of a connection:
/// the kernel usually makes written bytes readable before the write returns. It includes lookups on libuv's threads, but not
/// the work of other processes.
extension EventLoop {
    /// Runs until nothing is left to do but wait.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) {
        advance(by: .zero, sourceLocation: sourceLocation)
    }

    /// Lets time pass without waiting. Timers fire in order, each after all work that precedes it.
    func advance(by time: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        var left = time.milliseconds
        var isDone = false
        runTurns(until: { isDone }, sourceLocation: sourceLocation) { [unowned self] limit in
            let step = limit < 0 ? left : min(left, UInt64(limit))
            if step == 0 { isDone = true } else { skip(step) }
            left -= step
        }
    }

    /// Runs until `isDone` returns true, and skips waits for timers. Records an issue if no timer is left.
    func advance(sourceLocation: SourceLocation = #_sourceLocation, until isDone: () -> Bool) {
        var isStuck = false
        runTurns(until: { isStuck || isDone() }, sourceLocation: sourceLocation) { [unowned self] limit in
            if limit > 0 { skip(UInt64(limit)) } else { isStuck = true }
        }
        // A segment may still be on its way through a busy kernel.
        let (previousHook, deadline) = (waitHook, uv_hrtime() + 10_000_000_000)
        waitHook = { _ in 5 }
        while !isDone(), uv_hrtime() < deadline { runOnce() }
        waitHook = previousHook
        if !isDone() { Issue.record("the condition is not met, and no timer is left", sourceLocation: sourceLocation) }
    }

    /// Makes ``run()`` skip all waits for timers.
    func skipWaits() {
        waitHook = { [unowned self] limit in
            guard limit > 0, libuv.pointee.active_reqs.count == 0 else { return limit }
            skip(UInt64(limit))
            return 0
        }
    }

    /// Runs turns without waiting.
    /// - Parameter wait: Called if nothing is left to do but wait for a number of milliseconds (negative: no limit).
    private func runTurns(
        until isDone: () -> Bool, sourceLocation: SourceLocation, wait: @escaping (Int32) -> Void
    ) {
        let previousHook = waitHook
        // libuv returns no timeout of timers if nothing keeps the loop alive.
        activeDescriptorCount += 1
        defer {
            activeDescriptorCount -= 1
            waitHook = previousHook
        }
        // The end of the turn in which the test has acted.
        runOnce()
        var idleTurn: UInt64?
        waitHook = { [unowned self] limit in
            guard libuv.pointee.active_reqs.count == 0 else { return 10 }
            guard turnCount == idleTurn else {
                // A busy kernel may deliver TCP segments on another thread.
                idleTurn = turnCount + 1
                return 5
            }
            wait(limit)
            return 0
        }
        let deadline = uv_hrtime() + 60_000_000_000
        while !isDone() {
            runOnce()
            if uv_hrtime() > deadline {
                Issue.record("the loop is still busy after a minute", sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// Advances the loop's clock, and thereby the timers.
    private func skip(_ milliseconds: UInt64) {
        skippedMilliseconds += milliseconds
        var milliseconds = milliseconds
        uv_walk(
            libuv,
            { handle, argument in
                guard let handle, handle.pointee.type == UV_TIMER, uv_is_active(handle) != 0,
                    let milliseconds = argument?.load(as: UInt64.self)
                else { return }
                handle.withMemoryRebound(to: uv_timer_t.self, capacity: 1) { timer in
                    let left = uv_timer_get_due_in(timer)
                    uv_timer_start(
                        timer, timer.pointee.timer_cb, left - min(left, milliseconds), uv_timer_get_repeat(timer))
                }
            }, &milliseconds)
    }
}
