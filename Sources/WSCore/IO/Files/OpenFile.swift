#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// A regular file that is open for reading; closed when it is released.
public final class OpenFile {
    /// What the file system said of the file when it was opened.
    let status: FileStatus
    private let descriptor: Int32

    /// Takes over the descriptor of a regular file.
    init(descriptor: Int32, status: FileStatus) {
        self.descriptor = descriptor
        self.status = status
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Reads once, and appends what was read to a buffer.
    /// - Parameters:
    ///   - buffer: Where it goes.
    ///   - offset: Where the bytes begin in the file.
    ///   - byteCount: The most that is read.
    /// - Returns: The number of bytes that were read, 0 at the end of the file.
    func read(into buffer: inout ByteBuffer, at offset: Int, atMost byteCount: Int) throws(IOError) -> Int {
        let target = buffer.reserve(byteCount)
        while true {
            let count = pread(descriptor, target, byteCount, off_t(offset))
            if count >= 0 {
                buffer.commit(count)
                return count
            }
            guard errno == EINTR else { throw IOError(code: uv_translate_sys_error(errno)) }
        }
    }
}
