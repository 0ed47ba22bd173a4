import Glibc

/// A new file that gets its name when it is complete, accessible only by its owner. It never replaces another file.
/// Unless it is completed, it is removed on release.
package final class CompleteFile {
    private let path: String
    private let temporary: TemporaryFile
    private let descriptor: Int32

    /// Creates a file with a temporary name in the directory of `path`.
    /// - Throws: ``IOError/fileExists`` if `path` exists, or another ``IOError``.
    package init(creating path: String) throws(IOError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw .fileExists }
        self.path = path
        temporary = try TemporaryFile(at: path + ".", contents: [])
        do throws(IOError) {
            descriptor = try Descriptor.open(temporary.path, O_WRONLY)
        } catch {
            temporary.remove()
            throw error
        }
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
        temporary.remove()
    }

    /// Appends bytes.
    package func write(_ bytes: RawSpan) throws(IOError) {
        try Descriptor.writeAll(descriptor, bytes)
    }

    /// The number of bytes written, also by a write that failed.
    package var byteCount: Int { max(0, Int(lseek(descriptor, 0, SEEK_CUR))) }

    /// Removes all bytes.
    package func empty() throws(IOError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last }
    }

    /// Gives the file its name.
    /// - Throws: ``IOError/fileExists`` if another file got it meanwhile, or another ``IOError``.
    package func complete() throws(IOError) {
        // Some file systems have no links.
        guard link(temporary.path, path) != 0 else { return }
        guard errno != EEXIST, File.isMissing(path), rename(temporary.path, path) == 0 else { throw .last }
    }
}
