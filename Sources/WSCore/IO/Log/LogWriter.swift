import CLibuv

/// Writes the lines of a log to a descriptor, from any thread, and never has them wait for whoever reads it.
///
///      write(_:) ──► descriptor, as long as that takes everything at once
///          └──► queue ──► a thread that waits ──► descriptor
///
/// What exceeds the queue is dropped by the line until the queue is empty again; then a line says how many there were. So
/// is a line that is longer than the whole queue, wherever it goes: once begun, its rest could be neither kept nor dropped.
/// Where nobody can read any more, what is written is thrown away without a word.
public final class LogWriter: @unchecked Sendable {
    /// How much waits before lines are dropped, in bytes.
    public static let queueLimitBytes = 1 << 20

    // All that changes does so under the monitor's lock.
    private let monitor = Monitor()
    private let descriptor: NonblockingDescriptor
    private let queueLimitBytes: Int
    private let lossNotice: @Sendable (Int) -> String
    /// What waits. What the thread is writing stays in it until it is written.
    private var queue = ByteBuffer()
    /// How many lines have been dropped since the queue was empty.
    private var lostLines = 0
    /// All that the thread has written, in bytes.
    private var writtenBytes = 0
    /// When the first of what waits came, or something of it was written last.
    private var lastMove = Duration.zero
    private var thread: LoopThread?
    private var isClosed = false

    /// Makes a writer of a descriptor, which stays the caller's.
    /// - Parameters:
    ///   - queueLimitBytes: How much waits before lines are dropped; 1 MiB by default.
    ///   - lossNotice: The line, with its newline, that tells of a number of lines that were dropped.
    public convenience init(
        descriptor: Int32, queueLimitBytes: Int = queueLimitBytes, lossNotice: @escaping @Sendable (Int) -> String
    ) {
        self.init(NonblockingDescriptor(descriptor), queueLimitBytes: queueLimitBytes, lossNotice: lossNotice)
    }

    init(
        _ descriptor: NonblockingDescriptor, queueLimitBytes: Int = queueLimitBytes,
        lossNotice: @escaping @Sendable (Int) -> String
    ) {
        self.descriptor = descriptor
        self.queueLimitBytes = queueLimitBytes
        self.lossNotice = lossNotice
    }

    /// Writes lines, each of which ends with a newline: at once where that is possible, or after those that wait.
    public func write(_ lines: String) {
        var lines = lines
        lines.withUTF8 { bytes in monitor.locked { take(UnsafeRawBufferPointer(bytes)) } }
    }

    /// Whether whoever has more to write, and can wait, is to wait: the queue is half full, and somebody reads it. One who
    /// has taken nothing for a second is not waited for.
    public var isBusy: Bool {
        monitor.locked { queue.count > queueLimitBytes / 2 && Self.now - lastMove < Self.patience }
    }

    private static let patience = Duration.seconds(1)
    /// What the thread keeps of its storage from piece to piece, in bytes.
    private static let keptPieceBytes = 64 << 10

    /// Waits until everything is written, as long as somebody reads it.
    /// - Parameters:
    ///   - patience: How long nothing at all may be taken; half a second by default.
    ///   - limit: How long it may take as a whole; five seconds by default.
    public func drain(patience: Duration = .milliseconds(500), limit: Duration = .seconds(5)) {
        monitor.locked {
            let end = Self.now + limit
            var deadline = Self.now + patience
            var seenBytes = writtenBytes
            while !queue.isEmpty {
                let rest = min(deadline, end) - Self.now
                guard rest > .zero else { return }
                monitor.wait(atMost: rest)
                guard writtenBytes > seenBytes else { continue }
                seenBytes = writtenBytes
                deadline = Self.now + patience
            }
        }
    }

    /// Ends the thread; what waits is lost. Whoever calls it sees to it that the descriptor can be written to, or never.
    func close() {
        monitor.locked {
            isClosed = true
            queue.removeAll()
            monitor.notify()
        }
        thread?.join()
        thread = nil
    }

    private static var now: Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

    // MARK: With the lock

    private func take(_ lines: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        var rest = lines
        if queue.isEmpty {
            let whole = LogPiece.lines(of: lines, noneLongerThan: queueLimitBytes)
            do throws(IOError) {
                let left = try descriptor.writeAtOnce(whole)
                rest = UnsafeRawBufferPointer(rebasing: lines[(whole.count - left.count)...])
            } catch {
                return
            }
        }
        guard !rest.isEmpty else { return }
        if queue.isEmpty { lastMove = Self.now }
        enqueue(rest)
        if queue.isEmpty { noteLoss() }
        monitor.notify()
        // Should the system have no thread for it now, the next line asks again.
        if thread == nil { thread = try? LoopThread { [self] in writeOn() } }
    }

    /// Keeps as many lines as there is room for. What follows one that was dropped is dropped, too: the notice stands
    /// where they were. There is always room for the rest of a line that has been written in part.
    private func enqueue(_ lines: UnsafeRawBufferPointer) {
        var rest = lines
        while !rest.isEmpty, lostLines == 0 {
            let fits = queue.count + rest.count <= queueLimitBytes
            let line = fits ? rest : LogPiece.line(of: rest)
            guard queue.count + line.count <= queueLimitBytes else { break }
            queue.append(line.bytes)
            rest = UnsafeRawBufferPointer(rebasing: rest[line.count...])
        }
        lostLines += LogPiece.lineCount(of: rest)
    }

    /// Says how many lines are missing at this place.
    private func noteLoss() {
        queue.append(lossNotice(lostLines))
        lostLines = 0
    }

    /// What the thread does: it writes piece by piece, without the lock.
    private func writeOn() {
        var piece = ByteBuffer()
        monitor.locked {
            while !isClosed {
                guard !queue.isEmpty else {
                    monitor.wait()
                    continue
                }
                // A copy: meanwhile the queue may move to larger storage.
                queue.withReadableBytes { bytes in
                    bytes.withUnsafeBytes { piece.append(LogPiece.first(of: $0).bytes) }
                }
                let isWritten = monitor.unlocked { piece.withReadableBytes { descriptor.writeAll($0) } }
                if isWritten { wrote(piece.count) } else { forget() }
                piece.removeAll()
                piece.releaseStorage(above: Self.keptPieceBytes)
                monitor.notify()
            }
        }
    }

    private func wrote(_ count: Int) {
        guard !isClosed else { return }
        writtenBytes += count
        lastMove = Self.now
        queue.consume(count)
        guard queue.isEmpty else { return }
        queue.releaseStorage(above: 0)
        if lostLines > 0 { noteLoss() }
    }

    /// Nobody will read what waits.
    private func forget() {
        queue.removeAll()
        queue.releaseStorage(above: 0)
        lostLines = 0
    }
}
