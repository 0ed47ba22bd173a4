import CSystem

/// Writes pieces to a file on a thread of its own, for threads that must not wait for the file.
///
/// Pieces are written whole and in their order, unless writing fails. A piece that does not fit into the queue is refused.
package final class BackgroundWriter: @unchecked Sendable {
    /// What has become of the pieces.
    package enum Outcome: Equatable, Sendable {
        case complete
        case failed(IOError)
        /// The file, which is a pipe or a file of another machine, has accepted nothing for too long.
        case stalled
    }

    // The monitor's lock protects all mutable properties.
    private let monitor = Monitor()
    private let file: OutputFile
    private let queueLimitBytes: Int
    private var queue: [UInt8] = []
    /// The total number of bytes that the thread has written.
    private var writtenBytes = 0
    /// Whether no more pieces follow.
    private var isClosing = false
    /// `nil` while the thread runs.
    private var outcome: Outcome?

    /// The maximum number of bytes in one call of the system, after which progress is noted.
    private static let sliceBytes = 256 << 10

    /// Starts the thread.
    /// - Parameter queueLimitBytes: The maximum number of bytes that wait for the thread. Default: 16 MiB.
    /// - Throws: ``IOError`` if the system cannot create a thread.
    package init(to file: OutputFile, queueLimitBytes: Int = 16 << 20) throws(IOError) {
        (self.file, self.queueLimitBytes) = (file, queueLimitBytes)
        try Thread { [self] in run() }.detach()
    }

    /// Queues a piece. Any thread may call it.
    /// - Returns: Whether it fits. After an error, nothing does.
    package func write(_ piece: [UInt8]) -> Bool {
        monitor.locked {
            guard outcome == nil, !isClosing, queue.count + piece.count <= queueLimitBytes else { return false }
            queue += piece
            monitor.notify()
            return true
        }
    }

    /// Blocks until everything is written, as long as the file accepts anything. Later pieces are refused.
    /// - Parameter stallTimeout: The maximum time without progress. Default: 5 s.
    package func finish(stallTimeout: Duration = .seconds(5)) -> Outcome {
        monitor.locked {
            isClosing = true
            monitor.notify()
            var (seenBytes, deadline) = (writtenBytes, Self.now + stallTimeout)
            while outcome == nil {
                if writtenBytes > seenBytes { (seenBytes, deadline) = (writtenBytes, Self.now + stallTimeout) }
                let rest = deadline - Self.now
                guard rest > .zero else { return .stalled }
                monitor.wait(atMost: rest)
            }
            return outcome ?? .complete
        }
    }

    private static var now: Duration { .nanoseconds(Int64(clamping: wsx_monotonic_time())) }

    // MARK: On the thread

    private func run() {
        var piece: [UInt8] = []
        monitor.locked {
            while outcome == nil {
                if !queue.isEmpty {
                    swap(&piece, &queue)
                    write(slicesOf: piece)
                    piece.removeAll(keepingCapacity: true)
                } else if isClosing {
                    outcome = .complete
                } else {
                    monitor.wait()
                }
            }
            monitor.notify()
        }
    }

    private func write(slicesOf piece: [UInt8]) {
        for start in stride(from: 0, to: piece.count, by: Self.sliceBytes) where outcome == nil {
            let slice = start..<min(piece.count, start + Self.sliceBytes)
            let error = monitor.unlocked {
                StandardDescriptors.writeAll(piece.span.bytes.extracting(slice), to: file.descriptor)
            }
            writtenBytes += slice.count
            outcome = error.map { .failed($0) }
            monitor.notify()
        }
    }
}
