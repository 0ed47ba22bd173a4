import Glibc

/// A directory of this user, which others cannot write, with files that several processes may create at once. Closed, and
/// its lock released, on release.
package final class PrivateDirectory {
    /// The reason the directory or one of its files cannot be used.
    package struct Problem: Error, Equatable {
        package enum Reason: Equatable, Sendable {
            case symbolicLink
            /// It belongs to another user.
            case foreign
            /// Others can write it, or access a secret.
            case shared
            /// Another process has held the lock for ``lockSeconds``.
            case busy
            /// It is a directory, a pipe, or a device.
            case notRegular
            case failed(IOError)
        }

        package let reason: Reason
        /// The name of the file, or `nil` for the directory.
        package let name: String?

        package init(_ reason: Reason, of name: String? = nil) {
            self.reason = reason
            self.name = name
        }
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
            throw Problem(.failed(error))
        }
        descriptor = Glibc.open(self.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let error = IOError.last
            let isLink = lstat(self.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
            throw Problem(isLink ? .symbolicLink : .failed(error))
        }
        try Self.check(status, shared: 0o022)
    }

    deinit {
        if lockDescriptor >= 0 { Descriptor.closeLocked(lockDescriptor) }
        if descriptor >= 0 { Descriptor.closeDescriptor(descriptor) }
    }

    /// Waits until no other process holds the lock of the directory.
    package func lock() throws(Problem) {
        let name = "lock"
        lockDescriptor = try open(name, O_RDWR | O_CREAT)
        for _ in 0..<Self.lockSeconds * 100 {
            if flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw Problem(.failed(.last), of: name) }
            usleep(10_000)
        }
        throw Problem(.busy, of: name)
    }

    /// Reads a regular file of at most 1 MiB.
    /// - Parameter isSecret: Whether others must not have access to it.
    /// - Returns: Nil if it does not exist.
    package func read(_ name: String, isSecret: Bool) throws(Problem) -> [UInt8]? {
        let file: Int32
        do throws(Problem) {
            file = try open(name, O_RDONLY)
        } catch {
            if error.reason == .failed(.noSuchFile) { return nil }
            throw error
        }
        defer { Descriptor.closeDescriptor(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Problem(.failed(.last), of: name) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(.notRegular, of: name) }
        try Self.check(status, shared: isSecret ? 0o077 : 0o022, of: name)
        do throws(IOError) {
            return try File.contents(of: file, maximumBytes: Self.maximumFileBytes)
        } catch {
            throw Problem(.failed(error), of: name)
        }
    }

    /// Creates or replaces a file at once.
    package func write(_ bytes: [UInt8], to name: String, mode: UInt32) throws(Problem) {
        do throws(IOError) {
            try File.replace("\(path)/\(name)", with: bytes, mode: mode)
        } catch {
            throw Problem(.failed(error), of: name)
        }
    }

    /// - Parameter modes: The permissions that others must not have.
    private static func check(_ status: stat, shared modes: mode_t, of name: String? = nil) throws(Problem) {
        guard status.st_uid == geteuid() else { throw Problem(.foreign, of: name) }
        guard status.st_mode & modes == 0 else { throw Problem(.shared, of: name) }
    }

    private func open(_ name: String, _ flags: Int32) throws(Problem) -> Int32 {
        let file = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
        guard file < 0 else { return file }
        throw Problem(errno == ELOOP ? .symbolicLink : .failed(.last), of: name)
    }
}
