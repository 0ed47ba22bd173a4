import CLibuv

/// Takes what happens on a stream.
public protocol ByteStreamDelegate: AnyObject {
    /// Bytes have arrived, in the loop's read buffer: they may be changed and are valid during the call.
    func stream(_ stream: ByteStream, didRead bytes: inout MutableRawSpan)
    /// The peer has sent all it will send.
    func streamDidReachEnd(_ stream: ByteStream)
    /// A write that could not be done at once is done: there is room for more.
    func streamDidDrain(_ stream: ByteStream)
    /// Reading has failed; the stream is of no more use and is to be closed.
    func stream(_ stream: ByteStream, didFailToRead error: IOError)
    /// A write that was under way has failed, and its bytes are lost. What the peer sent before may still be read.
    func stream(_ stream: ByteStream, didFailToWrite error: IOError)
}

/// A TCP or Unix-domain connection, a pipe or a terminal, without blocking.
///
/// An open stream keeps itself and its delegate alive until ``close()``.
public final class ByteStream {
    /// The loop that the stream belongs to.
    public let loop: EventLoop
    /// Takes what happens; kept alive until the stream is closed.
    public var delegate: (any ByteStreamDelegate)?
    /// Whether ``close()`` has been called.
    public private(set) var isClosed = false

    internal let handle: UnsafeMutablePointer<uv_stream_t>
    private var writeRequest: UnsafeMutablePointer<uv_write_t>?
    private var inFlight = ByteBuffer()
    private var isReading = false

    /// Storage for output that is kept from one busy moment to the next, in bytes.
    private static let keptStorageBytes = 64 << 10

    /// Makes a stream on a handle that libuv has initialised, and takes the handle over.
    internal init(on loop: EventLoop, handle: UnsafeMutablePointer<uv_stream_t>) {
        self.loop = loop
        self.handle = handle
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        writeRequest?.deallocate()
        handle.deallocate()
    }

    /// Whether the kernel has not taken all that was given to ``write(_:)``.
    public var isWriting: Bool { !inFlight.isEmpty }

    /// The number of bytes of the write that is under way, which are kept until the kernel has taken them all.
    public var inFlightBytes: Int { isClosed ? 0 : inFlight.count }

    /// The number of those that the kernel has not taken: it shrinks while the peer reads.
    public var unsentBytes: Int { isWriting && !isClosed ? uv_stream_get_write_queue_size(handle) : 0 }

    /// Starts handing what arrives to the delegate, or goes on after ``stopReading()``.
    public func startReading() {
        guard !isClosed, !isReading else { return }
        isReading = true
        let result = uv_read_start(
            handle,
            { handle, _, buffer in
                guard let buffer, let data = handle?.pointee.data else { return }
                let readBuffer = Unmanaged<ByteStream>.fromOpaque(data).takeUnretainedValue().loop.readBuffer
                buffer.pointee = uv_buf_init(
                    readBuffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(readBuffer.count))
            },
            { handle, count, _ in
                guard let stream = ByteStream.from(handle) else { return }
                stream.didRead(count)
            })
        if result < 0 { delegate?.stream(self, didFailToRead: IOError(code: result)) }
    }

    /// Stops reading; the kernel's buffer fills, and then the peer has to wait.
    public func stopReading() {
        guard isReading else { return }
        isReading = false
        uv_read_stop(handle)
    }

    /// Writes as much of `buffer` as the kernel takes, and takes the rest over, unless a write is under way already.
    ///
    /// What is left in `buffer` is to be offered again when the delegate hears that the stream has drained.
    /// - Throws: ``IOError`` when the peer takes no more; the bytes are lost.
    public func write(_ buffer: inout ByteBuffer) throws(IOError) {
        guard !isClosed, !isWriting, !buffer.isEmpty else { return }
        let written = buffer.withReadableBytes { bytes in
            var vector = Self.vector(of: bytes)
            return uv_try_write(handle, &vector, 1)
        }
        if written > 0 {
            buffer.consume(Int(written))
        } else if written < 0, written != UV_EAGAIN.rawValue {
            buffer.removeAll()
            throw IOError(code: written)
        }
        if buffer.isEmpty {
            buffer.releaseStorage(above: Self.keptStorageBytes)
        } else {
            swap(&buffer, &inFlight)
            try writeInFlight()
        }
    }

    /// Says to the peer that nothing more will be written, once everything has been.
    public func shutdown() {
        guard !isClosed else { return }
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let result = uv_shutdown(request, handle) { request, _ in request?.deallocate() }
        if result < 0 { request.deallocate() }
    }

    /// Closes the stream at once and lets go of the delegate. What has not been written is lost.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        isReading = false
        delegate = nil
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { handle in
                guard let data = handle?.pointee.data else { return }
                Unmanaged<ByteStream>.fromOpaque(data).release()
            }
        }
    }

    internal static func from(_ handle: UnsafeMutablePointer<uv_stream_t>?) -> ByteStream? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<ByteStream>.fromOpaque(data).takeUnretainedValue()
    }

    private static func vector(of bytes: RawSpan) -> uv_buf_t {
        bytes.withUnsafeBytes { pointer in
            uv_buf_init(
                UnsafeMutablePointer(mutating: pointer.baseAddress?.assumingMemoryBound(to: CChar.self)),
                UInt32(clamping: pointer.count))
        }
    }

    private func didRead(_ count: Int) {
        if count > 0 {
            var bytes = UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<count]).mutableBytes
            delegate?.stream(self, didRead: &bytes)
        } else if count == Int(UV_EOF.rawValue) {
            stopReading()
            delegate?.streamDidReachEnd(self)
        } else if count < 0 {
            stopReading()
            delegate?.stream(self, didFailToRead: IOError(code: Int32(truncatingIfNeeded: count)))
        }
    }

    private func writeInFlight() throws(IOError) {
        let request = writeRequest ?? .allocate(capacity: 1)
        writeRequest = request
        let result = inFlight.withReadableBytes { bytes in
            var vector = Self.vector(of: bytes)
            return uv_write(request, handle, &vector, 1) { request, status in
                guard let stream = ByteStream.from(request?.pointee.handle) else { return }
                stream.didWriteInFlight(status)
            }
        }
        if result < 0 {
            inFlight.removeAll()
            throw IOError(code: result)
        }
    }

    private func didWriteInFlight(_ status: Int32) {
        guard !isClosed else { return }
        let written = min(inFlight.count, Int(UInt32.max))
        inFlight.consume(status < 0 ? inFlight.count : written)
        do throws(IOError) {
            try IOError.check(status)
            if inFlight.isEmpty {
                inFlight.releaseStorage(above: Self.keptStorageBytes)
                delegate?.streamDidDrain(self)
            } else {
                try writeInFlight()
            }
        } catch {
            delegate?.stream(self, didFailToWrite: error)
        }
    }
}
