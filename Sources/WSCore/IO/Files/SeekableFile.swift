import Glibc

/// A file open for reading at any offset, or a file without a name that is written first. Closed on release.
package final class SeekableFile: Sendable {
    /// The file's descriptor. A ``DescriptorWriter`` may write to a file without a name.
    package let descriptor: Int32

    /// Opens the file at `path`. The contents of a pipe or device are first copied to a file without a name.
    /// - Parameters:
    ///   - directory: The directory for this copy.
    ///   - mayCopy: Checks the first bytes before the rest is copied.
    /// - Throws: ``IOError``; ``IOError/invalidArgument`` if `mayCopy` returns false.
    package init(
        reading path: String, copyingTo directory: String, if mayCopy: (RawSpan) -> Bool
    ) throws(IOError) {
        let source = try Descriptor.open(path, O_RDONLY | O_NOCTTY)
        var status = stat()
        let isRegular = fstat(source, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard !isRegular else {
            descriptor = source
            return
        }
        defer { Descriptor.closeDescriptor(source) }
        descriptor = try Self.copy(source, to: directory, if: mayCopy)
    }

    /// Creates an empty file without a name.
    /// - Throws: ``IOError`` if `directory` cannot contain it.
    package init(unnamedIn directory: String) throws(IOError) {
        descriptor = try Self.createUnnamed(in: directory)
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Appends bytes to a file without a name.
    package func append(_ bytes: RawSpan) throws(IOError) {
        try Descriptor.writeAll(descriptor, bytes)
    }

    /// Removes the bytes after the last newline of a file without a name, which a failed write may have left.
    package func removeIncompleteLine() {
        var block: [UInt8] = []
        var end = Int(lseek(descriptor, 0, SEEK_END))
        while end > 0 {
            let start = max(0, end - Self.blockBytes)
            guard (try? read(at: start, end - start, into: &block)) != nil else { return }
            if let last = block.lastIndex(of: UInt8(ascii: "\n")) {
                _ = ftruncate(descriptor, off_t(start + last + 1))
                return
            }
            end = start
        }
        _ = ftruncate(descriptor, 0)
    }

    private static let blockBytes = 1 << 16

    private static func createUnnamed(in directory: String) throws(IOError) -> Int32 {
        var template = Array("\(directory)/wsx-XXXXXX".utf8CString)
        let descriptor = mkstemps(&template, 0)
        guard descriptor >= 0 else { throw .last }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = unlink(template)
        return descriptor
    }

    private static func copy(
        _ source: Int32, to directory: String, if mayCopy: (RawSpan) -> Bool
    ) throws(IOError) -> Int32 {
        let target = try createUnnamed(in: directory)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 16)
        defer { block.deallocate() }
        do throws(IOError) {
            var isFirst = true
            while true {
                let count = try Descriptor.read(source, into: block)
                guard count > 0 else { return target }
                let bytes = UnsafeRawBufferPointer(rebasing: block[..<count]).bytes
                guard !isFirst || mayCopy(bytes) else { throw .invalidArgument }
                isFirst = false
                try Descriptor.writeAll(target, bytes)
            }
        } catch {
            Descriptor.closeDescriptor(target)
            throw error
        }
    }

    /// Replaces a block with the bytes from an offset on.
    /// - Parameters:
    ///   - block: Empty at the end of the file.
    ///   - maximumBytes: The maximum number of bytes, 1 or more.
    /// - Throws: ``IOError`` if the file cannot be read.
    package func read(at offset: Int, _ maximumBytes: Int, into block: inout [UInt8]) throws(IOError) {
        if block.count != maximumBytes { block = [UInt8](repeating: 0, count: maximumBytes) }
        var count = -1
        repeat {
            count = block.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .last }
        if count < maximumBytes { block.removeLast(maximumBytes - count) }
    }
}
