import CSystem
import Glibc

/// An error of the operating system.
package struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A negated errno, or ``nameServiceBase`` plus an error of getaddrinfo, which are negative.
    package let code: Int32

    /// The errno, or the error of getaddrinfo, which is negative.
    package var number: Int { Int(code > Self.nameServiceBase ? -code : code - Self.nameServiceBase) }

    /// Creates an error from a negative result.
    package init(code: Int32) {
        self.code = code
    }

    /// The error of the latest failed system call on this thread (errno).
    internal static var last: IOError { IOError(code: -errno) }

    /// The reading end of a pipe or the peer of a socket is closed (EPIPE).
    package static let brokenPipe = IOError(code: -EPIPE)
    /// A pipe has no reader (ENXIO).
    package static let noReader = IOError(code: -ENXIO)
    /// The descriptor is closed, or was opened for another kind of access (EBADF).
    package static let badDescriptor = IOError(code: -EBADF)
    /// The address has no listener (ECONNREFUSED).
    package static let connectionRefused = IOError(code: -ECONNREFUSED)
    /// No route leads to the address's network (ENETUNREACH).
    package static let networkUnreachable = IOError(code: -ENETUNREACH)
    /// The address's network cannot reach the host (EHOSTUNREACH).
    package static let hostUnreachable = IOError(code: -EHOSTUNREACH)
    /// The address already has a listener (EADDRINUSE).
    package static let addressInUse = IOError(code: -EADDRINUSE)
    /// The descriptor is not a terminal (ENOTTY).
    package static let noTerminal = IOError(code: -ENOTTY)
    /// The operation would block (EAGAIN).
    package static let tryAgain = IOError(code: -EAGAIN)
    /// The name exists but has no address of the requested family (EAI_NODATA).
    package static let noAddress = IOError(code: nameServiceBase + EAI_NODATA)
    /// No interface of this machine has the address (EADDRNOTAVAIL).
    package static let addressNotAvailable = IOError(code: -EADDRNOTAVAIL)
    /// The operation was canceled (ECANCELED).
    package static let canceled = IOError(code: -ECANCELED)
    /// The peer reset the connection (ECONNRESET).
    package static let connectionReset = IOError(code: -ECONNRESET)

    /// The name server temporarily cannot answer (EAI_AGAIN).
    package static let nameServiceBusy = IOError(code: nameServiceBase + EAI_AGAIN)
    /// The name does not exist (EAI_NONAME).
    package static let unknownName = IOError(code: nameServiceBase + EAI_NONAME)
    /// The file or socket does not exist (ENOENT).
    package static let noSuchFile = IOError(code: -ENOENT)
    /// The path leads to a directory (EISDIR).
    package static let isDirectory = IOError(code: -EISDIR)
    /// The file already exists (EEXIST).
    package static let fileExists = IOError(code: -EEXIST)
    /// The argument or the type of file is not supported (EINVAL).
    package static let invalidArgument = IOError(code: -EINVAL)
    /// The file is too large (EFBIG).
    package static let fileTooLarge = IOError(code: -EFBIG)
    /// Another process uses the file (EBUSY).
    package static let isBusy = IOError(code: -EBUSY)
    /// Permission denied (EACCES).
    package static let accessDenied = IOError(code: -EACCES)

    /// The process has reached its limit on open files (EMFILE).
    package static let tooManyOpenFiles = IOError(code: -EMFILE)
    /// The system has reached its limit on open files (ENFILE).
    package static let fileTableFull = IOError(code: -ENFILE)
    /// Out of memory (ENOMEM).
    package static let outOfMemory = IOError(code: -ENOMEM)

    /// Whether a file cannot grow, because its device is full, or a limit is reached.
    package var isLackOfSpace: Bool { [-ENOSPC, -EDQUOT, -EFBIG].contains(code) }

    /// Whether a failed write means that the stream has ended, and what the peer sent before may still be readable. Other
    /// errors, such as ENOBUFS, leave a stream open that lacks bytes.
    internal var endsStream: Bool { Self.endings.contains(code) }

    private static let endings: Set<Int32> = [
        -EPIPE, -ECONNRESET, -ECONNABORTED, -ECONNREFUSED, -ETIMEDOUT, -EHOSTUNREACH, -ENETUNREACH, -EHOSTDOWN,
        -ENETDOWN,
        -ENONET, -EPROTO, -ENOTCONN, -ESHUTDOWN,
    ]

    /// Whether a later attempt to connect may succeed without a change on this side, because the server or the network
    /// is down, or a resource of the system is short.
    package var mayPass: Bool { Self.passing.contains(code) }

    private static let passing: Set<Int32> = [
        -ECONNREFUSED, -ECONNRESET, -ECONNABORTED, -EPIPE, -ETIMEDOUT, -EHOSTUNREACH, -ENETUNREACH, -EHOSTDOWN,
        -ENETDOWN, -ENONET, -ENOENT, nameServiceBase + EAI_AGAIN, nameServiceBase + EAI_MEMORY, -EADDRNOTAVAIL, -EAGAIN,
        -EMFILE, -ENFILE, -ENOBUFS, -ENOMEM,
    ]

    /// The C library's errors of getaddrinfo are between this and the negated errno values.
    internal static let nameServiceBase: Int32 = -3000

    /// A message, such as `connection refused`.
    package var description: String {
        if code < Self.nameServiceBase { return Self.nameServiceWords[code - Self.nameServiceBase] ?? "unknown error" }
        if let words = Self.words[-code] { return words }
        let words = String(cString: strerror(-code))
        // The C library's messages begin with a capital letter. Abbreviations keep theirs.
        guard let second = words.utf8.dropFirst().first, second == ASCII.lowercased(second) else { return words }
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    /// Messages that are clearer than those of the C library.
    private static let words: [Int32: String] = [
        EADDRNOTAVAIL: "address not available",
        EAFNOSUPPORT: "address family not supported",
        EALREADY: "connection already in progress",
        EBUSY: "resource busy or locked",
        EEXIST: "file already exists",
        EFAULT: "bad address in system call argument",
        EHOSTUNREACH: "host is unreachable",
        EILSEQ: "illegal byte sequence",
        EIO: "i/o error",
        EISCONN: "socket is already connected",
        EISDIR: "illegal operation on a directory",
        ELOOP: "too many symbolic links encountered",
        ENAMETOOLONG: "name too long",
        ENFILE: "file table overflow",
        ENOMEM: "not enough memory",
        ENOTCONN: "socket is not connected",
        ENOTSUP: "operation not supported on socket",
        ERANGE: "result too large",
        ESPIPE: "invalid seek",
        ETXTBSY: "text file is busy",
        EXDEV: "cross-device link not permitted",
    ]

    private static let nameServiceWords: [Int32: String] = [
        EAI_ADDRFAMILY: "address family not supported",
        EAI_AGAIN: "temporary failure",
        EAI_FAIL: "permanent failure",
        EAI_FAMILY: "ai_family not supported",
        EAI_MEMORY: "out of memory",
        EAI_NODATA: "no address",
        EAI_NONAME: "unknown node or service",
        EAI_OVERFLOW: "argument buffer overflow",
        EAI_SERVICE: "service not available for socket type",
    ]

    /// Throws if a result is negative; returns it otherwise.
    @discardableResult
    internal static func check(_ result: Int32) throws(IOError) -> Int32 {
        guard result >= 0 else { throw IOError(code: result) }
        return result
    }
}
