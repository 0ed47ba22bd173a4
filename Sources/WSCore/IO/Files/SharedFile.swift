import Glibc

/// A file that several processes append to and may replace, without losing each other's writes.
///
/// Each process holds the file's advisory lock while it writes. A process that had to wait for the lock then checks
/// that the name still refers to the file that it has open.
package enum SharedFile {
    /// The number of attempts to lock the file while another process holds the lock, one millisecond apart. Appends
    /// happen between two keystrokes and are safe even without the lock.
    private static let (appendAttempts, updateAttempts) = (5, 200)
    private static let lockPauseMicroseconds: UInt32 = 1000

    /// Appends bytes to the file at `path` in one write. Creates a missing file, accessible only by its owner.
    package static func append(_ bytes: [UInt8], to path: String) throws(IOError) {
        let (descriptor, _) = try openLocked(path, O_WRONLY | O_APPEND | O_CREAT, attempts: appendAttempts)
        defer { Descriptor.closeLocked(descriptor) }
        try Descriptor.writeAll(descriptor, bytes.span.bytes)
    }

    /// Revokes all permissions of group and others for the file at `path`. Does nothing if the file does not exist.
    package static func withdraw(_ path: String) throws(IOError) {
        let descriptor: Int32
        do throws(IOError) {
            descriptor = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            if error == .noSuchFile { return }
            throw error
        }
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else {
            return
        }
        // EPERM: the file belongs to another user, and its mode is that user's decision.
        guard fchmod(descriptor, 0o600) != 0, errno != EPERM else { return }
        throw .last
    }

    /// Reads the file at `path`, and replaces it if `change` returns new contents and no other process has it locked.
    /// - Parameters:
    ///   - path: The path of the file. If it does not exist, nothing happens.
    ///   - limit: The maximum number of bytes to read, from the end of the file.
    ///   - change: Receives the bytes and whether they are the whole file. Returns the new contents, or `nil` to keep
    ///     the file.
    /// - Throws: ``IOError`` if the file cannot be read or replaced.
    package static func update(
        _ path: String, readingAtMost limit: Int, _ change: ([UInt8], _ areAll: Bool) -> [UInt8]?
    ) throws(IOError) {
        let (descriptor, isLocked): (Int32, Bool)
        do throws(IOError) {
            (descriptor, isLocked) = try openLocked(path, O_RDONLY, attempts: updateAttempts)
        } catch {
            if error == .noSuchFile { return }
            throw error
        }
        defer { Descriptor.closeLocked(descriptor) }
        var status = stat()
        // Other types of files have no contents to rewrite, and reading a device or a pipe may block.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let size = Int(status.st_size)
        if size > limit { lseek(descriptor, off_t(size - limit), SEEK_SET) }
        guard let replacement = change(try readAll(descriptor, limit: limit), size <= limit), isLocked else { return }
        try replace(path, with: replacement)
    }

    /// Replaces the file, so that it is complete at any moment.
    private static func replace(_ path: String, with bytes: [UInt8]) throws(IOError) {
        // Keeps a symbolic link in place and replaces its target.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        guard let target else { throw .last }
        try File.replace(target, with: bytes)
    }

    /// Opens a file and tries to lock it. Starts over if the file was replaced meanwhile.
    private static func openLocked(
        _ path: String, _ flags: Int32, attempts: Int
    ) throws(IOError) -> (descriptor: Int32, isLocked: Bool) {
        while true {
            // O_NONBLOCK: if the path is a pipe, open() must not wait for its other end.
            let descriptor = try Descriptor.open(path, flags | O_NONBLOCK | O_NOCTTY, mode: 0o600)
            guard lock(descriptor, attempts: attempts) else { return (descriptor, false) }
            var (opened, named) = (stat(), stat())
            guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino != named.st_ino else {
                return (descriptor, true)
            }
            Descriptor.closeLocked(descriptor)
        }
    }

    private static func lock(_ descriptor: Int32, attempts: Int) -> Bool {
        for _ in 0..<attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(lockPauseMicroseconds)
        }
        return false
    }

    private static func readAll(_ descriptor: Int32, limit: Int) throws(IOError) -> [UInt8] {
        var contents: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { piece.deallocate() }
        while contents.count < limit {
            let count = try Descriptor.read(descriptor, into: piece)
            guard count > 0 else { break }
            contents.append(contentsOf: piece[..<count])
        }
        return contents
    }
}
