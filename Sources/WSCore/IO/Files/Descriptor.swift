import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// System calls on the descriptors of the process, and what stands behind them.
internal enum Descriptor {
    /// Whether reading and writing never has to wait: a regular file, `/dev/null` and the like, which cannot be
    /// watched for readiness.
    static func isAlwaysReady(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return true }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFSOCK: return false
        case S_IFCHR: return isatty(descriptor) == 0
        default: return true
        }
    }

    /// Whether a socket stands behind a descriptor.
    static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Opens what stands behind `descriptor` a second time.
    ///
    /// Non-blocking mode belongs to the open file that processes share, not to the descriptor: setting it on our
    /// standard input would set it for the shell, and for whoever else writes to the same pipe. A second opening
    /// has a mode of its own. Sockets cannot be opened so, nor can anything where there is no `/proc`; they are
    /// duplicated, and share the mode.
    static func reopen(_ descriptor: Int32, forWriting: Bool) throws(IOError) -> Int32 {
        if let reopened = openAgain(descriptor, forWriting: forWriting) { return reopened }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw lastError }
        return duplicate
    }

    /// Does the same, where it can be done without sharing the mode; nil: it cannot.
    static func openAgain(_ descriptor: Int32, forWriting: Bool) -> Int32? {
        let flags = (forWriting ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let reopened = open("/proc/self/fd/\(descriptor)", flags)
        return reopened >= 0 ? reopened : nil
    }

    /// Reads once; returns the number of bytes read, 0 at the end.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = systemRead(descriptor, buffer)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes once; returns the number of bytes written.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = systemWrite(descriptor, bytes)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes to a socket once, without waiting, whatever its mode; returns the number of bytes written.
    static func sendAtOnce(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        while true {
            let count = wsx_send_at_once(socket, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno != EINTR { throw lastError }
        }
    }

    /// Writes bytes to a file, all of them.
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

    /// Waits until a descriptor in non-blocking mode can be written to.
    static func waitUntilWritable(_ descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
    }

    /// Removes the file of a Unix-domain socket on which nobody listens, as a server leaves it that was killed; returns
    /// whether it did.
    static func removeStaleSocket(_ path: String) -> Bool {
        var status = stat()
        // To connect to a file that is no socket is refused, too.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard path.utf8.count < target.count else { return false }
            target.copyBytes(from: path.utf8)
            return true
        }
        #if canImport(Darwin)
            let probe = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
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
