import CSystem

/// Writes to a descriptor, such as standard output, with one system call per turn, without blocking the loop. Or passes on
/// what is written, once per turn.
package final class DescriptorWriter {
    /// The bytes appended but not yet written, except those queued before large shared data.
    package var buffer = ByteBuffer()
    /// Data to write before ``buffer``, or `nil`.
    private var queue: WriteQueue?

    private let descriptor: Int32
    /// Receives the bytes of a turn in place of a descriptor, or `nil` if there is one.
    private let receiver: ((RawSpan) -> Void)?
    private let loop: EventLoop
    /// `nil` if writes to the descriptor never block.
    private var stream: SystemStream?
    private var hangUp: ReadinessWatcher?
    private var isScheduled = false
    private var isClosed = false
    /// The number of bytes passed to the stream or the kernel so far, or lost.
    private var passedBytes = 0

    /// Called at the end of each turn that leaves nothing to write.
    package var didDrain: (() -> Void)?
    /// Called once when writing fails or a pipe loses its reader.
    package var didFail: ((IOError) -> Void)?

    /// The storage to keep between bursts of output, in bytes. It exceeds the backlog at which sources are paused, so a
    /// steady stream keeps reusing its pages.
    private static let keptStorageBytes = 4 << 20
    /// The same if the bytes are passed on.
    private static let keptReceivedBytes = 64 << 10

    /// Creates a writer. The caller keeps ownership of the descriptor.
    /// - Throws: ``IOError`` if the descriptor cannot be reopened.
    package init(descriptor: Int32, on loop: EventLoop) throws(IOError) {
        self.descriptor = descriptor
        self.loop = loop
        receiver = nil
        guard !Descriptor.isAlwaysReady(descriptor) else { return }
        let reopened = try Descriptor.reopen(descriptor, forWriting: true)
        let stream = try SystemStream.open(descriptor: reopened, on: loop)
        stream.delegate = self
        stream.keptStorageBytes = Self.keptStorageBytes
        self.stream = stream
        // A socket's peer may have ended its own side and still read.
        guard !Descriptor.isSocket(descriptor) else { return }
        hangUp = try? ReadinessWatcher(descriptor: descriptor, on: loop, for: .hangUp) { [weak self] in
            self?.fail(.brokenPipe)
        }
    }

    /// Creates a writer without a descriptor.
    /// - Parameter receiver: Receives the appended bytes at the end of each turn.
    package init(on loop: EventLoop, passingTo receiver: @escaping (RawSpan) -> Void) {
        descriptor = -1
        self.loop = loop
        self.receiver = receiver
    }

    /// The number of unwritten bytes, buffered or in flight; 0 after ``close()``.
    package var pendingBytes: Int { isClosed ? 0 : waitingBytes + (stream?.inFlightBytes ?? 0) }

    /// The number of bytes appended so far: the position of the end of the output.
    package var appendedBytes: Int { passedBytes + waitingBytes }
    /// The number of bytes that the kernel has accepted so far.
    package var writtenBytes: Int { passedBytes - (stream?.unwrittenBytes ?? 0) }

    private var waitingBytes: Int { buffer.count + (queue?.count ?? 0) }

    /// Appends bytes shared with other writers. Large data is not copied.
    package func append(_ shared: SharedBytes) {
        guard shared.count >= SharedBytes.worthwhileBytes, receiver == nil else {
            return shared.withBytes { buffer.append($0) }
        }
        let queue = self.queue ?? WriteQueue()
        self.queue = queue
        queue.append(shared, after: &buffer)
    }

    /// Schedules a write of the appended bytes at the end of this turn.
    package func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Writes as much as possible now, without waiting for the end of the turn.
    package func flush() {
        guard !isClosed else { return forget() }
        let previousBytes = waitingBytes
        if let receiver {
            buffer.withReadableBytes { receiver($0) }
            buffer.removeAll()
            buffer.releaseStorage(above: Self.keptReceivedBytes)
        } else if let stream {
            do throws(StreamError) {
                try write(to: stream)
            } catch {
                return fail(IOError(of: error))
            }
        } else {
            do throws(IOError) {
                try writeFile()
            } catch {
                return fail(error)
            }
        }
        passedBytes += previousBytes - waitingBytes
        if pendingBytes == 0 { didDrain?() }
    }

    /// Stops writing. Unwritten bytes are lost.
    package func close() {
        isClosed = true
        hangUp = nil
        stream?.close()
        forget()
    }

    private func forget() {
        passedBytes += waitingBytes
        queue = nil
        buffer.removeAll()
    }

    private func write(to stream: SystemStream) throws(StreamError) {
        if let queue {
            guard try stream.write(queue) else { return }
            self.queue = nil
        }
        try stream.write(&buffer)
    }

    private func writeFile() throws(IOError) {
        while let queue, queue.first != nil {
            _ = try queue.takeFirst { (part) throws(IOError) in
                try writeFile(&part.own)
                return try part.shared.withBytes(from: part.offset) { (bytes) throws(IOError) in try writeFile(bytes) }
            }
        }
        queue = nil
        try writeFile(&buffer)
        buffer.releaseStorage(above: Self.keptStorageBytes)
    }

    private func writeFile(_ buffer: inout ByteBuffer) throws(IOError) {
        while !buffer.isEmpty {
            buffer.consume(try buffer.withReadableBytes { (bytes) throws(IOError) in try writeFile(bytes) })
        }
    }

    /// Returns the number of bytes written.
    private func writeFile(_ bytes: RawSpan) throws(IOError) -> Int {
        try bytes.withUnsafeBytes { (bytes) throws(IOError) in try Descriptor.write(descriptor, bytes) }
    }

    private func fail(_ error: IOError) {
        guard !isClosed else { return }
        close()
        didFail?(error)
    }
}

extension DescriptorWriter: EndOfTurnWork {
    /// Writes the appended bytes.
    package func endTurn() {
        isScheduled = false
        flush()
    }
}

extension DescriptorWriter: ByteStreamDelegate {
    /// Never called: nothing is read from an output.
    package func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}

    /// Never called: nothing is read from an output.
    package func streamDidReachEnd(_ stream: any ByteStream) {}

    /// Continues writing.
    package func streamDidDrain(_ stream: any ByteStream) {
        flush()
    }

    /// Never called: nothing is read from an output.
    package func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {}

    /// Reports the error through ``DescriptorWriter/didFail``.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        fail(IOError(of: error))
    }
}
