import CLibuv

/// Something that has work to do once, when the loop has handled all that is ready.
public protocol EndOfTurnWork: AnyObject {
    /// Called at the end of the turn in which ``EventLoop/atEndOfTurn(_:)`` was.
    func endTurn()
}

/// An event loop and what all that runs on it shares. It is confined to one thread.
///
///      one turn:  timers → end-of-turn work → wait → sockets, pipes, signals, names → …
///
/// Everything that is sent during a turn is gathered, and written by the end-of-turn work with one system call
/// a stream. A stream is read once a turn, and who has much to do with what it was given leaves some for the next turn, so
/// that all others have theirs meanwhile.
public final class EventLoop {
    internal let handle: UnsafeMutablePointer<uv_loop_t>
    private let prepareHandle: UnsafeMutablePointer<uv_prepare_t>
    /// Active while there is work for the next turn: the loop then waits for nothing.
    private let idleHandle: UnsafeMutablePointer<uv_idle_t>
    private var endOfTurnWork: [any EndOfTurnWork] = []
    private var runningWork: [any EndOfTurnWork] = []
    /// Work for the end of the turn after the one that it came with.
    private var nextTurnWork: [(work: any EndOfTurnWork, turn: UInt64)] = []
    private var isStopped = false
    /// The number of turns that have ended. End-of-turn work still belongs to the turn it ends, so values cached under
    /// this count, such as the time of an event, never survive a wait.
    public private(set) var turnCount: UInt64 = 0

    /// Where every stream of the loop is read to; its contents are valid until the next read.
    internal let readBuffer: UnsafeMutableRawBufferPointer

    /// The same for libuv's callbacks, which find it in the loop's `data`: they are called for each read.
    internal let readRoom: UnsafeMutablePointer<ReadRoom>

    /// Where streams are read to.
    internal struct ReadRoom {
        /// The buffer.
        let buffer: uv_buf_t
        /// The stream that was the last to fill it in this turn; nil: none has.
        var filler: UnsafeMutableRawPointer?
    }

    /// 64 KiB: as much as libuv asks for, and as much as a pipe holds.
    public static let readBufferBytes = 64 << 10

    /// Makes a loop.
    /// - Throws: ``IOError`` when the system has no descriptor or memory left for it.
    public init() throws(IOError) {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let result = uv_loop_init(loop)
        guard result == 0 else {
            // Not yet a stored property: deinit runs when an initialiser throws that has set them all.
            loop.deallocate()
            throw IOError(code: result)
        }
        handle = loop
        prepareHandle = .allocate(capacity: 1)
        idleHandle = .allocate(capacity: 1)
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
        // Only work that waits is a reason to go on running.
        withPrepareHandle { uv_unref($0) }
        uv_idle_init(handle, idleHandle)
        idleHandle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        withPrepareHandle { uv_close($0, nil) }
        idleHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        uv_run(handle, UV_RUN_NOWAIT)
        // A loop that still has open handles cannot be closed; its memory is then left to the system.
        if uv_loop_close(handle) == 0 { handle.deallocate() }
        prepareHandle.deallocate()
        idleHandle.deallocate()
        readBuffer.deallocate()
        readRoom.deallocate()
    }

    /// Runs until nothing is left to wait for, or ``stop()`` is called.
    public func run() {
        repeat {
            uv_run(handle, UV_RUN_DEFAULT)
            // The last work may have started something that is to be waited for.
            runEndOfTurnWork()
        } while !isStopped && uv_loop_alive(handle) != 0
        isStopped = false
    }

    /// Handles what is ready, without waiting.
    public func runOnce() {
        uv_run(handle, UV_RUN_NOWAIT)
        runEndOfTurnWork()
    }

    /// Ends ``run()`` after the present turn.
    public func stop() {
        isStopped = true
        uv_stop(handle)
    }

    /// The monotonic time, from an arbitrary beginning.
    public var now: Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

    /// ``now`` as a number of nanoseconds, for those who ask for every message.
    public var nowNanoseconds: UInt64 { uv_hrtime() }

    /// The monotonic time at the beginning of this turn, to the millisecond, without a system call. Its beginning is
    /// that of no other clock.
    public var turnTime: Duration { .milliseconds(Int64(clamping: uv_now(handle))) }

    /// Has `work` called once, at the end of this turn.
    public func atEndOfTurn(_ work: consuming any EndOfTurnWork) {
        // The streams may all be paused until this work is done: without it the loop would take itself for idle.
        if endOfTurnWork.isEmpty { withPrepareHandle { uv_ref($0) } }
        endOfTurnWork.append(work)
    }

    /// Has `work` called once, at the end of the next turn. That turn waits for nothing, but all that is ready has its own
    /// before.
    public func atEndOfNextTurn(_ work: any EndOfTurnWork) {
        if nextTurnWork.isEmpty {
            uv_idle_start(idleHandle) { idle in
                guard let data = idle?.pointee.data else { return }
                Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().scheduleNextTurnWork()
            }
        }
        nextTurnWork.append((work, turnCount))
    }

    /// Called right before the end of each turn while there is work for a next one.
    private func scheduleNextTurnWork() {
        let dueCount = nextTurnWork.prefix { $0.turn < turnCount }.count
        for (work, _) in nextTurnWork.prefix(dueCount) { atEndOfTurn(work) }
        nextTurnWork.removeFirst(dueCount)
        if nextTurnWork.isEmpty { uv_idle_stop(idleHandle) }
    }

    private func runEndOfTurnWork() {
        defer { turnCount &+= 1 }
        readRoom.pointee.filler = nil
        // Work may ask for more work, which belongs to the same turn: it is all done before the loop waits.
        while !endOfTurnWork.isEmpty {
            withPrepareHandle { uv_unref($0) }
            swap(&endOfTurnWork, &runningWork)
            // By index: an iterator's copy of the array would make removeAll allocate another.
            for index in runningWork.indices { runningWork[index].endTurn() }
            runningWork.removeAll(keepingCapacity: true)
        }
    }

    private func withPrepareHandle(_ body: (UnsafeMutablePointer<uv_handle_t>) -> Void) {
        prepareHandle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { body($0) }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, as libuv's timers take them.
    internal var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let whole = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        guard !whole.overflow else { return .max }
        let part = UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return whole.partialValue.addingReportingOverflow(part).overflow ? .max : whole.partialValue + part
    }
}
