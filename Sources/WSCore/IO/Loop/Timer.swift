import CSystem

/// Calls a function once at a given time, or repeatedly. Never early. Canceled on release.
package final class Timer: TimedObject {
    private let action: () -> Void

    /// Creates a stopped timer.
    /// - Parameters:
    ///   - loop: The loop to run on.
    ///   - action: The function to call.
    package init(on loop: EventLoop, action: @escaping () -> Void) {
        self.action = action
        super.init(on: loop)
    }

    override func timeIsUp() { action() }
}

/// An object that is a timer itself: ``timeIsUp()`` is called once at a given time, or repeatedly. Never early. Canceled on
/// release.
package class TimedObject {
    private let loop: EventLoop
    /// The nanoseconds between calls; 0 for a single call.
    private final var interval: UInt64 = 0
    /// The place in the loop's ``TimerQueue``, or `nil` if the timer is stopped.
    fileprivate final var position: Int?

    internal init(on loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        stop()
    }

    /// The time has come.
    internal func timeIsUp() {}

    /// Whether a running timer keeps the loop running. Default: true.
    package final var keepsLoopAlive = true {
        didSet {
            guard position != nil, keepsLoopAlive != oldValue else { return }
            loop.activeCount += keepsLoopAlive ? 1 : -1
        }
    }

    /// Starts or restarts the timer.
    /// - Parameters:
    ///   - delay: The time until the first call.
    ///   - interval: The time between further calls, or `nil` for a single call.
    package final func start(after delay: Duration, every interval: Duration? = nil) {
        self.interval = interval.map { max(1_000_000, $0.nanoseconds) } ?? 0
        schedule(at: loop.nowNanoseconds &+ delay.nanoseconds)
    }

    /// Starts or restarts the timer for one call at `time`, in nanoseconds of the loop's clock. A time in the past means
    /// the next turn.
    package final func start(at time: UInt64) {
        interval = 0
        schedule(at: max(time, loop.turnNanoseconds &+ 1))
    }

    /// Stops the timer.
    package final func stop() {
        guard let position else { return }
        loop.timers.remove(at: position)
        if keepsLoopAlive { loop.activeCount -= 1 }
    }

    private final func schedule(at deadline: UInt64) {
        if let position { loop.timers.remove(at: position) } else if keepsLoopAlive { loop.activeCount += 1 }
        loop.timers.insert(self, at: deadline)
    }

    /// Calls the action. The timer is no longer in the queue.
    fileprivate final func expire() {
        if interval > 0 {
            loop.timers.insert(self, at: loop.turnNanoseconds &+ interval)
        } else if keepsLoopAlive {
            loop.activeCount -= 1
        }
        timeIsUp()
    }
}

/// The running timers of a loop, as a binary heap: the earliest is first; of two for the same time, the one started
/// first.
///
/// It does not retain them: a timer leaves the queue before it is released.
internal struct TimerQueue {
    private struct Entry {
        let deadline: UInt64
        let order: UInt64
        let timer: Unmanaged<TimedObject>

        func precedes(_ other: Entry) -> Bool { (deadline, order) < (other.deadline, other.order) }
    }

    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    /// The earliest time, in nanoseconds of the loop's clock.
    var firstDeadline: UInt64? { entries.first?.deadline }

    /// Adds a timer.
    fileprivate mutating func insert(_ timer: TimedObject, at deadline: UInt64) {
        entries.append(Entry(deadline: deadline, order: nextOrder, timer: .passUnretained(timer)))
        nextOrder += 1
        moveUp(from: entries.count - 1)
    }

    /// Removes the timer with the given position.
    fileprivate mutating func remove(at position: Int) {
        entries[position].timer._withUnsafeGuaranteedRef { $0.position = nil }
        let last = entries.removeLast()
        guard position < entries.count else { return }
        place(last, at: position)
        moveDown(from: position)
        moveUp(from: position)
    }

    /// Calls the actions of all timers that are due.
    static func expire(in loop: EventLoop) {
        while let first = loop.timers.entries.first, first.deadline <= loop.turnNanoseconds {
            // Retained, because the action may release it.
            let timer = first.timer.takeUnretainedValue()
            loop.timers.remove(at: 0)
            timer.expire()
        }
    }

    private mutating func place(_ entry: Entry, at position: Int) {
        entries[position] = entry
        entry.timer._withUnsafeGuaranteedRef { $0.position = position }
    }

    private mutating func moveUp(from start: Int) {
        let entry = entries[start]
        var position = start
        while position > 0, entry.precedes(entries[(position - 1) / 2]) {
            place(entries[(position - 1) / 2], at: position)
            position = (position - 1) / 2
        }
        place(entry, at: position)
    }

    private mutating func moveDown(from start: Int) {
        let entry = entries[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
            guard entries[child].precedes(entry) else { break }
            place(entries[child], at: position)
            position = child
        }
        place(entry, at: position)
    }
}
