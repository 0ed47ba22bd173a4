import CSystem

/// Reads from a descriptor, such as standard input: a pipe, a terminal, a socket, a file, or `/dev/null`.
///
/// Reads nothing before ``start()``, and at most one read buffer per call of ``Receive``.
package final class DescriptorReader {
    /// Receives the bytes of one read. They are valid only during the call.
    package typealias Receive = (RawSpan) -> Void
    /// Receives the end of the input: `nil`, or the error that ended it.
    package typealias Finish = (IOError?) -> Void

    private enum Source {
        case stream(SystemStream)
        /// A file is always ready. One buffer is read at the end of each turn.
        case file(isReading: Bool)
    }

    private let descriptor: Int32
    private let loop: EventLoop
    private let receive: Receive
    private let finish: Finish
    private var source: Source?
    /// Whether a read from the file is scheduled.
    private var isScheduled = false

    /// Creates a reader. The caller keeps ownership of the descriptor.
    /// - Throws: ``IOError`` if the descriptor cannot be reopened.
    package init(
        descriptor: Int32, on loop: EventLoop, receive: @escaping Receive, finish: @escaping Finish
    ) throws(IOError) {
        self.descriptor = descriptor
        self.loop = loop
        self.receive = receive
        self.finish = finish
        if Descriptor.isAlwaysReady(descriptor) {
            source = .file(isReading: false)
        } else {
            let reopened = try Descriptor.reopen(descriptor, forWriting: false)
            let stream = try SystemStream.open(descriptor: reopened, on: loop)
            stream.delegate = self
            source = .stream(stream)
        }
    }

    deinit {
        close()
    }

    /// Starts reading, or resumes after ``pause()``.
    package func start() {
        switch source {
        case .stream(let stream): stream.startReading()
        case .file:
            source = .file(isReading: true)
            readInNextTurn()
        case nil: break
        }
    }

    /// Pauses reading. A pipe's writer soon blocks.
    package func pause() {
        switch source {
        case .stream(let stream): stream.stopReading()
        case .file: source = .file(isReading: false)
        case nil: break
        }
    }

    /// Whether input has arrived that has not been read. The end of the input does not count.
    package var hasUnreadBytes: Bool {
        switch source {
        case .stream(let stream): stream.hasUnreadBytes
        // The number of bytes of a large file does not fit, and may be negative.
        case .file: wsx_unread_bytes(descriptor) != 0
        case nil: false
        }
    }

    /// Stops reading permanently. Neither closure is called again.
    package func close() {
        if case .stream(let stream) = source { stream.close() }
        source = nil
    }

    private func readInNextTurn() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfNextTurn(DeferredWork { [weak self] in self?.continueFile() })
    }

    private func continueFile() {
        isScheduled = false
        guard case .file(isReading: true) = source else { return }
        readFile()
        if case .file(isReading: true) = source { readInNextTurn() }
    }

    private func readFile() {
        let buffer = loop.readBuffer
        do throws(IOError) {
            let count = try Descriptor.read(descriptor, into: buffer)
            guard count > 0 else { return end(nil) }
            receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
        } catch {
            end(error)
        }
    }

    private func end(_ error: IOError?) {
        close()
        finish(error)
    }
}

extension DescriptorReader: ByteStreamDelegate {
    /// Passes the bytes on.
    package func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
    }

    /// Reports the end of the input.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        end(nil)
    }

    /// Never called: nothing is written to an input.
    package func streamDidDrain(_ stream: any ByteStream) {}

    /// Reports an error. EIO means that the terminal has disconnected, which counts as the end of the input.
    package func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        let error = IOError(of: error)
        end(error.code == -EIO ? nil : error)
    }

    /// Never called: nothing is written to an input.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
