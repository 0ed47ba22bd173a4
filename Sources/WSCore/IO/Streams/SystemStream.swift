import CSystem
import Glibc

/// A non-blocking TCP or Unix domain connection, pipe, or terminal.
///
/// The loop reports only changes of the descriptor's state (edge-triggered). The stream remembers the rest: it reads
/// until nothing is left, and writes until the kernel accepts no more. Pausing and resuming need no system call.
package final class SystemStream: PolledDescriptor, ByteStream {
    /// The kinds of descriptors that differ in their system calls.
    internal enum Kind: UInt8 {
        case tcp
        /// A Unix domain socket, or an inherited stream socket of any family.
        case localSocket
        /// A pipe, a terminal, or a datagram socket.
        case other
    }

    package let loop: EventLoop
    /// Receives the stream's events. Retained until the stream is closed.
    package var delegate: (any ByteStreamDelegate)?
    private var pendingWrite: PendingWrite?
    private let descriptor: Int32
    private let kind: Kind
    private var state: State = []
    /// The number of bytes that the kernel has accepted, counted until it exceeds ``unheededBytes``.
    private var acceptedBytes: UInt16 = 0

    /// What the stream does and knows, in one byte: there are many streams.
    private struct State: OptionSet {
        let rawValue: UInt8

        static let closed = State(rawValue: 1 << 0)
        /// Received bytes are passed to the delegate.
        static let reading = State(rawValue: 1 << 1)
        /// There may be something to read.
        static let readable = State(rawValue: 1 << 2)
        /// ``continueWork()`` will be called.
        static let queued = State(rawValue: 1 << 3)
        /// There may be something left after a short read.
        static let readsUntilEmpty = State(rawValue: 1 << 4)
        /// ``shutdown()`` waits for a write.
        static let shuttingDown = State(rawValue: 1 << 5)
        /// The stream keeps its loop alive.
        static let active = State(rawValue: 1 << 6)
        /// A write has failed, but the stream has not ended: the peer lacks bytes in the middle. That ends it.
        static let failed = State(rawValue: 1 << 7)
    }

    /// The storage that a caller's buffer keeps after the kernel has accepted all its bytes, in bytes.
    private static let keptBufferBytes = 64 << 10
    /// The events to poll for. Sockets are polled for `writable` only during a write: the kernel would report it for
    /// each new connection, after each ``shutdown()``, and whenever the peer reads from a Unix domain socket.
    private static let readEvents: PollEvents = [.readable, .peerEnded, .urgent, .edgeTriggered]
    private static let events = readEvents.union(.writable)

    /// Creates a stream on a connected, non-blocking descriptor and takes ownership of the descriptor.
    /// - Parameter attempt: The connection attempt that polled the descriptor, if any.
    /// - Throws: ``IOError`` if the descriptor cannot be polled. It is then closed.
    internal init(
        descriptor: Int32, kind: Kind, on loop: EventLoop, after attempt: ConnectAttempt? = nil
    ) throws(IOError) {
        self.loop = loop
        self.descriptor = descriptor
        self.kind = kind
        super.init()
        // A terminal returns single lines, and a datagram socket single datagrams.
        if kind == .other { state.insert(.readsUntilEmpty) }
        let events = kind == .other ? Self.events : Self.readEvents
        if let attempt {
            loop.passDescriptor(descriptor, for: events, from: attempt, to: self)
        } else {
            do throws(IOError) {
                try loop.startPolling(descriptor, for: events, target: self)
            } catch {
                Descriptor.closeDescriptor(descriptor)
                throw error
            }
        }
        // Released by `close()`.
        _ = Unmanaged.passRetained(self)
    }

    /// Whether it is a Unix domain socket that this process has connected.
    package var isFromThisProcess: Bool { wsx_peer_process(descriptor) == getpid() }

    /// Whether ``close()`` has been called.
    package var isClosed: Bool { state.contains(.closed) }

    /// The storage for in-flight bytes to keep between bursts, in bytes. Default: 0, because there are many streams.
    internal var keptStorageBytes: Int {
        get { pendingWrite?.keptStorageBytes ?? 0 }
        set { makePendingWrite().keptStorageBytes = newValue }
    }

    /// Whether the kernel has not yet accepted everything passed to ``write(_:)``.
    package var isWriting: Bool { unwrittenBytes > 0 }

    /// The number of bytes that the write in progress had when it began, less those that the kernel accepted at once.
    package var inFlightBytes: Int { isWriting ? pendingWrite?.startBytes ?? 0 : 0 }

    /// The storage of the write in progress, in bytes. The kernel may have accepted nearly all of it.
    package var storageBytes: Int { isWriting ? pendingWrite?.storageBytes ?? 0 : 0 }

    /// The size of the message if the write in progress is part of a broadcast.
    package var broadcastInFlightBytes: Int {
        pendingWrite?.shared?.bytes.isBroadcast ?? false ? storageBytes : 0
    }

    /// The number of bytes of the write in progress that the kernel has not accepted.
    // The first test avoids a call for each write.
    internal var unwrittenBytes: Int { pendingWrite == nil ? 0 : pendingWrite?.count ?? 0 }

    /// The number of bytes not yet accepted by the kernel, with those of a write that failed, plus those that the peer's
    /// side has not acknowledged.
    package var unsentBytes: Int {
        guard !isClosed else { return 0 }
        let ownBytes = unwrittenBytes + (pendingWrite?.lostBytes ?? 0)
        guard kind == .tcp, Int(acceptedBytes) > Self.unheededBytes else { return ownBytes }
        return ownBytes + max(0, Int(wsx_unacknowledged_bytes(descriptor)) - Self.unheededBytes)
    }

    /// Unacknowledged bytes up to this number do not count: a peer's kernel acknowledges them immediately whether or
    /// not the peer reads. Close frames and heartbeats are smaller.
    private static let unheededBytes = 4 << 10

    package func startReading() {
        guard !isClosed, !state.contains(.reading) else { return }
        state.insert(.reading)
        updateActivity()
        if !state.isDisjoint(with: [.readable, .failed]) { continueNextTurn() }
    }

    package func stopReading() {
        guard state.remove(.reading) != nil else { return }
        updateActivity()
    }

    /// Writes as much of `buffer` as the kernel accepts and takes over the rest, unless a write is in progress.
    /// - Throws: ``StreamError`` if the stream is no longer writable; the bytes are lost.
    package func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        try write(&buffer, moreFollows: false)
    }

    /// Like ``write(_:)``; TCP keeps bytes that do not fill a packet until more bytes or the end follow, for 200 ms at most.
    package func writeBeforeEnd(_ buffer: inout ByteBuffer) throws(StreamError) {
        try write(&buffer, moreFollows: kind == .tcp)
    }

    private func write(_ buffer: inout ByteBuffer, moreFollows: Bool) throws(StreamError) {
        guard !isClosed, !isWriting, !buffer.isEmpty else { return }
        let written = buffer.withReadableBytes { tryToWrite($0, moreFollows: moreFollows) }
        guard written >= 0 else {
            buffer.removeAll()
            throw .system(failWriting(Int32(written)))
        }
        buffer.consume(written)
        if buffer.isEmpty {
            buffer.releaseStorage(above: max(keptStorageBytes, Self.keptBufferBytes))
        } else {
            let pending = makePendingWrite()
            swap(&buffer, &pending.bytes)
            begin(pending, after: written)
        }
    }

    /// Writes as much of `shared`, starting at `offset`, as the kernel accepts and retains the rest, unless a write is
    /// in progress.
    /// - Returns: The number of bytes accepted: all of them, or 0 if a write is in progress.
    /// - Throws: ``StreamError`` if the stream is no longer writable.
    package func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        let count = shared.count - offset
        guard !isClosed, !isWriting, count > 0 else { return 0 }
        let written = shared.withBytes(from: offset) { tryToWrite($0) }
        guard written >= 0 else { throw .system(failWriting(Int32(written))) }
        if written < count {
            let pending = makePendingWrite()
            pending.shared = (shared, offset + written)
            begin(pending, after: written)
        }
        return count
    }

    /// Closes our side of the connection after everything has been written.
    package func shutdown() {
        guard !isClosed else { return }
        state.insert(.shuttingDown)
        shutDownIfWritten()
    }

    /// Closes the stream immediately and releases the delegate. Unwritten data is lost.
    package func close() {
        guard !isClosed else { return }
        state.insert(.closed)
        state.remove(.reading)
        delegate = nil
        pendingWrite = nil
        updateActivity()
        loop.stopPolling(descriptor, self)
        Descriptor.closeDescriptor(descriptor)
        Unmanaged.passUnretained(self).release()
    }

    /// RFC 9293 §3.10.7.4: a reset, unlike FIN, tells the peer that the data is incomplete.
    package func abort() {
        if !isClosed, kind == .tcp { Socket.resetWhenClosed(descriptor) }
        close()
    }

    override func becameReady(for events: PollEvents) {
        guard !isClosed else { return }
        // The end is reported only once. Urgent data interrupts a read.
        if !events.isDisjoint(with: .endingsOrUrgent) { state.insert(.readsUntilEmpty) }
        if !events.isDisjoint(with: .readableOrEndings) {
            state.insert(.readable)
            if state.contains(.reading), !state.contains(.queued) { read() }
        }
        if isWriting, !events.isDisjoint(with: .writableOrFailed) { continueWriting() }
    }

    override func continueWork() {
        state.remove(.queued)
        if state.contains(.reading) {
            if state.contains(.failed) { reportFailure() } else if state.contains(.readable) { read() }
        }
        if kind == .other, isWriting { continueWriting() }
    }

    private func continueNextTurn() {
        guard state.insert(.queued).inserted else { return }
        loop.continueNextTurn(self)
    }

    /// Reads once. A stream with more to read continues in the next turn, after the others.
    private func read() {
        let buffer = loop.readBuffer
        let count = wsx_read(descriptor, kind == .other ? 0 : 1, buffer.baseAddress, buffer.count)
        if count > 0 {
            // epoll(7), question 9: a stream socket is exhausted if it returns less than requested.
            if count < buffer.count, !state.contains(.readsUntilEmpty) { state.remove(.readable) }
            var bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).mutableBytes
            delegate?.stream(self, didRead: &bytes)
            if state.contains(.reading), state.contains(.readable) { continueNextTurn() }
        } else if count == 0 {
            stopReading()
            delegate?.streamDidReachEnd(self)
        } else if count == -EAGAIN {
            state.remove(.readable)
        } else {
            stopReading()
            delegate?.stream(self, didFailToRead: .system(IOError(code: Int32(count))))
        }
    }

    /// Ends the stream after a failed write if the kernel does not: what follows would hide the gap. The delegate is
    /// notified like of a failed read.
    private func failWriting(_ code: Int32) -> IOError {
        let error = IOError(code: code)
        guard !isClosed, !error.endsStream, state.insert(.failed).inserted else { return error }
        makePendingWrite().failure = error
        if state.contains(.reading) { continueNextTurn() }
        return error
    }

    private func reportFailure() {
        guard let failure = pendingWrite?.failure else { return }
        stopReading()
        delegate?.stream(self, didFailToRead: .system(failure))
    }

    /// Writes as much as the kernel accepts at once.
    /// - Returns: The number of bytes that the kernel has accepted, or a negative error.
    private func tryToWrite(_ bytes: RawSpan, moreFollows: Bool = false) -> Int {
        if state.contains(.failed), let failure = pendingWrite?.failure { return Int(failure.code) }
        return bytes.withUnsafeBytes { bytes in
            let count =
                kind == .other
                ? wsx_write(descriptor, bytes.baseAddress, bytes.count)
                : wsx_send(descriptor, bytes.baseAddress, bytes.count, moreFollows ? 1 : 0)
            if count > 0, Int(acceptedBytes) <= Self.unheededBytes {
                acceptedBytes = UInt16(clamping: Int(acceptedBytes) + count)
            }
            return count == -EAGAIN ? 0 : count
        }
    }

    private func makePendingWrite() -> PendingWrite {
        let pending = pendingWrite ?? PendingWrite()
        pendingWrite = pending
        return pending
    }

    /// Continues with a write in a later turn, when the kernel accepts more.
    /// - Parameter written: The number of bytes that it has just accepted.
    private func begin(_ pending: PendingWrite, after written: Int) {
        pending.startBytes = pending.count
        updateActivity()
        if kind != .other { loop.changePolling(descriptor, for: Self.events, target: self) }
        continueIfIncomplete(written)
    }

    private func continueWriting() {
        guard let pending = pendingWrite else { return }
        let written = pending.withBytes { tryToWrite($0) }
        guard written >= 0 else {
            let failed = PendingWrite()
            failed.lostBytes = pending.count
            pendingWrite = failed
            endWrite()
            delegate?.stream(self, didFailToWrite: .system(failWriting(Int32(written))))
            return
        }
        pending.consume(written)
        guard pending.count == 0 else { return continueIfIncomplete(written) }
        pending.bytes.releaseStorage(above: pending.keptStorageBytes)
        if pending.bytes.storageBytes == 0, pending.keptStorageBytes == 0 { pendingWrite = nil }
        endWrite()
        shutDownIfWritten()
        delegate?.streamDidDrain(self)
    }

    /// epoll(7), question 9: a socket accepts less than offered only if it is full. A terminal may accept more.
    private func continueIfIncomplete(_ written: Int) {
        if kind == .other, written > 0 { continueNextTurn() }
    }

    private func endWrite() {
        updateActivity()
        if kind != .other { loop.changePolling(descriptor, for: Self.readEvents, target: self) }
    }

    private func shutDownIfWritten() {
        guard !isWriting, state.remove(.shuttingDown) != nil else { return }
        Socket.endSending(descriptor)
    }

    private func updateActivity() {
        let isActive = state.contains(.reading) || isWriting
        guard isActive != state.contains(.active) else { return }
        state.formSymmetricDifference(.active)
        loop.activeCount += isActive ? 1 : -1
    }
}

