import CLibuv
import Glibc

/// An error of the operating system, as reported by libuv.
package struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// libuv's error number: a negated errno, or a libuv error such as `UV_EAI_NONAME`.
    package let code: Int32

    /// Creates an error from a negative libuv result.
    package init(code: Int32) {
        self.code = code
    }

    /// The error of the latest failed system call on this thread (errno).
    internal static var last: IOError { IOError(code: uv_translate_sys_error(errno)) }

    /// The reading end of a pipe or the peer of a socket is closed (EPIPE).
    package static let brokenPipe = IOError(code: UV_EPIPE.rawValue)
    /// A pipe has no reader (ENXIO).
    package static let noReader = IOError(code: UV_ENXIO.rawValue)
    /// The descriptor is closed, or was opened for another kind of access (EBADF).
    package static let badDescriptor = IOError(code: UV_EBADF.rawValue)
    /// The address has no listener (ECONNREFUSED).
    package static let connectionRefused = IOError(code: UV_ECONNREFUSED.rawValue)
    /// No route leads to the address's network (ENETUNREACH).
    package static let networkUnreachable = IOError(code: UV_ENETUNREACH.rawValue)
    /// The address's network cannot reach the host (EHOSTUNREACH).
    package static let hostUnreachable = IOError(code: UV_EHOSTUNREACH.rawValue)
    /// The address already has a listener (EADDRINUSE).
    package static let addressInUse = IOError(code: UV_EADDRINUSE.rawValue)
    /// The descriptor is not a terminal (ENOTTY).
    package static let noTerminal = IOError(code: UV_ENOTTY.rawValue)
    /// The operation would block (EAGAIN).
    package static let tryAgain = IOError(code: UV_EAGAIN.rawValue)
    /// The name exists but has no address of the requested family (EAI_NODATA).
    package static let noAddress = IOError(code: UV_EAI_NODATA.rawValue)
    /// No interface of this machine has the address (EADDRNOTAVAIL).
    package static let addressNotAvailable = IOError(code: UV_EADDRNOTAVAIL.rawValue)
    /// The operation was canceled (ECANCELED).
    package static let canceled = IOError(code: UV_ECANCELED.rawValue)
    /// The peer reset the connection (ECONNRESET).
    package static let connectionReset = IOError(code: UV_ECONNRESET.rawValue)

    /// The name server temporarily cannot answer (EAI_AGAIN).
    package static let nameServiceBusy = IOError(code: UV_EAI_AGAIN.rawValue)
    /// The name does not exist (EAI_NONAME).
    package static let unknownName = IOError(code: UV_EAI_NONAME.rawValue)
    /// The file or socket does not exist (ENOENT).
    package static let noSuchFile = IOError(code: UV_ENOENT.rawValue)
    /// The path leads to a directory (EISDIR).
    package static let isDirectory = IOError(code: UV_EISDIR.rawValue)
    /// The file already exists (EEXIST).
    package static let fileExists = IOError(code: UV_EEXIST.rawValue)
    /// The argument or the type of file is not supported (EINVAL).
    package static let invalidArgument = IOError(code: UV_EINVAL.rawValue)
    /// The file is too large (EFBIG).
    package static let fileTooLarge = IOError(code: UV_EFBIG.rawValue)
    /// Permission denied (EACCES).
    package static let accessDenied = IOError(code: UV_EACCES.rawValue)

    /// The process has reached its limit on open files (EMFILE).
    package static let tooManyOpenFiles = IOError(code: UV_EMFILE.rawValue)
    /// The system has reached its limit on open files (ENFILE).
    package static let fileTableFull = IOError(code: UV_ENFILE.rawValue)
    /// Out of memory (ENOMEM).
    package static let outOfMemory = IOError(code: UV_ENOMEM.rawValue)

    /// Whether a later attempt to connect may succeed without a change on this side, because the server or the network
    /// is down, or a resource of the system is short.
    package var mayPass: Bool { Self.passing.contains(code) }

    private static let passing = Set(
        [
            UV_ECONNREFUSED, UV_ECONNRESET, UV_ECONNABORTED, UV_EPIPE, UV_ETIMEDOUT, UV_EHOSTUNREACH, UV_ENETUNREACH,
            UV_EHOSTDOWN, UV_ENETDOWN, UV_ENONET, UV_ENOENT, UV_EAI_AGAIN, UV_EAI_MEMORY, UV_EADDRNOTAVAIL, UV_EAGAIN,
            UV_EMFILE, UV_ENFILE, UV_ENOBUFS, UV_ENOMEM,
        ].map(\.rawValue))

    /// libuv's message, such as `connection refused`.
    package var description: String { String(cString: uv_strerror(code)) }

    /// Throws if a libuv result is negative; returns it otherwise.
    @discardableResult
    internal static func check(_ result: Int32) throws(IOError) -> Int32 {
        guard result >= 0 else { throw IOError(code: result) }
        return result
    }
}
