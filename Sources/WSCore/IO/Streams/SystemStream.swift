import CLibuv

/// A non-blocking TCP or Unix domain connection, pipe, or terminal.
public final class SystemStream: ByteStream {
    /// The loop that the stream runs on.
    public let loop: EventLoop
    /// Receives the stream's events. Retained until the stream is closed.
    public var delegate: (any ByteStreamDelegate)?
    /// Whether ``close()`` has been called.
    public private(set) var isClosed = false
    // Next to the other Boolean to avoid padding: there are many streams.
    private var isReading = false

    internal let handle: UnsafeMutablePointer<uv_stream_t>
    private var pendingWrite: PendingWrite?

    /// The storage for in-flight bytes to keep between bursts, in bytes. Default: 0, because there are many streams.
    internal var keptStorageBytes = 0

    /// The storage that a caller's buffer keeps after the kernel has accepted all its bytes, in bytes.
    private static let keptBufferBytes = 64 << 10

    /// Creates a stream on an initialized libuv handle and takes ownership of the handle.
    internal init(on loop: EventLoop, handle: UnsafeMutablePointer<uv_stream_t>) {
        self.loop = loop
        self.handle = handle
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        handle.deallocate()
    }

    /// Whether the kernel has not yet accepted everything passed to ``write(_:)``.
    public var isWriting: Bool { pendingWrite != nil && inFlightBytes > 0 }

    /// The number of bytes of the write in progress.
    public var inFlightBytes: Int { isClosed ? 0 : (pendingWrite?.count ?? 0) }

    /// The number of bytes not yet accepted by the kernel, plus those that the peer's side has not acknowledged.
    public var unsentBytes: Int {
        guard !isClosed else { return 0 }
        let waitingBytes = isWriting ? uv_stream_get_write_queue_size(handle) : 0
        guard handle.pointee.type == UV_TCP else { return waitingBytes }
        let unacknowledgedBytes = Int(withTCPHandle { wsx_unacknowledged_bytes($0) })
        return waitingBytes + max(0, unacknowledgedBytes - Self.unheededBytes)
    }

    /// Unacknowledged bytes up to this number do not count: a peer's kernel acknowledges them immediately whether or
    /// not the peer reads. Close frames and heartbeats are smaller.
    private static let unheededBytes = 4 << 10