extension SystemStream {
    /// Creates a stream on a descriptor. Takes ownership of the descriptor and makes it non-blocking.
    /// - Throws: ``IOError`` if the descriptor cannot be polled. It is then closed.
    internal static func open(descriptor: Int32, on loop: EventLoop) throws(IOError) -> SystemStream {
        let result = wsx_stop_blocking(descriptor)
        guard result >= 0 else {
            Descriptor.closeDescriptor(descriptor)
            throw IOError(code: result)
        }
        let kind: Kind =
            wsx_option(descriptor, SOL_SOCKET, SO_TYPE) == Int32(SOCK_STREAM.rawValue) ? .localSocket : .other
        return try SystemStream(descriptor: descriptor, kind: kind, on: loop)
    }

    /// The address at this end; nil for a Unix domain socket.
    var localAddress: SocketAddress? { isClosed ? nil : Socket.localAddress(of: descriptor) }

    /// The peer's state, as far as the system knows it without reading.
    package var peerPresence: PeerPresence {
        guard !isClosed else { return .isGone }
        switch Int(wsx_peer_presence(descriptor, kind == .tcp ? 1 : 0)) {
        case WSX_PEER_HAS_ENDED: return .hasEnded
        case WSX_PEER_IS_GONE: return .isGone
        default: return .present
        }
    }

    /// Whether the peer has sent bytes that have not been read.
    package var hasUnreadBytes: Bool { !isClosed && wsx_unread_bytes(descriptor) > 0 }
}
