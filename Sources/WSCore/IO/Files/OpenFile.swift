import Glibc

/// A regular file open for reading. Closed on release.
package final class OpenFile {
    /// The file's metadata when it was opened.
    let status: FileStatus
    private let descriptor: Int32

    /// Takes ownership of a regular file's descriptor.
    init(descriptor: Int32, status: FileStatus) {
        self.descriptor = descriptor
        self.status = status
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Reads once and appends the bytes to `buffer`.
    /// - Parameters:
    ///   - buffer: Receives the bytes.
    ///   - offset: The position in the file of the first byte to read.
    ///   - byteCount: The maximum number of bytes to read.
    /// - Returns: The number of bytes read, 0 at the end of the file.
    /// - Throws: ``IOError`` if the file is not readable.
    func read(into buffer: inout ByteBuffer, at offset: Int, atMost byteCount: Int) throws(IOError) -> Int {
        let target = buffer.reserve(byteCount)
        while true {
            let count = pread(descriptor, target, byteCount, off_t(offset))
            if count >= 0 {
                buffer.commit(count)
                return count
            }
            guard errno == EINTR else { throw .last }
        }
    }
}
