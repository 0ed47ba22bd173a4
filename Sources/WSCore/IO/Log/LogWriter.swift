import CSystem

/// Writes log lines to a descriptor, from any thread, without ever waiting for the reader.
///
///      write(_:) ──► descriptor, as long as it accepts everything at once
///          └──► queue ──► a thread that waits ──► descriptor
///
/// Lines that exceed the queue are dropped until the queue is empty; a notice then reports their number. A line longer
/// than the whole queue is always dropped: once begun, its rest could be neither kept nor dropped. If the descriptor
/// has no reader left, everything is silently discarded.
package final class LogWriter: @unchecked Sendable {
    /// The default size of the queue in bytes.
    package static let queueLimitBytes = 1 << 20

    // The monitor's lock protects all mutable properties.
    private let monitor = Monitor()
    private let descriptor: NonblockingDescriptor
    private let queueLimitBytes: Int
    private let lossNotice: @Sendable (Int) -> String
    /// The unwritten lines, including the piece that the thread is writing.
    private var queue = ByteBuffer()
    /// The number of lines dropped since the queue was last empty.
    private var lostLines = 0
    /// The total number of bytes that the thread has written.
    private var writtenBytes = 0
    /// The time at which the queue became nonempty or was last written from.
    private var lastMove = Duration.zero
    private var thread: Thread?
    private var isClosed = false

    /// Creates a writer. The caller keeps ownership of the descriptor.
    /// - Parameters:
    ///   - descriptor: The descriptor to write to.
    ///   - queueLimitBytes: The number of queued bytes above which lines are dropped. Default: 1 MiB.
    ///   - lossNotice: Returns the notice, including its newline, for a number of dropped lines.
    package convenience init(
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

    /// Writes lines, each ending with a newline: immediately if possible, otherwise after the queued lines.
    package func write(_ lines: String) {
        var lines = lines
        lines.withUTF8 { bytes in monitor.locked { take(UnsafeRawBufferPointer(bytes)) } }
    }

    /// Whether producers that can wait should pause: the queue is half full, and its reader has accepted something
    /// within the last second.
    package var isBusy: Bool {
        monitor.locked { queue.count > queueLimitBytes / 2 && Self.now - lastMove < Self.stallTimeout }
    }

    private static let stallTimeout = Duration.seconds(1)
    /// The storage that the thread keeps between pieces, in bytes.
    private static let keptPieceBytes = 64 << 10

    /// Blocks until everything is written, as long as the reader makes progress.
    /// - Parameters:
    ///   - stallTimeout: The maximum time without progress. Default: 500 ms.
    ///   - limit: The maximum total time. Default: 5 s.
    package func drain(stallTimeout: Duration = .milliseconds(500), limit: Duration = .seconds(5)) {
        monitor.locked {
            let end = Self.now + limit
            var deadline = Self.now + stallTimeout
            var seenBytes = writtenBytes
            while !queue.isEmpty {
                let rest = min(deadline, end) - Self.now
                guard rest > .zero else { return }
                monitor.wait(atMost: rest)
                guard writtenBytes > seenBytes else { continue }
                seenBytes = writtenBytes
                deadline = Self.now + stallTimeout
            }
        }
    }

    /// Ends the thread. Queued lines are lost. Call it only if the thread's current write can finish.
    func close() {
        monitor.locked {
            isClosed = true
            queue.removeAll()
            monitor.notify()
        }
        thread?.join()
        thread = nil
    }

    private static var now: Duration { .nanoseconds(Int64(clamping: wsx_monotonic_time())) }

    // MARK: While holding the lock

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
        // If the system cannot create a thread now, the next line tries again.
        if thread == nil { thread = try? Thread { [self] in writeWaiting() } }
    }

    /// Queues as many lines as fit. After a dropped line, all further lines are dropped, so the notice appears in their
    /// place. The rest of a partially written line always fits.
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

    /// Queues a notice with the number of lines dropped at this point.
    private func noteLoss() {
        queue.append(lossNotice(lostLines))
        lostLines = 0
    }

    /// Runs on the thread. Writes piece by piece without holding the lock.
    private func writeWaiting() {
        var piece = ByteBuffer()
        monitor.locked {
            while !isClosed {
                guard !queue.isEmpty else {
                    monitor.wait()
                    continue
                }
                // A copy, because the queue may be reallocated meanwhile.
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

    /// Discards the queue: the reader is gone.
    private func forget() {
        queue.removeAll()
        queue.releaseStorage(above: 0)
        lostLines = 0
    }
}
