import CSystem

/// A non-blocking, bidirectional stream of bytes: a stream of the system, or a layer such as TLS on top of one.
///
/// An open stream keeps itself and its delegate alive until ``close()``.
package protocol ByteStream: AnyObject {
    /// The loop that the stream runs on.
    var loop: EventLoop { get }
    /// Receives the stream's events. Retained until the stream is closed.
    var delegate: (any ByteStreamDelegate)? { get set }
    /// Whether ``close()`` has been called.
    var isClosed: Bool { get }
    /// Whether the kernel has not yet accepted everything that ``write(_:)`` accepted.
    var isWriting: Bool { get }
    /// The number of bytes accepted by ``write(_:)`` and retained until the kernel has accepted all of them.
    var inFlightBytes: Int { get }
    /// The size of the storage of what was accepted by ``write(_:)``, until the kernel has accepted all of it. Defaults to
    /// ``inFlightBytes``.
    var storageBytes: Int { get }
    /// The part of ``storageBytes`` that belongs to a broadcast, which other streams retain, too. Defaults to 0.
    var broadcastInFlightBytes: Int { get }
    /// The number of bytes that have not reached the peer's side, accurate to a few KiB. It shrinks while a peer with a
    /// long backlog reads.
    var unsentBytes: Int { get }
    /// The peer's state, as far as it is known without reading.
    var peerPresence: PeerPresence { get }
    /// Whether the peer has sent bytes that have not been passed to the delegate.
    var hasUnreadBytes: Bool { get }
    /// The size of the storage of what the peer has sent, if it may be more than one read. Defaults to 0.
    var unreadStorageBytes: Int { get }

    /// Starts passing received bytes to the delegate, in this turn or a later one, or resumes after ``stopReading()``.
    /// Delegates may call both methods at any time, also for each received piece. A delegate that takes over a stream
    /// after its end and starts reading receives the end, too.
    func startReading()
    /// Stops reading immediately. The kernel's buffer fills up, and then the peer has to wait.
    func stopReading()
    /// Writes as much of `buffer` as the stream accepts now, unless a write is in progress. Without bytes, nothing happens.
    ///
    /// Offer the bytes left in `buffer` again after the delegate receives ``ByteStreamDelegate/streamDidDrain(_:)``.
    /// - Throws: ``StreamError`` if the stream is no longer writable; the bytes are lost.
    func write(_ buffer: inout ByteBuffer) throws(StreamError)
    /// Like ``write(_:)``, if more bytes, ``shutdown()``, or ``close()`` follow as soon as the stream accepts them: the
    /// last bytes may share a packet with the end. If nothing follows, they may arrive late. Defaults to ``write(_:)``.
    func writeBeforeEnd(_ buffer: inout ByteBuffer) throws(StreamError)
    /// Writes as much of `shared`, starting at `offset`, as the stream accepts now, unless a write is in progress.
    /// - Returns: The number of bytes accepted. Offer the rest again after the delegate receives
    ///   ``ByteStreamDelegate/streamDidDrain(_:)``.
    /// - Throws: ``StreamError`` if the stream is no longer writable.
    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int
    /// Signals the end of data to the peer after everything has been written.
    func shutdown()
    /// Closes the stream immediately and releases the delegate. Unwritten data is lost.
    func close()
    /// Like ``close()``, but tells the peer that the data is incomplete. A Unix domain socket cannot. Defaults to
    /// ``close()``.
    func abort()
}

/// Receives the events of a stream.
package protocol ByteStreamDelegate: AnyObject {
    /// Bytes have arrived. The buffer is shared by all streams: the bytes may be modified and are valid only during the
    /// call.
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan)
    /// Bytes have arrived while the delegate does not read. ``ByteStream/unreadStorageBytes`` may have grown.
    func streamDidKeepInput(_ stream: any ByteStream)
    /// The peer has ended its side of the stream, and all its bytes have been passed on.
    func streamDidReachEnd(_ stream: any ByteStream)
    /// A write that was in progress has finished: the stream accepts more bytes.
    func streamDidDrain(_ stream: any ByteStream)
    /// Reading failed. The stream is unusable and must be closed.
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError)
    /// A write that was in progress failed and its bytes are lost. Data that the peer sent earlier may still be
    /// readable.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError)
}

/// The reason a stream is unusable.
package enum StreamError: Error, CustomStringConvertible {
    /// The system reported an error.
    case system(IOError)
    /// A layer such as TLS rejected received data, or the peer rejected ours.
    case protection(any Error & CustomStringConvertible)

    /// A short reason.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .protection(let error): error.description
        }
    }
}

extension IOError {
    /// The system error of a stream error; `EPROTO` for an error of a layer such as TLS.
    package init(of error: StreamError) {
        switch error {
        case .system(let error): self = error
        case .protection: self = IOError(code: -EPROTO)
        }
    }
}

/// The state of a stream's peer, as far as it is known without reading.
package enum PeerPresence: Sendable {
    /// There is no sign that the peer has gone.
    case present
    /// The peer has ended its side. Only sending reveals whether it still reads.
    case hasEnded
    /// The peer is gone: it receives nothing more.
    case isGone
}

extension ByteStreamDelegate {
    package func streamDidKeepInput(_ stream: any ByteStream) {}
}

extension ByteStream {
    package var unreadStorageBytes: Int { 0 }

    package var storageBytes: Int { inFlightBytes }

    package func abort() { close() }

    package func writeBeforeEnd(_ buffer: inout ByteBuffer) throws(StreamError) { try write(&buffer) }

    /// 0: the stream copies what it retains.
    package var broadcastInFlightBytes: Int { 0 }

    /// Writes as much of a queue as the stream accepts now, unless a write is in progress.
    /// - Returns: Whether the stream accepted everything. If not, offer the queue again after the delegate receives
    ///   ``ByteStreamDelegate/streamDidDrain(_:)``, and write nothing else before.
    /// - Throws: ``StreamError`` if the stream is no longer writable.
    package func write(_ backlog: WriteQueue) throws(StreamError) -> Bool {
        while backlog.first != nil {
            let countBefore = backlog.count
            let isTaken = try backlog.takeFirst { (part) throws(StreamError) in
                try write(&part.own)
                guard part.own.isEmpty else { return 0 }
                return try write(part.shared, from: part.offset)
            }
            // A stream may accept the queue piecewise, so it is asked until it accepts nothing.
            guard isTaken || backlog.count < countBefore else { return false }
        }
        return true
    }
}
