#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// A directory that is open for reading; closed when it is released.
final class OpenDirectory {
    /// What the file system said of the directory when it was opened; nil: nothing.
    let status: FileStatus?
    private let descriptor: Int32

    /// Takes over the descriptor of a directory.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        self.status = fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Reads what is in the directory but for `.`, `..` and names that are not UTF-8, in no order.
    /// - Parameters:
    ///   - limit: The most entries that are read.
    ///   - isWanted: Whether an entry of this name is.
    /// - Returns: The entries, links as such, and whether there are more.
    func entries(
        atMost limit: Int, where isWanted: (String) -> Bool
    ) throws(IOError) -> (entries: [(name: String, status: FileStatus)], isCut: Bool) {
        var entries: [(name: String, status: FileStatus)] = []
        // The stream closes the descriptor that it is given, and a duplicate would share its place in the directory.
        let second = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard second >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        guard let stream = fdopendir(second) else {
            let error = IOError(code: uv_translate_sys_error(errno))
            Descriptor.closeDescriptor(second)
            throw error
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            guard let name = Self.name(of: entry), name != ".", name != "..", isWanted(name) else { continue }
            guard entries.count < limit else { return (entries, true) }
            var status = stat()
            // It may be gone by now.
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            entries.append((name, FileStatus(status)))
        }
        return (entries, false)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
