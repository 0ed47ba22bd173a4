#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// A file that several processes append to, and any may replace: none of them loses what another has written.
///
/// Each takes the file's advisory lock for as long as it writes. One that has waited looks whether the name still leads to
/// the file that it has open.
public enum SharedFile {
    /// How often the lock is asked for while another process holds it, a millisecond apart. Appending is done between two
    /// keys, and is safe even without.
    private static let (appendAttempts, updateAttempts) = (5, 200)
    private static let lockPauseMicroseconds: UInt32 = 1000

    /// Appends bytes, in one piece, to the file at `path`, which is made, for its owner alone, if it is not there.
    public static func append(_ bytes: [UInt8], to path: String) throws(IOError) {
        let (descriptor, _) = try openLocked(path, O_WRONLY | O_APPEND | O_CREAT, attempts: appendAttempts)
        defer { Descriptor.closeDescriptor(descriptor) }
        try Descriptor.writeAll(descriptor, bytes)
    }

    /// Takes the right to use the file at `path` from all but its owner; where there is none, nothing is done.
    public static func withdraw(_ path: String) throws(IOError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw IOError(code: uv_translate_sys_error(errno))
        }
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else {
            return
        }
        // Where it belongs to another, it is up to that one.
        guard fchmod(descriptor, 0o600) != 0, errno != EPERM else { return }
        throw IOError(code: uv_translate_sys_error(errno))
    }

    /// Reads the file at `path`, and replaces it when there is something to be changed and no other
    /// process has it locked.
    /// - Parameters:
    ///   - path: Leads to the file; where there is none, nothing is done.
    ///   - limit: The most that is read, in bytes: the last ones.
    ///   - change: Gets the bytes, and whether they are all; returns what is to stand there in their place, or nil.
    public static func update(
        _ path: String, readingAtMost limit: Int, _ change: ([UInt8], _ areAll: Bool) -> [UInt8]?
    ) throws(IOError) {
        let (descriptor, isLocked): (Int32, Bool)
        do throws(IOError) {
            (descriptor, isLocked) = try openLocked(path, O_RDONLY, attempts: updateAttempts)
        } catch {
            if error == .noSuchFile { return }
            throw error
        }
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        // What is no file has no contents of its own, and may make a reader wait: a device, a pipe.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let size = Int(status.st_size)
        if size > limit { lseek(descriptor, off_t(size - limit), SEEK_SET) }
        guard let replacement = change(try readAll(descriptor, limit: limit), size <= limit), isLocked else { return }
        try replace(path, with: replacement)
    }

    /// The file is written beside and put in its place, so that it is whole whatever happens meanwhile.
    private static func replace(_ path: String, with bytes: [UInt8]) throws(IOError) {
        // A link stays one.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        guard let target else { throw IOError(code: uv_translate_sys_error(errno)) }
        let temporary = try TemporaryFile(at: target + ".", contents: bytes)
        guard rename(temporary.path, target) == 0 else {
            let error = IOError(code: uv_translate_sys_error(errno))
            temporary.remove()
            throw error
        }
    }

    /// Opens a file and locks it, if that can be; again, when it was replaced meanwhile.
    private static func openLocked(
        _ path: String, _ flags: Int32, attempts: Int
    ) throws(IOError) -> (descriptor: Int32, isLocked: Bool) {
        while true {
            // Non-blocking: a pipe in place of the file is not waited for.
            let descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
            guard lock(descriptor, attempts: attempts) else { return (descriptor, false) }
            var (opened, named) = (stat(), stat())
            guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino != named.st_ino else {
                return (descriptor, true)
            }
            Descriptor.closeDescriptor(descriptor)
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
