import CLibuv

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
///      one turn:  wait → sockets, pipes → timers, names → end-of-turn work → …
///
/// Signals and exits of child processes are reported at the end of the next turn, after all events that preceded them.
///
/// Data sent during a turn is collected, and the end-of-turn work writes it with one system call per stream. Each
/// stream is read once per turn. A receiver with more work than fits into its share leaves some for the next turn,
/// after all other streams.
///
/// Streams and other descriptors are polled directly. libuv provides the rest. It runs only in turns in which one of
/// its timers or descriptors is ready.
package final class EventLoop {
    /// libuv's loop, for timers. Other handles and requests use ``libuvLoop()``.
    internal let libuv: UnsafeMutablePointer<uv_loop_t>
    private let poller: Poller
    /// A libuv handle that does nothing. It is referenced while a polled descriptor keeps the loop alive.
    private let keepAliveHandle: UnsafeMutablePointer<uv_prepare_t>
    /// Whether libuv has to run in this turn: one of its descriptors is ready, or a handle is not yet registered with
    /// the kernel.
    private var mustRunLibuv = true
    /// The number of polled descriptors that keep the loop alive.
    internal var activeDescriptorCount = 0 {
        didSet {
            guard (oldValue == 0) != (activeDescriptorCount == 0) else { return }
            keepAliveHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                if activeDescriptorCount > 0 { uv_ref(handle) } else { uv_unref(handle) }
            }
        }
    }
    /// The owners that continue in the next turn, without an event.
    private var readyDescriptors: [PolledDescriptor] = []
    private var servedDescriptors: [PolledDescriptor] = []
    /// The owners of descriptors that were closed while events were handled. Other events of the turn may refer to
    /// them.
    private var closedDescriptors: [PolledDescriptor] = []
    private var isHandlingEvents = false
    /// Active while ``LargeStorage`` keeps storage.
    private let storageTimer: UnsafeMutablePointer<uv_timer_t>
    private var isStorageTimerActive = false
    private var endOfTurnWork: [any EndOfTurnWork] = []
    private var runningWork: [any EndOfTurnWork] = []
    /// Work for the end of the turn after the one that scheduled it.
    private var nextTurnWork: [(work: any EndOfTurnWork, turn: UInt64)] = []
    private var isStopped = false
    /// For tests: called in a turn in which nothing is left to do but wait, with the limit of the wait in milliseconds
    /// (negative: none). Returns the time to wait.
    internal var waitHook: ((Int32) -> Int32)?
    /// For tests: the time by which ``now`` and ``turnTime`` are ahead of the system's clock.
    internal var skippedMilliseconds: UInt64 = 0
    /// The number of completed turns. End-of-turn work still belongs to the turn it ends, so values cached under this
    /// count, such as the time of an event, never survive a wait.
    package private(set) var turnCount: UInt64 = 0

    /// The read buffer of all streams. Its contents are valid until the next read.
    internal let readBuffer: UnsafeMutableRawBufferPointer

    /// 64 KiB: the capacity of a pipe.
    package static let readBufferBytes = 64 << 10

    /// Creates a loop.
    /// - Throws: ``IOError`` if the system has no descriptor or memory left.
    package init() throws(IOError) {
        let poller = try Poller()
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        do throws(IOError) {
            try IOError.check(uv_loop_init(loop))
        } catch {
            // Not a stored property yet: deinit runs even if an initializer throws, once all properties are set.
            loop.deallocate()
            throw error
        }
        do throws(IOError) {
            try poller.add(uv_backend_fd(loop), for: .readable, target: nil)
        } catch {
            uv_loop_close(loop)
            loop.deallocate()
            throw error
        }
        libuv = loop
        self.poller = poller
        keepAliveHandle = .allocate(capacity: 1)
        storageTimer = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 64)
        uv_prepare_init(loop, keepAliveHandle)
        uv_prepare_start(keepAliveHandle) { _ in }
        keepAliveHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
        uv_timer_init(loop, storageTimer)
        storageTimer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        storageTimer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    }

    deinit {
        keepAliveHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        storageTimer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        uv_run(libuv, UV_RUN_NOWAIT)
        // A loop with open handles cannot be closed. Its memory is then leaked.
        if uv_loop_close(libuv) == 0 { libuv.deallocate() }
        keepAliveHandle.deallocate()
        storageTimer.deallocate()
        readBuffer.deallocate()
    }

    /// Returns libuv's loop, for a new handle or request other than a timer. libuv then runs in the next turn, which
    /// registers the handle with the kernel.
    internal func libuvLoop() -> UnsafeMutablePointer<uv_loop_t> {
        mustRunLibuv = true
        return libuv
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
        keepForThisTurn(owner)
    }

    /// Stops polling a descriptor before it is closed.
    internal func stopPolling(_ descriptor: Int32, _ owner: PolledDescriptor) {
        poller.remove(descriptor)
        keepForThisTurn(owner)
    }

    private func keepForThisTurn(_ owner: PolledDescriptor) {
        if isHandlingEvents { closedDescriptors.append(owner) }
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

    /// Handles all ready events without blocking.
    package func runOnce() {
        handleEvents(blocking: false)
        runEndOfTurnWork()
    }

    private var isAlive: Bool {
        activeDescriptorCount > 0 || !nextTurnWork.isEmpty || uv_loop_alive(libuv) != 0
    }

    /// Waits, unless there is work left, and handles all ready events.
    private func handleEvents(blocking: Bool) {
        let isIdle = readyDescriptors.isEmpty && nextTurnWork.isEmpty && !mustRunLibuv
        let waits = blocking && isIdle
        // Otherwise timers would be late by the duration of the last turn.
        if waits { uv_update_time(libuv) }
        // 0 if a timer is due or handles are being closed.
        let timeout = uv_backend_timeout(libuv)
        var count = poller.wait(milliseconds: waits && waitHook == nil ? timeout : 0)
        if let waitHook, count == 0, isIdle, timeout != 0 { count = poller.wait(milliseconds: waitHook(timeout)) }
        uv_update_time(libuv)
        isHandlingEvents = true
        swap(&readyDescriptors, &servedDescriptors)
        var index: Int32 = 0
        while index < count {
            if let target = poller.target(of: index) {
                target._withUnsafeGuaranteedRef { $0.becameReady(for: poller.events(of: index)) }
            } else {
                mustRunLibuv = true
            }
            index += 1
        }
        for index in servedDescriptors.indices { servedDescriptors[index].continueWork() }
        servedDescriptors.removeAll(keepingCapacity: true)
        if mustRunLibuv || timeout == 0 || uv_backend_timeout(libuv) == 0 {
            mustRunLibuv = false
            uv_run(libuv, UV_RUN_NOWAIT)
        }
        isHandlingEvents = false
        releaseClosedDescriptors()
    }

    private func releaseClosedDescriptors() {
        // Releasing an owner may close others.
        while !closedDescriptors.isEmpty {
            let released = closedDescriptors
            closedDescriptors = []
            withExtendedLifetime(released) {}
        }
    }

    /// Ends ``run()`` after the current turn.
    package func stop() {
        isStopped = true
    }

    /// The monotonic time since an arbitrary origin.
    package var now: Duration { .nanoseconds(Int64(clamping: nowNanoseconds)) }

    /// ``now`` in nanoseconds, for callers that read it for every message.
    package var nowNanoseconds: UInt64 { uv_hrtime() &+ skippedMilliseconds &* 1_000_000 }

    /// The monotonic time at the beginning of this turn, with millisecond resolution. It needs no system call. Its
    /// origin differs from that of every other clock.
    package var turnTime: Duration { .milliseconds(Int64(clamping: turnMilliseconds)) }

    /// ``turnTime`` in milliseconds, for callers that read it for every read.
    var turnMilliseconds: UInt64 { uv_now(libuv) &+ skippedMilliseconds }

    /// Schedules `work` to run once, at the end of this turn.
    package func atEndOfTurn(_ work: consuming any EndOfTurnWork) {
        endOfTurnWork.append(work)
    }

    /// Schedules `work` to run once, at the end of the next turn. That turn does not block, but handles all ready
    /// events before `work`.
    package func atEndOfNextTurn(_ work: any EndOfTurnWork) {
        nextTurnWork.append((work, turnCount))
    }

    /// Calls `report` at the end of the next turn. For signals and exits: libuv may report one before the loop has
    /// polled for events that preceded it, such as the end of a connection. Reports keep their order.
    internal func afterEarlierEvents(_ report: @escaping () -> Void) {
        atEndOfNextTurn(DeferredWork(report))
    }

    /// Calls `work` after the reports of all signals that arrived before this turn. libuv may see such a signal only in
    /// the next turn, and it is reported at the end of the turn after that.
    package func afterEarlierSignals(_ work: @escaping () -> Void) {
        atEndOfNextTurn(DeferredWork { [unowned self] in atEndOfNextTurn(DeferredWork(work)) })
    }

    /// Moves work for a later turn to the end of this one if that turn has begun.
    private func scheduleDueWork() {
        guard !nextTurnWork.isEmpty else { return }
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
        if LargeStorage.isKeeping, !isStorageTimerActive { startStorageTimer() }
    }

    /// Releases unused storage once per second while any is kept.
    private func startStorageTimer() {
        isStorageTimerActive = true
        let interval = LargeStorage.releaseInterval.milliseconds
        uv_timer_start(
            storageTimer,
            { timer in
                guard let data = timer?.pointee.data else { return }
                let loop = Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
                loop.isStorageTimerActive = false
                // Not `now`: the storage is that of all loops.
                LargeStorage.releaseUnused(at: .nanoseconds(Int64(clamping: uv_hrtime())))
            }, interval, 0)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, the unit of libuv's timers. Negative durations become 0.
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
        let (seconds, attoseconds) = components
        return UInt64(min(max(0, seconds), 1 << 32)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}

extension LibraryVersion {
    /// The version of libuv.
    package static var libuv: LibraryVersion {
        LibraryVersion(name: "libuv", text: String(cString: uv_version_string()))
    }
}
