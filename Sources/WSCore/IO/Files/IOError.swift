import CLibuv

/// A failure of the operating system, as libuv reports it.
public struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// libuv's number for it: a negated errno, or one of libuv's own.
    public let code: Int32

    /// Makes an error from a libuv result below 0.
    public init(code: Int32) {
        self.code = code
    }

    /// The reader of a pipe, or the peer of a socket, is gone.
    public static let brokenPipe = IOError(code: UV_EPIPE.rawValue)
    /// Nobody has opened the pipe to read it.
    public static let noReader = IOError(code: UV_ENXIO.rawValue)
    /// The descriptor is not open, or not for this.
    public static let badDescriptor = IOError(code: UV_EBADF.rawValue)
    /// Nobody listens at the address.
    public static let connectionRefused = IOError(code: UV_ECONNREFUSED.rawValue)
    /// Somebody else listens at the address.
    public static let addressInUse = IOError(code: UV_EADDRINUSE.rawValue)
    /// The descriptor is no terminal.
    public static let noTerminal = IOError(code: UV_ENOTTY.rawValue)
    /// The operation would have to wait.
    public static let tryAgain = IOError(code: UV_EAGAIN.rawValue)
    /// The name exists, but has no address of the kind asked for.
    public static let noAddress = IOError(code: UV_EAI_NODATA.rawValue)
    /// No interface of this machine has the address.
    public static let addressNotAvailable = IOError(code: UV_EADDRNOTAVAIL.rawValue)
    /// The operation was called off.
    public static let canceled = IOError(code: UV_ECANCELED.rawValue)
    /// The peer ended the connection without ceremony.
    public static let connectionReset = IOError(code: UV_ECONNRESET.rawValue)

    /// The name service cannot answer now.
    public static let nameServiceBusy = IOError(code: UV_EAI_AGAIN.rawValue)
    /// There is no such name.
    public static let unknownName = IOError(code: UV_EAI_NONAME.rawValue)
    /// There is no such file or socket.
    public static let noSuchFile = IOError(code: UV_ENOENT.rawValue)
    /// There is such a file already.
    public static let fileExists = IOError(code: UV_EEXIST.rawValue)
    /// It is not of the kind that is needed.
    public static let invalidArgument = IOError(code: UV_EINVAL.rawValue)
    /// The file is too large.
    public static let fileTooLarge = IOError(code: UV_EFBIG.rawValue)
    /// It is not allowed.
    public static let accessDenied = IOError(code: UV_EACCES.rawValue)

    /// The process has as many descriptors as it may have.
    public static let tooManyOpenFiles = IOError(code: UV_EMFILE.rawValue)
    /// The system has as many open files as it can have.
    public static let fileTableFull = IOError(code: UV_ENFILE.rawValue)
    /// There is no memory left for it.
    public static let outOfMemory = IOError(code: UV_ENOMEM.rawValue)

    /// Whether an attempt to connect that failed so may succeed later, with nothing changed at this end: the server is
    /// away, the network is, or the system is short of something.
    public var mayPass: Bool { Self.passing.contains(code) }

    private static let passing = Set(
        [
            UV_ECONNREFUSED, UV_ECONNRESET, UV_ECONNABORTED, UV_EPIPE, UV_ETIMEDOUT, UV_EHOSTUNREACH, UV_ENETUNREACH,
            UV_EHOSTDOWN, UV_ENETDOWN, UV_ENONET, UV_ENOENT, UV_EAI_AGAIN, UV_EAI_MEMORY, UV_EADDRNOTAVAIL, UV_EAGAIN,
            UV_EMFILE, UV_ENFILE, UV_ENOBUFS, UV_ENOMEM,
        ].map(\.rawValue))

    /// What happened, in libuv's words: `connection refused`.
    public var description: String { String(cString: uv_strerror(code)) }

    /// Throws when a libuv result is below 0; returns it otherwise.
    @discardableResult
    internal static func check(_ result: Int32) throws(IOError) -> Int32 {
        guard result >= 0 else { throw IOError(code: result) }
        return result
    }
}
