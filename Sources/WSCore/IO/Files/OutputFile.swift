import Glibc

/// A file open for writing. Closed on release.
package final class OutputFile {
    /// The file's descriptor, for use with a ``DescriptorWriter``.
    package let descriptor: Int32

    /// Creates an empty file at `path`, accessible only by its owner. As long as it is open, no other process can open a
    /// regular file in this way.
    /// - Parameter isReplacing: Whether to truncate an existing file, which keeps its mode. If false, an existing file
    ///   is an error.
    /// - Throws: ``IOError`` if the file cannot be created or opened; ``IOError/noReader`` for a pipe without a reader;
    ///   ``IOError/isBusy`` if another process writes to the regular file.
    package init(creating path: String, replacing isReplacing: Bool = true) throws(IOError) {
        // Without O_NONBLOCK, opening a pipe would block until it has a reader.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isReplacing ? 0 : O_EXCL)
        descriptor = try Descriptor.open(path, flags, mode: 0o600)
        do throws(IOError) {
            try Self.claim(descriptor)
        } catch {
            Descriptor.closeDescriptor(descriptor)
            throw error
        }
        // The descriptor itself is written to only if writes never block.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Empties a regular file, unless another process has locked it. Some file systems have no locks.
    private static func claim(_ descriptor: Int32) throws(IOError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .isBusy }
        guard ftruncate(descriptor, 0) == 0 else { throw .last }
    }

    deinit {
        Descriptor.closeLocked(descriptor)
    }
}
