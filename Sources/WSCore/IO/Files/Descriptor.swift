import CSystem
import Glibc

/// System calls on the process's file descriptors.
internal enum Descriptor {
    /// Whether reads and writes never block: regular files, `/dev/null`, and the like, which cannot be polled for
    /// readiness.
    static func isAlwaysReady(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return true }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFSOCK: return false
        case S_IFCHR: return isatty(descriptor) == 0
        default: return true
        }
    }

    /// Whether the descriptor is a socket.
    static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Opens the file that `descriptor` refers to a second time.
    ///
    /// Non-blocking mode belongs to the open file description, which processes share, not to the descriptor. Setting it
    /// on our standard input would set it for the shell and for every other writer to the same pipe. A second open file
    /// description has its own mode. Sockets cannot be reopened, and neither can anything on a system without `/proc`:
    /// their descriptors are duplicated and share the mode.
    static func reopen(_ descriptor: Int32, forWriting: Bool) throws(IOError) -> Int32 {
        if let reopened = openAgain(descriptor, forWriting: forWriting) { return reopened }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw .last }
        return duplicate
    }

    /// Like ``reopen(_:forWriting:)``, but returns `nil` instead of sharing the mode.
    static func openAgain(_ descriptor: Int32, forWriting: Bool) -> Int32? {
        let flags = (forWriting ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let reopened = Glibc.open("/proc/self/fd/\(descriptor)", flags)
        return reopened >= 0 ? reopened : nil
    }

    /// Reads once and returns the number of bytes read, 0 at the end of the file.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Int {
        try untilUninterrupted { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Writes once and returns the number of bytes written.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        try untilUninterrupted { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    }

    /// Writes to a socket once without blocking, even in blocking mode, and returns the number of bytes written.
    static func sendAtOnce(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        try untilUninterrupted { wsx_send_at_once(socket, bytes.baseAddress, bytes.count) }
    }

    /// Repeats a system call while signals interrupt it.
    private static func untilUninterrupted(_ call: () -> Int) throws(IOError) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            if errno != EINTR { throw .last }
        }
    }

    /// Writes all bytes to a file.
    static func writeAll(_ descriptor: Int32, _ bytes: RawSpan) throws(IOError) {
        var offset = 0
        while offset < bytes.byteCount {
            let count = try bytes.extracting(droppingFirst: offset).withUnsafeBytes { (rest) throws(IOError) in
                try write(descriptor, rest)
            }
            guard count > 0 else { throw .last }
            offset += count
        }
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Releases the descriptor's lock, and closes it.
    ///
    /// Closing is not enough: until its `exec`, a process that another thread has just started still has a copy of the
    /// descriptor, and with it the lock.
    static func closeLocked(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        closeDescriptor(descriptor)
    }

    /// Blocks until a non-blocking descriptor is writable.
    static func waitUntilWritable(_ descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
    }

    /// Opens a file that programs do not inherit.
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(IOError) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }
}
