import Glibc

/// A directory open for reading. Closed on release.
final class OpenDirectory {
    /// The directory's metadata when it was opened, or `nil` if it is not available.
    let status: FileStatus?
    private let descriptor: Int32

    /// Takes ownership of a directory's descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        self.status = fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    deinit {
        Descriptor.closeDescriptor(descriptor)
    }

    /// Reads the directory's entries in no particular order. Skips `.`, `..`, and names that are not valid UTF-8.
    /// - Parameters:
    ///   - limit: The maximum number of entries to return.
    ///   - isWanted: Whether to include the entry with this name.
    /// - Returns: The entries, and whether there are more than `limit`. Links are not followed.
    /// - Throws: ``IOError`` if the directory is not readable.
    func entries(
        atMost limit: Int, where isWanted: (String) -> Bool
    ) throws(IOError) -> (entries: [(name: String, status: FileStatus)], isCut: Bool) {
        var entries: [(name: String, status: FileStatus)] = []
        // closedir() closes its descriptor, and a duplicate would share the read position.
        let second = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard second >= 0 else { throw .last }
        guard let stream = fdopendir(second) else {
            let error = IOError.last
            Descriptor.closeDescriptor(second)
            throw error
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            guard let name = Self.name(of: entry), name != ".", name != "..", isWanted(name) else { continue }
            guard entries.count < limit else { return (entries, true) }
            var status = stat()
            // The entry may be gone by now.
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