    /// Starts or resumes reading.
    public func startReading() {
        guard !isClosed, !isReading else { return }
        isReading = true
        let result = uv_read_start(
            handle,
            { handle, _, buffer in
                guard let handle, let buffer, let data = handle.pointee.loop.pointee.data else { return }
                let room = data.assumingMemoryBound(to: EventLoop.ReadRoom.self)
                // By default, libuv reads up to 32 times before it serves others. Without a buffer it does not read,
                // and unread data makes the stream ready again in the next turn.
                if room.pointee.filler != UnsafeMutableRawPointer(handle) { buffer.pointee = room.pointee.buffer }
            },
            { handle, count, _ in
                // The stream is released when its handle has been closed, which libuv does after handling all ready
                // events.
                guard let data = handle?.pointee.data else { return }
                Unmanaged<SystemStream>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.didRead(count) }
            })
        if result < 0 { delegate?.stream(self, didFailToRead: .system(IOError(code: result))) }
    }

    /// Stops reading.
    public func stopReading() {
        guard isReading else { return }
        isReading = false
        uv_read_stop(handle)
    }

    /// Writes as much of `buffer` as the kernel accepts and takes over the rest, unless a write is in progress.
    /// - Throws: ``StreamError`` if the stream is no longer writable; the bytes are lost.
    public func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        guard !isClosed, !isWriting, !buffer.isEmpty else { return }
        let written = buffer.withReadableBytes { tryToWrite($0) }
        if written > 0 {
            buffer.consume(Int(written))
        } else if written < 0, written != UV_EAGAIN.rawValue {
            buffer.removeAll()
            throw .system(IOError(code: written))
        }
        if buffer.isEmpty {
            buffer.releaseStorage(above: max(keptStorageBytes, Self.keptBufferBytes))
        } else {
            let pending = makePendingWrite()
            swap(&buffer, &pending.bytes)
            try writeOn(pending)
        }
    }

    /// Writes as much of `shared`, starting at `offset`, as the kernel accepts and retains the rest, unless a write is
    /// in progress.
    /// - Returns: The number of bytes accepted: all of them, or 0 if a write is in progress.
    /// - Throws: ``StreamError`` if the stream is no longer writable.
    public func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        let count = shared.count - offset
        guard !isClosed, !isWriting, count > 0 else { return 0 }
        let written = shared.withBytes(from: offset) { tryToWrite($0) }
        guard written >= 0 || written == UV_EAGAIN.rawValue else { throw .system(IOError(code: written)) }
        let writtenBytes = max(0, Int(written))
        if writtenBytes < count {
            let pending = makePendingWrite()
            pending.shared = (shared, offset + writtenBytes)
            try writeOn(pending)
        }
        return count
    }

    /// Closes our side of the connection after everything has been written.
    public func shutdown() {
        guard !isClosed else { return }
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let result = uv_shutdown(request, handle) { request, _ in request?.deallocate() }
        if result < 0 { request.deallocate() }
    }

    /// Closes the stream immediately and releases the delegate. Unwritten data is lost.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        isReading = false
        delegate = nil
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { handle in
                guard let data = handle?.pointee.data else { return }
                Unmanaged<SystemStream>.fromOpaque(data).release()
            }
        }
    }

    internal static func from(_ handle: UnsafeMutablePointer<uv_stream_t>?) -> SystemStream? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<SystemStream>.fromOpaque(data).takeUnretainedValue()
    }

    private static func vector(of bytes: RawSpan) -> uv_buf_t {
        bytes.withUnsafeBytes { pointer in
            uv_buf_init(
                UnsafeMutablePointer(mutating: pointer.baseAddress?.assumingMemoryBound(to: CChar.self)),
                UInt32(clamping: pointer.count))
        }
    }

    /// Returns the number of bytes that the kernel accepted, or a negative error.
    private func tryToWrite(_ bytes: RawSpan) -> Int32 {
        var vector = Self.vector(of: bytes)
        return uv_try_write(handle, &vector, 1)
    }

    private func makePendingWrite() -> PendingWrite {
        let pending = pendingWrite ?? PendingWrite()
        pendingWrite = pending
        return pending
    }

    private func didRead(_ count: Int) {
        if count > 0 {
            if count == EventLoop.readBufferBytes { loop.readRoom.pointee.filler = UnsafeMutableRawPointer(handle) }
            var bytes = UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<count]).mutableBytes
            delegate?.stream(self, didRead: &bytes)
        } else if count == Int(UV_EOF.rawValue) {
            stopReading()
            delegate?.streamDidReachEnd(self)
        } else if count == Int(UV_ENOBUFS.rawValue), loop.readRoom.pointee.filler == UnsafeMutableRawPointer(handle) {
            // The buffer was withheld deliberately.
        } else if count < 0 {
            stopReading()
            delegate?.stream(self, didFailToRead: .system(IOError(code: Int32(truncatingIfNeeded: count))))
        }
    }

    private func writeOn(_ pending: PendingWrite) throws(StreamError) {
        let result = pending.withBytes { bytes in
            var vector = Self.vector(of: bytes)
            return uv_write(pending.request, handle, &vector, 1) { request, status in
                guard let stream = SystemStream.from(request?.pointee.handle) else { return }
                stream.didWrite(status)
            }
        }
        if result < 0 {
            pendingWrite = nil
            throw .system(IOError(code: result))
        }
    }

    private func didWrite(_ status: Int32) {
        guard !isClosed, let pending = pendingWrite else { return }
        let written = min(pending.count, Int(UInt32.max))
        do throws(StreamError) {
            guard status >= 0 else {
                pendingWrite = nil
                throw .system(IOError(code: status))
            }
            pending.consume(written)
            if pending.count == 0 {
                pending.bytes.releaseStorage(above: keptStorageBytes)
                if pending.bytes.storageBytes == 0 { pendingWrite = nil }
                delegate?.streamDidDrain(self)
            } else {
                try writeOn(pending)
            }
        } catch {
            delegate?.stream(self, didFailToWrite: error)
        }
    }
}

/// The bytes that the kernel has not yet accepted, and libuv's write request for them.
private final class PendingWrite {
    let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    var bytes = ByteBuffer()
    /// Shared bytes to write instead of ``bytes``, starting at an offset, or `nil`.
    var shared: (bytes: SharedBytes, offset: Int)?

    var count: Int {
        guard let shared else { return bytes.count }
        return shared.bytes.count - shared.offset
    }

    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        guard let shared else { return bytes.withReadableBytes { body($0) } }
        return shared.bytes.withBytes(from: shared.offset) { body($0) }
    }

    func consume(_ byteCount: Int) {
        guard let shared else { return bytes.consume(byteCount) }
        self.shared = byteCount == count ? nil : (shared.bytes, shared.offset + byteCount)
    }

    deinit {
        request.deallocate()
    }
}

extension SystemStream {
    /// The peer's state, as far as the system knows it without reading.
    public var peerPresence: PeerPresence {
        guard !isClosed else { return .isGone }
        switch Int(wsx_peer_presence(handle)) {
        case WSX_PEER_HAS_ENDED: return .hasEnded
        case WSX_PEER_IS_GONE: return .isGone
        default: return .present
        }
    }

    /// Whether the peer has sent bytes that have not been read.
    public var hasUnreadBytes: Bool { !isClosed && wsx_unread_bytes(handle) > 0 }
}
