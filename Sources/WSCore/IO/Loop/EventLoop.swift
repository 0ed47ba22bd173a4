import CSystem

/// An object with work to do once, after the loop has handled all ready events.
package protocol EndOfTurnWork: AnyObject {
    /// Performs the work, at the end of the turn that called ``EventLoop/atEndOfTurn(_:)``.
    func endTurn()
}

/// A function as end-of-turn work.
package final class DeferredWork: EndOfTurnWork {
    private let work: () -> Void

    /// Creates work that calls a function.
    package init(_ work: @escaping () -> Void) {
        self.work = work
    }

    /// Calls the function.
    package func endTurn() {
        work()
    }
}

/// An event loop and the resources that everything on it shares. Confined to one thread.
///
///      one turn:  wait → sockets, pipes, other threads → timers → end-of-turn work → …
///
/// Signals are reported at the end of the next turn, after the events that preceded them, and exits a turn later. While more
/// events are ready than a turn takes, timers and such reports wait, for 16 turns at most.
///
/// Data sent during a turn is usually collected, and the end-of-turn work writes it with one system call per stream. Each
/// stream is read once per turn. A receiver with more work than fits into its share leaves some for the next turn,
/// after all other streams.
package final class EventLoop {
    private var poller: Poller
    internal var timers = TimerQueue()
    /// The number of descriptors, running timers, and lookups that keep the loop alive.
    internal var activeCount = 0
    /// The owners that continue in the next turn, without an event.
    private var readyDescriptors: [PolledDescriptor] = []
    private var servedDescriptors: [PolledDescriptor] = []
    private var releasedDescriptors: [PolledDescriptor] = []
    /// Not `nil` while other threads may call something on this loop.
    internal var mailboxUse: MailboxUse?
    /// The time at which ``LargeStorage`` releases what it keeps, in nanoseconds of ``nowNanoseconds``, if it keeps
    /// anything.
    private var storageReleaseTime: UInt64?
    private var endOfTurnWork: [any EndOfTurnWork] = []
    private var runningWork: [any EndOfTurnWork] = []
    /// Work for the end of the turn after the one that scheduled it.
    private var nextTurnWork: [(work: any EndOfTurnWork, turn: UInt64)] = []
    private var isStopped = false
    internal var simulation = Simulation()
    /// ``nowNanoseconds`` after the last wait.
    internal private(set) var turnNanoseconds: UInt64
    /// The number of completed turns. End-of-turn work still belongs to the turn it ends, so values cached under this
    /// count, such as the time of an event, never survive a wait.
    package private(set) var turnCount: UInt64 = 0

    /// The read buffer of all streams. Its contents are valid until the next read.
    internal let readBuffer: UnsafeMutableRawBufferPointer

    /// 64 KiB: the capacity of a pipe.
    package static let readBufferBytes = 64 << 10

    /// What a test needs to control the time.
    internal struct Simulation {
        /// The time by which the loop's clock is ahead of the system's, in nanoseconds.
        var skippedNanoseconds: UInt64 = 0
        /// Called in a turn in which nothing is left to do but wait, with the limit of the wait in nanoseconds, or
        /// `nil`. Returns the milliseconds to wait; negative without a limit.
        var wait: ((UInt64?) -> Int32)?
    }

    /// The number of consecutive turns that had as many events as a turn takes.
    private var fullTurnCount = 0
    /// The number of such turns for which timers and reports wait.
    private static let mostFullTurns = 16
    /// Whether events may be ready that timers and reports have to wait for. After a pause of the process, what a timer would
    /// give up may have arrived.
    private var mayHaveMoreEvents: Bool { fullTurnCount % Self.mostFullTurns != 0 }

    /// Creates a loop.
    /// - Throws: ``IOError`` if the system has no descriptor or memory left.
    package init() throws(IOError) {
        poller = try Poller()
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 64)
        turnNanoseconds = wsx_monotonic_time()
    }

    deinit {
        readBuffer.deallocate()
    }

    /// Starts polling a descriptor.
    /// - Throws: ``IOError`` if the descriptor cannot be polled, or the system has no memory left.
    internal func startPolling(
        _ descriptor: Int32, for events: PollEvents, target: PolledDescriptor
    ) throws(IOError) {
        try poller.add(descriptor, for: events, target: target)
    }

    /// Changes the events of a polled descriptor.
    internal func changePolling(_ descriptor: Int32, for events: PollEvents, target: PolledDescriptor) {
        poller.change(descriptor, to: events, target: target)
    }

    /// Passes a polled descriptor to another owner.
    internal func passDescriptor(
        _ descriptor: Int32, for events: PollEvents, from owner: PolledDescriptor, to target: PolledDescriptor
    ) {
        poller.change(descriptor, to: events, target: target)
        poller.keep(owner)
    }

    /// Stops polling a descriptor before it is closed.
    internal func stopPolling(_ descriptor: Int32, _ owner: PolledDescriptor) {
        poller.remove(descriptor)
        poller.keep(owner)
    }

    /// Calls ``PolledDescriptor/continueWork()`` in the next turn, which does not block.
    internal func continueNextTurn(_ owner: PolledDescriptor) {
        readyDescriptors.append(owner)
    }

    /// Runs until nothing is left to wait for, or until ``stop()``.
    package func run() {
        while true {
            runEndOfTurnWork()
            guard !isStopped, isAlive else { break }
            handleEvents(blocking: true)
        }
        isStopped = false
    }

    /// Handles ready events, as many as a turn takes, without blocking.
    package func runOnce() {
        handleEvents(blocking: false)
        runEndOfTurnWork()
    }

    private var isAlive: Bool { activeCount > 0 || !nextTurnWork.isEmpty }

    /// Waits, unless there is work left, and handles all ready events.
    private func handleEvents(blocking: Bool) {
        let count = wait(blocking: blocking)
        turnNanoseconds = nowNanoseconds
        swap(&readyDescriptors, &servedDescriptors)
        var index: Int32 = 0
        while index < count {
            if let target = poller.target(of: index) {
                target._withUnsafeGuaranteedRef { $0.becameReady(for: poller.events(of: index)) }
            } else {
                poller.alarmExpired()
            }
            index += 1
        }
        for index in servedDescriptors.indices { servedDescriptors[index].continueWork() }
        servedDescriptors.removeAll(keepingCapacity: true)
        fullTurnCount = count == Poller.capacity ? fullTurnCount + 1 : 0
        if !mayHaveMoreEvents { TimerQueue.expire(in: self) }
        releaseStorage()
        releaseClosedDescriptors()
    }

    /// Polls for events; waits for one, or for the first timer, if there is nothing else to do.
    private func wait(blocking: Bool) -> Int32 {
        guard readyDescriptors.isEmpty, nextTurnWork.isEmpty else { return poller.wait(milliseconds: 0) }
        let deadline = min(timers.firstDeadline ?? .max, storageReleaseTime ?? .max)
        if let wait = simulation.wait {
            let count = poller.wait(milliseconds: 0)
            let limit = deadline - min(deadline, nowNanoseconds)
            guard count == 0, limit > 0 else { return count }
            return poller.wait(milliseconds: wait(deadline == .max ? nil : limit))
        }
        guard blocking else { return poller.wait(milliseconds: 0) }
        if deadline < .max { poller.setAlarm(at: deadline - min(deadline, simulation.skippedNanoseconds)) }
        return poller.wait(milliseconds: -1)
    }

    private func releaseClosedDescriptors() {
        // Releasing an owner may close others.
        while poller.moveKept(to: &releasedDescriptors) { releasedDescriptors.removeAll(keepingCapacity: true) }
    }

    /// Ends ``run()`` after the current turn.
    package func stop() {
        isStopped = true
    }

    /// The monotonic time since an arbitrary origin.
    package var now: Duration { .nanoseconds(Int64(clamping: nowNanoseconds)) }

    /// ``now`` in nanoseconds, for callers that read it for every message.
    package var nowNanoseconds: UInt64 { wsx_monotonic_time() &+ simulation.skippedNanoseconds }

    /// The monotonic time at the beginning of this turn. It needs no system call.
    package var turnTime: Duration { .nanoseconds(Int64(clamping: turnNanoseconds)) }

    /// ``turnTime`` in milliseconds, for callers that read it for every read.
    var turnMilliseconds: UInt64 { turnNanoseconds / 1_000_000 }

    /// Schedules `work` to run once, at the end of this turn.
    package func atEndOfTurn(_ work: consuming any EndOfTurnWork) {
        endOfTurnWork.append(work)
    }

    /// Schedules `work` to run once, at the end of the next turn. That turn does not block, but handles all ready
    /// events before `work`.
    package func atEndOfNextTurn(_ work: any EndOfTurnWork) {
        nextTurnWork.append((work, turnCount))
    }

    /// Calls `report` at the end of the next turn. For signals and exits: the kernel may report one before, or together
    /// with, events that preceded it, such as the end of a connection. Reports keep their order.
    internal func afterEarlierEvents(_ report: @escaping () -> Void) {
        atEndOfNextTurn(DeferredWork(report))
    }

    /// Calls `work` after the reports of all signals that arrived before this turn. The loop may see such a signal only in
    /// the next turn, and it is reported at the end of the turn after that.
    package func afterEarlierSignals(_ work: @escaping () -> Void) {
        atEndOfNextTurn(DeferredWork { [unowned self] in atEndOfNextTurn(DeferredWork(work)) })
    }

    /// Moves work for a later turn to the end of this one if that turn has begun.
    private func scheduleDueWork() {
        guard !nextTurnWork.isEmpty, !mayHaveMoreEvents else { return }
        let dueCount = nextTurnWork.prefix { $0.turn < turnCount }.count
        for (work, _) in nextTurnWork.prefix(dueCount) { atEndOfTurn(work) }
        nextTurnWork.removeFirst(dueCount)
    }

    private func runEndOfTurnWork() {
        defer { turnCount &+= 1 }
        scheduleDueWork()
        // Work may schedule more work for the same turn. All of it runs before the loop blocks.
        while !endOfTurnWork.isEmpty {
            swap(&endOfTurnWork, &runningWork)
            // Iterating by index: an iterator would copy the array, and removeAll would then allocate a new one.
            for index in runningWork.indices { runningWork[index].endTurn() }
            runningWork.removeAll(keepingCapacity: true)
        }
        if LargeStorage.isKeeping, storageReleaseTime == nil {
            storageReleaseTime = nowNanoseconds + LargeStorage.releaseInterval.nanoseconds
        }
    }

    /// Releases unused storage once per second while any is kept.
    private func releaseStorage() {
        guard let storageReleaseTime, storageReleaseTime <= turnNanoseconds else { return }
        self.storageReleaseTime = nil
        // Not `now`: the storage is that of all loops.
        LargeStorage.releaseUnused(at: .nanoseconds(Int64(clamping: wsx_monotonic_time())))
    }
}

extension Duration {
    /// Whole milliseconds, rounded up. Negative durations become 0.
    internal var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let whole = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        guard !whole.overflow else { return .max }
        let part = UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return whole.partialValue.addingReportingOverflow(part).overflow ? .max : whole.partialValue + part
    }

    /// The duration in nanoseconds; 0 if negative, and at most 136 years, so that sums do not overflow.
    package var nanoseconds: UInt64 {
        // Most timers are shorter than 18 s, and `components` multiplies and divides 128-bit numbers.
        if let attoseconds = UInt64(exactly: attoseconds) { return attoseconds / 1_000_000_000 }
        let (seconds, attoseconds) = components
        return UInt64(min(max(0, seconds), 1 << 32)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
