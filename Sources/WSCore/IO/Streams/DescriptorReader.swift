import CLibuv

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
        case file(UnsafeMutablePointer<uv_idle_t>)
    }

    private let descriptor: Int32
    private let loop: EventLoop
    private let receive: Receive
    private let finish: Finish
    private var source: Source?

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
            let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
            uv_idle_init(loop.libuvLoop(), idle)
            idle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
            source = .file(idle)
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
        case .file(let idle):
            uv_idle_start(idle) { idle in
                guard let data = idle?.pointee.data else { return }
                Unmanaged<DescriptorReader>.fromOpaque(data).takeUnretainedValue().readFile()
            }
        case nil: break
        }
    }

    /// Pauses reading. A pipe's writer soon blocks.
    package func pause() {
        switch source {
        case .stream(let stream): stream.stopReading()
        case .file(let idle): uv_idle_stop(idle)
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
        switch source {
        case .stream(let stream): stream.close()
        case .file(let idle):
            uv_idle_stop(idle)
            idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                uv_close(handle) { $0?.deallocate() }
            }
        case nil: break
        }
        source = nil
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
        end(error.code == UV_EIO.rawValue ? nil : error)
    }

    /// Never called: nothing is written to an input.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
