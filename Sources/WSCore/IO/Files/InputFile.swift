import Glibc

/// A file open for reading from its beginning, which may be a pipe. Closed on release.
package final class InputFile: Sendable {
    private let descriptor: Int32

    /// Opens the file at `path`. Waits for a writer if the file is a pipe.
    /// - Throws: ``IOError`` if the file cannot be opened, or is a directory.
    package init(reading path: String) throws(IOError) {
        descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY)
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Reads the next bytes.
    /// - Parameters:
    ///   - maximumBytes: The maximum number of bytes, 1 or more.
    ///   - body: Receives the bytes, unless the file has ended.
    /// - Returns: The number of bytes, 0 at the end of the file.
    /// - Throws: ``IOError`` if the file cannot be read.
    package func read(_ maximumBytes: Int, _ body: (RawSpan) -> Void) throws(IOError) -> Int {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumBytes, alignment: 16)
        defer { block.deallocate() }
        let count = try Descriptor.read(descriptor, into: block)
        if count > 0 { body(UnsafeRawBufferPointer(rebasing: block[..<count]).bytes) }
        return count
    }
}
