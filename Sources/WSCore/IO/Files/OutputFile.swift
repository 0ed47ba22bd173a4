import Glibc

/// A file open for writing. Closed on release.
package final class OutputFile {
    /// The file's descriptor, for use with a ``DescriptorWriter``.
    package let descriptor: Int32

    /// Creates an empty file at `path`, accessible only by its owner.
    /// - Parameter isReplacing: Whether to truncate an existing file, which keeps its mode. If false, an existing file
    ///   is an error.
    /// - Throws: ``IOError`` if the file cannot be created or opened; ``IOError/noReader`` for a pipe without a reader.
    package init(creating path: String, replacing isReplacing: Bool = true) throws(IOError) {
        // Without O_NONBLOCK, opening a pipe would block until it has a reader.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isReplacing ? O_TRUNC : O_EXCL)
        descriptor = try Descriptor.open(path, flags, mode: 0o600)
        // The descriptor itself is written to only if writes never block.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }
}
