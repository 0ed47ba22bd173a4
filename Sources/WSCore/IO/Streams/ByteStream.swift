import CLibuv

/// A two-way flow of bytes without blocking: what the system gives, or what TLS makes of that.
///
/// An open stream keeps itself and its delegate alive until ``close()``.
public protocol ByteStream: AnyObject {
    /// The loop that the stream belongs to.
    var loop: EventLoop { get }
    /// Takes what happens; kept alive until the stream is closed.
    var delegate: (any ByteStreamDelegate)? { get set }
    /// Whether ``close()`` has been called.
    var isClosed: Bool { get }
    /// Whether the kernel has not taken all that ``write(_:)`` took.
    var isWriting: Bool { get }
    /// The number of bytes that were taken from ``write(_:)`` and are kept until the kernel has taken them all.
    var inFlightBytes: Int { get }
    /// The number of bytes that the peer's side has not taken, but for a few KiB: it shrinks while a peer reads that has
    /// much to read.
    var unsentBytes: Int { get }
    /// What can be known of the peer without reading.
    var peerPresence: PeerPresence { get }
    /// Whether the peer has sent something that has not been handed to the delegate.
    var hasUnreadBytes: Bool { get }

    /// Starts handing what arrives to the delegate, in this turn or a later one, or goes on after ``stopReading()``.
    func startReading()
    /// Stops reading, at once; the kernel's buffer fills, and then the peer has to wait.
    func stopReading()
    /// Writes as much of `buffer` as is taken at once, unless a write is under way already.
    ///
    /// What is left in `buffer` is to be offered again when the delegate hears that the stream has drained.
    /// - Throws: when nothing can be written any more; the bytes are lost.
    func write(_ buffer: inout ByteBuffer) throws(StreamError)
    /// Writes as much of `shared`, from `offset` on, as is taken at once, unless a write is under way already.
    /// - Returns: How many bytes were taken. The rest is to be offered again when the delegate hears that the stream has
    ///   drained.
    /// - Throws: when nothing can be written any more.
    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int
    /// Says to the peer that nothing more will be written, once everything has been.
    func shutdown()
    /// Closes the stream at once and lets go of the delegate. What has not been written is lost.
    func close()
}

/// Takes what happens on a stream.
public protocol ByteStreamDelegate: AnyObject {
    /// Bytes have arrived, in a buffer that streams share: they may be changed and are valid during the call.
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan)
    /// The peer has sent all it will send.
    func streamDidReachEnd(_ stream: any ByteStream)
    /// A write that could not be done at once is done: there is room for more.
    func streamDidDrain(_ stream: any ByteStream)
    /// Reading has failed; the stream is of no more use and is to be closed.
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError)
    /// A write that was under way has failed, and its bytes are lost. What the peer sent before may still be read.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError)
}

/// Why a stream is of no more use.
public enum StreamError: Error, CustomStringConvertible {
    /// The system says so.
    case system(IOError)
    /// A layer that protects the bytes refuses what came, or was refused.
    case protection(any ProtectionError)

    /// What happened.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .protection(let error): error.description
        }
    }
}

/// The error of a layer above the system's streams, such as TLS.
public protocol ProtectionError: Error, CustomStringConvertible {}

extension IOError {
    /// The system's part in a stream's error; ``IOError`` with `EPROTO` for an error of a layer above, such as TLS.
    public init(of error: StreamError) {
        switch error {
        case .system(let error): self = error
        case .protection: self = IOError(code: UV_EPROTO.rawValue)
        }
    }
}
