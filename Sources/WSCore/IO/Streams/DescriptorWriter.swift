import CLibuv

/// Writes standard output, or any other descriptor, with one system call a turn, without blocking the loop.
public final class DescriptorWriter {
    /// What has been appended and not written, but for what is before something large that is shared.
    public var buffer = ByteBuffer()
    /// What is to be written before it; nil: nothing.
    private var queue: WriteQueue?

    private let descriptor: Int32
    private let loop: EventLoop
    /// nil: the descriptor never has to wait.
    private var stream: SystemStream?
    private var hangUp: ReadinessWatcher?
    private var isScheduled = false
    private var isClosed = false

    /// Called at the end of each turn that leaves nothing to be written.
    public var didDrain: (() -> Void)?
    /// Called once when writing fails, or when the reader of a pipe has gone away.
    public var didFail: ((IOError) -> Void)?

    /// What is kept for output between busy moments, in bytes: more than waits before a source is paused, so that a steady
    /// stream has the pages that it had before.
    private static let keptStorageBytes = 4 << 20

    /// Makes a writer of a descriptor, which stays the caller's.
    public init(descriptor: Int32, on loop: EventLoop) throws(IOError) {
        self.descriptor = descriptor
        self.loop = loop
        guard !Descriptor.isAlwaysReady(descriptor) else { return }
        let reopened = try Descriptor.reopen(descriptor, forWriting: true)
        let stream = try SystemStream.open(descriptor: reopened, on: loop)
        stream.delegate = self
        stream.keptStorageBytes = Self.keptStorageBytes
        self.stream = stream
        // A socket's other end may have nothing more to say and still listen.
        guard !Descriptor.isSocket(descriptor) else { return }
        hangUp = try? ReadinessWatcher(descriptor: descriptor, on: loop, for: .hangUp) { [weak self] in
            self?.fail(.brokenPipe)
        }
    }

    /// The number of bytes that wait, in the buffer and on the way; none once the writer is closed.
    public var pendingBytes: Int { isClosed ? 0 : waitingBytes + (stream?.inFlightBytes ?? 0) }

    private var waitingBytes: Int { buffer.count + (queue?.count ?? 0) }

    /// Appends bytes that are in other places, too, without a copy where they are many.
    public func append(_ shared: SharedBytes) {
        guard shared.count >= SharedBytes.worthwhileBytes else { return shared.withBytes { buffer.append($0) } }
        let queue = self.queue ?? WriteQueue()
        self.queue = queue
        queue.append(shared, after: &buffer)
    }

    /// Has what was appended written at the end of the turn.
    public func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Writes what can be written at once, without waiting for the end of the turn.
    public func flush() {
        guard !isClosed else { return forget() }
        if let stream {
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
        if pendingBytes == 0 { didDrain?() }
    }

    /// Ends writing; what has not been written is lost.
    public func close() {
        isClosed = true
        hangUp = nil
        stream?.close()
        forget()
    }

    private func forget() {
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

    /// Returns how many of the bytes were written.
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
    /// Writes.
    public func endTurn() {
        isScheduled = false
        flush()
    }
}

extension DescriptorWriter: ByteStreamDelegate {
    /// Nothing is read from an output.
    public func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}

    /// Nothing is read from an output.
    public func streamDidReachEnd(_ stream: any ByteStream) {}

    /// Writes on.
    public func streamDidDrain(_ stream: any ByteStream) {
        flush()
    }

    /// Nothing is read from an output.
    public func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {}

    /// Reports the error.
    public func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        fail(IOError(of: error))
    }
}
