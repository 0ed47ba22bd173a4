import Glibc

/// A directory of this user, which others cannot write, with files that several processes may create at once. Closed, and
/// its lock released, on release.
package final class PrivateDirectory {
    /// The reason the directory or one of its files cannot be used.
    package enum Problem: Error, Equatable {
        case symbolicLink
        /// The directory belongs to another user.
        case foreign
        /// Others can write the directory, or access a secret.
        case shared
        /// Another process has held the lock for ``lockSeconds``.
        case busy
        case failed(IOError)
    }

    /// The path of the directory.
    package let path: String
    private let descriptor: Int32
    private var lockDescriptor: Int32 = -1

    private static let lockSeconds = 10
    private static let maximumFileBytes = 1 << 20

    /// Opens the directory at `path`. Creates it and its missing parents, accessible only by this user.
    package init(_ path: String) throws(Problem) {
        self.path = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        do throws(IOError) {
            try File.makeDirectory(self.path)
        } catch {
            throw .failed(error)
        }
        descriptor = Glibc.open(self.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let error = IOError.last
            throw lstat(self.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? .symbolicLink : .failed(error)
        }
        guard status.st_uid == geteuid() else { throw .foreign }
        guard status.st_mode & 0o022 == 0 else { throw .shared }
    }

    deinit {
        if lockDescriptor >= 0 { Descriptor.closeLocked(lockDescriptor) }
        if descriptor >= 0 { Descriptor.closeDescriptor(descriptor) }
    }

    /// Waits until no other process holds the lock of the directory.
    package func lock() throws(Problem) {
        lockDescriptor = try open("lock", O_RDWR | O_CREAT)
        for _ in 0..<Self.lockSeconds * 100 {
            if flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .failed(.last) }
            usleep(10_000)
        }
        throw .busy
    }

    /// Reads a regular file of at most 1 MiB.
    /// - Parameter isSecret: Whether others must not have access to it.
    /// - Returns: Nil if it does not exist.
    package func read(_ name: String, isSecret: Bool) throws(Problem) -> [UInt8]? {
        let file: Int32
        do throws(Problem) {
            file = try open(name, O_RDONLY)
        } catch {
            if error == .failed(.noSuchFile) { return nil }
            throw error
        }
        defer { Descriptor.closeDescriptor(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .failed(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .failed(.invalidArgument) }
        if isSecret, status.st_mode & 0o077 != 0 { throw .shared }
        do throws(IOError) {
            return try File.contents(of: file, maximumBytes: Self.maximumFileBytes)
        } catch {
            throw .failed(error)
        }
    }

    /// Creates or replaces a file at once.
    package func write(_ bytes: [UInt8], to name: String, mode: UInt32) throws(Problem) {
        do throws(IOError) {
            try File.replace("\(path)/\(name)", with: bytes, mode: mode)
        } catch {
            throw .failed(error)
        }
    }

    private func open(_ name: String, _ flags: Int32) throws(Problem) -> Int32 {
        let file = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
        guard file < 0 else { return file }
        throw errno == ELOOP ? .symbolicLink : .failed(.last)
    }
}
