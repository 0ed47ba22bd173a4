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

    /// Makes an empty file at `path`, for its owner alone, or empties the one that is there, whose mode stays.
    /// - Throws: ``IOError`` when the file cannot be made or written.
    public init(creating path: String) throws(IOError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }
}
