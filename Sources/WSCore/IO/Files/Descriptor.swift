import CLibuv
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
        guard duplicate >= 0 else { throw lastError }
        return duplicate
    }

    /// Like ``reopen(_:forWriting:)``, but returns `nil` instead of sharing the mode.
    static func openAgain(_ descriptor: Int32, forWriting: Bool) -> Int32? {
        let flags = (forWriting ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let reopened = open("/proc/self/fd/\(descriptor)", flags)
        return reopened >= 0 ? reopened : nil
    }

    /// Reads once and returns the number of bytes read, 0 at the end of the file.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = systemRead(descriptor, buffer)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes once and returns the number of bytes written.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = systemWrite(descriptor, bytes)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes to a socket once without blocking, even in blocking mode, and returns the number of bytes written.
    static func sendAtOnce(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = wsx_send_at_once(socket, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes all bytes to a file.
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(IOError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            guard count > 0 || errno == EINTR else { throw lastError }
            rest = rest.dropFirst(max(0, count))
        }
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Blocks until a non-blocking descriptor is writable.
    static func waitUntilWritable(_ descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
    }

    /// Removes the file of a Unix domain socket that no process listens on, such as one left behind by a killed server.
    /// Returns whether it removed the file.
    static func removeStaleSocket(_ path: String) -> Bool {
        var status = stat()
        // connect() also reports ECONNREFUSED for a file that is not a socket.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard path.utf8.count < target.count else { return false }
            target.copyBytes(from: path.utf8)
            return true
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard fits, probe >= 0 else { return false }
        defer { closeDescriptor(probe) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result < 0 && errno == ECONNREFUSED && unlink(path) == 0
    }

    private static var lastError: IOError { IOError(code: uv_translate_sys_error(errno)) }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
