#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// A file that is being written; closed when it is released.
public final class OutputFile {
    /// The file's descriptor, for a ``DescriptorWriter``.
    public let descriptor: Int32

    /// Makes an empty file at `path`, for its owner alone.
    /// - Parameter isReplacing: Whether a file that is there is emptied, whose mode stays; otherwise it is an error.
    /// - Throws: ``IOError`` when the file cannot be made or written; ``IOError/noReader`` for a pipe that nobody reads.
    public init(creating path: String, replacing isReplacing: Bool = true) throws(IOError) {
        // Opening a pipe would otherwise wait until somebody reads it.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isReplacing ? O_TRUNC : O_EXCL)
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        // The descriptor itself is written to only where that never has to wait.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }
}
