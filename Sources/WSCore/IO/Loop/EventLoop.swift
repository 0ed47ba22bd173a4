import CLibuv

/// An object with work to do once, after the loop has handled all ready events.
public protocol EndOfTurnWork: AnyObject {
    /// Performs the work, at the end of the turn that called ``EventLoop/atEndOfTurn(_:)``.
    func endTurn()
}

/// An event loop and the resources that everything on it shares. Confined to one thread.
///
///      one turn:  timers → end-of-turn work → wait → sockets, pipes, signals, names → …
///
/// Data sent during a turn is collected, and the end-of-turn work writes it with one system call per stream. Each
/// stream is read once per turn. A receiver with more work than fits into its share leaves some for the next turn,
/// after all other streams.
public final class EventLoop {
    internal let handle: UnsafeMutablePointer<uv_loop_t>
    private let prepareHandle: UnsafeMutablePointer<uv_prepare_t>
    /// Active while there is work for the next turn: the loop then does not block.
    private let idleHandle: UnsafeMutablePointer<uv_idle_t>
    /// Active while ``LargeStorage`` keeps storage.
    private let storageTimer: UnsafeMutablePointer<uv_timer_t>
    private var isStorageTimerActive = false
    private var endOfTurnWork: [any EndOfTurnWork] = []
    private var runningWork: [any EndOfTurnWork] = []
    /// Work for the end of the turn after the one that scheduled it.
    private var nextTurnWork: [(work: any EndOfTurnWork, turn: UInt64)] = []
    private var isStopped = false
    /// The number of completed turns. End-of-turn work still belongs to the turn it ends, so values cached under this
    /// count, such as the time of an event, never survive a wait.
    public private(set) var turnCount: UInt64 = 0

    /// The read buffer of all streams. Its contents are valid until the next read.
    internal let readBuffer: UnsafeMutableRawBufferPointer

    /// The same buffer for libuv's callbacks, which run for each read and find it in the loop's `data`.
    internal let readRoom: UnsafeMutablePointer<ReadRoom>

    /// The shared read buffer and its last user.
    internal struct ReadRoom {
        /// The buffer.
        let buffer: uv_buf_t
        /// The stream that last filled the buffer in this turn, or `nil`.
        var filler: UnsafeMutableRawPointer?
    }

    /// 64 KiB: the size that libuv requests, and the capacity of a pipe.
    public static let readBufferBytes = 64 << 10

    /// Creates a loop.
    /// - Throws: ``IOError`` if the system has no descriptor or memory left.
    public init() throws(IOError) {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let result = uv_loop_init(loop)
        guard result == 0 else {
            // Not a stored property yet: deinit runs even if an initializer throws, once all properties are set.
            loop.deallocate()
            throw IOError(code: result)
        }
        handle = loop
        prepareHandle = .allocate(capacity: 1)
        idleHandle = .allocate(capacity: 1)
        storageTimer = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 64)
        readRoom = .allocate(capacity: 1)
        let start = readBuffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        readRoom.initialize(to: ReadRoom(buffer: uv_buf_init(start, UInt32(Self.readBufferBytes)), filler: nil))
        handle.pointee.data = UnsafeMutableRawPointer(readRoom)
        uv_prepare_init(handle, prepareHandle)
        prepareHandle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(prepareHandle) { prepare in
            guard let data = prepare?.pointee.data else { return }
            Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().runEndOfTurnWork()
        }
        // Only pending work keeps the loop alive.
        withPrepareHandle { uv_unref($0) }
        uv_idle_init(handle, idleHandle)
        idleHandle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_timer_init(handle, storageTimer)
        storageTimer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        storageTimer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    }

    deinit {
        withPrepareHandle { uv_close($0, nil) }
        idleHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        storageTimer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        uv_run(handle, UV_RUN_NOWAIT)
        // A loop with open handles cannot be closed. Its memory is then leaked.
        if uv_loop_close(handle) == 0 { handle.deallocate() }
        prepareHandle.deallocate()
        idleHandle.deallocate()
        storageTimer.deallocate()
        readBuffer.deallocate()
        readRoom.deallocate()
    }

    /// Runs until no active handles are left, or until ``stop()``.
    public func run() {
        repeat {
            uv_run(handle, UV_RUN_DEFAULT)
            // The last work may have started something to wait for.
            runEndOfTurnWork()
        } while !isStopped && uv_loop_alive(handle) != 0
        isStopped = false
    }

    /// Handles all ready events without blocking.
    public func runOnce() {
        uv_run(handle, UV_RUN_NOWAIT)
        runEndOfTurnWork()
    }

    /// Ends ``run()`` after the current turn.
    public func stop() {
        isStopped = true
        uv_stop(handle)
    }

    /// The monotonic time since an arbitrary origin.
    public var now: Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

    /// ``now`` in nanoseconds, for callers that read it for every message.
    public var nowNanoseconds: UInt64 { uv_hrtime() }

    /// The monotonic time at the beginning of this turn, with millisecond resolution. It needs no system call. Its
    /// origin differs from that of every other clock.
    public var turnTime: Duration { .milliseconds(Int64(clamping: uv_now(handle))) }

    /// Schedules `work` to run once, at the end of this turn.
    public func atEndOfTurn(_ work: consuming any EndOfTurnWork) {
        // All streams may be paused until this work is done. Without the reference the loop would consider itself idle.
        if endOfTurnWork.isEmpty { withPrepareHandle { uv_ref($0) } }
        endOfTurnWork.append(work)
    }

    /// Schedules `work` to run once, at the end of the next turn. That turn does not block, but handles all ready
    /// events before `work`.
    public func atEndOfNextTurn(_ work: any EndOfTurnWork) {
        if nextTurnWork.isEmpty {
            uv_idle_start(idleHandle) { idle in
                guard let data = idle?.pointee.data else { return }
                Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().scheduleNextTurnWork()
            }
        }
        nextTurnWork.append((work, turnCount))
    }

    /// Runs right before the end of each turn while there is work for a later turn.
    private func scheduleNextTurnWork() {
        let dueCount = nextTurnWork.prefix { $0.turn < turnCount }.count
        for (work, _) in nextTurnWork.prefix(dueCount) { atEndOfTurn(work) }
        nextTurnWork.removeFirst(dueCount)
        if nextTurnWork.isEmpty { uv_idle_stop(idleHandle) }
    }

    private func runEndOfTurnWork() {
        defer { turnCount &+= 1 }
        readRoom.pointee.filler = nil
        // Work may schedule more work for the same turn. All of it runs before the loop blocks.
        while !endOfTurnWork.isEmpty {
            withPrepareHandle { uv_unref($0) }
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
                LargeStorage.releaseUnused(at: loop.now)
            }, interval, 0)
    }

    private func withPrepareHandle(_ body: (UnsafeMutablePointer<uv_handle_t>) -> Void) {
        prepareHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { body($0) }
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
}
