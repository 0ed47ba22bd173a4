import CSystem
import Glibc

/// Operations on whole files and directories.
package enum File {
    /// Whether `path` is a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether `path` certainly does not exist. Other errors, such as missing permissions, return false.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The directory that contains `path`, whether or not the file exists.
    package static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the directory at `path` and its missing parents, each accessible only by its owner.
    package static func makeDirectory(_ path: String) throws(IOError) {
        if isDirectory(path) { return }
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
        }
        // Another process may have created it meanwhile.
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
    }

    /// Appends bytes to the file at `path`. Creates a missing file, accessible only by its owner.
    package static func append(_ bytes: [UInt8], to path: String) throws(IOError) {
        let descriptor = try Descriptor.open(path, O_WRONLY | O_APPEND | O_CREAT, mode: 0o600)
        defer { Descriptor.closeDescriptor(descriptor) }
        try Descriptor.writeAll(descriptor, bytes.span.bytes)
    }

    /// Creates a file at `path` with the given contents and the permissions that the umask allows. Throws
    /// ``IOError/fileExists`` if the file exists. Removes the file if it cannot be written completely.
    package static func create(_ bytes: RawSpan, at path: String) throws(IOError) {
        let descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
        defer { Descriptor.closeDescriptor(descriptor) }
        do throws(IOError) {
            try Descriptor.writeAll(descriptor, bytes)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Creates or replaces the file at `path`, by default accessible only by its owner. At any moment, the name refers to a
    /// complete file. A symbolic link is replaced, not followed.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(IOError) {
        let temporary = try TemporaryFile(at: path + ".", contents: bytes)
        guard chmod(temporary.path, mode) == 0, rename(temporary.path, path) == 0 else {
            let error = IOError.last
            temporary.remove()
            throw error
        }
    }

    /// Checks whether ``replace(_:with:)`` can be used, as far as that is known in advance.
    /// - Returns: Whether `path` is missing or a regular file, rather than a directory, a device, or a symbolic link.
    /// - Throws: ``IOError`` if files cannot be created in the directory.
    package static func canReplace(_ path: String) throws(IOError) -> Bool {
        guard access(directory(of: path), W_OK | X_OK) == 0 else { throw .last }
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads the whole regular file at `path`, and never blocks on a pipe or a device.
    ///
    /// - Throws: ``IOError/fileTooLarge`` for more than `maximumBytes`, ``IOError/invalidArgument`` if `path` is not a
    ///   regular file, or another ``IOError``.
    package static func readRegular(_ path: String, maximumBytes: Int) throws(IOError) -> [UInt8] {
        let descriptor = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        if status.st_mode & S_IFMT == S_IFDIR { throw IOError.isDirectory }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
        guard status.st_size <= maximumBytes else { throw .fileTooLarge }
        return try contents(of: descriptor)
    }

    /// Reads at most the first `maximumBytes` of the regular file at `path`.
    package static func readBeginning(of path: String, maximumBytes: Int) throws(IOError) -> [UInt8] {
        let descriptor = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        defer { Descriptor.closeDescriptor(descriptor) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumBytes, alignment: 1)
        defer { bytes.deallocate() }
        return Array(bytes[..<(try Descriptor.read(descriptor, into: bytes))])
    }

    /// Reads the whole file at `path`, which may be a pipe. Throws ``IOError/fileTooLarge`` for more than
    /// `maximumBytes`.
    package static func read(_ path: String, maximumBytes: Int = .max) throws(IOError) -> [UInt8] {
        let descriptor = try Descriptor.open(path, O_RDONLY)
        defer { Descriptor.closeDescriptor(descriptor) }
        return try contents(of: descriptor, maximumBytes: maximumBytes)
    }

    /// Reads the whole file at `path`, which may be a pipe.
    ///
    /// - Returns: The contents, whether only the file's owner may read and write it, and whether other users than this one
    ///   and the administrator own it or may write it.
    /// - Throws: ``IOError/fileTooLarge`` for more than `maximumBytes`, or another ``IOError``.
    package static func readCheckingAccess(
        _ path: String, maximumBytes: Int
    ) throws(IOError) -> (bytes: [UInt8], isPrivate: Bool, isWritableByOthers: Bool) {
        let descriptor = try Descriptor.open(path, O_RDONLY)
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        let isOwn = status.st_uid == geteuid() || status.st_uid == 0
        return (
            try contents(of: descriptor, maximumBytes: maximumBytes), status.st_mode & 0o077 == 0,
            !isOwn || status.st_mode & 0o022 != 0
        )
    }

    /// Reads standard input until its end.
    package static func readStandardInput() throws(IOError) -> [UInt8] {
        try contents(of: StandardDescriptors.input)
    }

    static func contents(
        of descriptor: Int32, maximumBytes: Int = .max
    ) throws(IOError) -> [UInt8] {
        var contents: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = try Descriptor.read(descriptor, into: piece)
            guard count > 0 else { return contents }
            guard count <= maximumBytes - contents.count else { throw .fileTooLarge }
            contents.append(contentsOf: piece[..<count])
        }
    }
}
