#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// Whole files.
public enum File {
    /// Whether there is a directory at `path`.
    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether it is certain that there is nothing at `path`.
    public static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The directory that a file at `path` is in, or would be.
    public static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the directory at `path` and those that it is in, each for its owner alone, where they are not there.
    public static func makeDirectory(_ path: String) throws(IOError) {
        if isDirectory(path) { return }
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
        }
        // Another process may have made it in between.
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw IOError(code: uv_translate_sys_error(errno))
        }
    }

    /// Appends bytes to the file at `path`, which is made, for its owner alone, if it is not there.
    public static func append(_ bytes: [UInt8], to path: String) throws(IOError) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        try Descriptor.writeAll(descriptor, bytes)
    }

    /// Makes a file at `path` that holds the bytes, with the rights that the user's mask leaves; one that is there already
    /// is an error. What could not be written in full is not left behind.
    public static func create(_ bytes: RawSpan, at path: String) throws(IOError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        var offset = 0
        while offset < bytes.byteCount {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            guard count > 0 || errno == EINTR else {
                let error = IOError(code: uv_translate_sys_error(errno))
                unlink(path)
                throw error
            }
            offset += max(0, count)
        }
    }

    /// Reads all of the file at `path`, at once: no pipe or device that would have one wait, or has no end.
    ///
    /// Throws ``IOError/fileTooLarge`` for more than `maximumBytes`, and ``IOError/invalidArgument`` for what is no
    /// regular file.
    public static func readRegular(_ path: String, maximumBytes: Int) throws(IOError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        if status.st_mode & S_IFMT == S_IFDIR { throw IOError(code: UV_EISDIR.rawValue) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
        guard status.st_size <= maximumBytes else { throw .fileTooLarge }
        return try contents(of: descriptor)
    }

    /// Reads the beginning of the regular file at `path`, of `maximumBytes` or less.
    public static func readBeginning(of path: String, maximumBytes: Int) throws(IOError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumBytes, alignment: 1)
        defer { bytes.deallocate() }
        return Array(bytes[..<(try Descriptor.read(descriptor, into: bytes))])
    }

    /// Reads all of the file at `path`, which may also be a pipe; one of more than `maximumBytes` is an error.
    public static func read(_ path: String, maximumBytes: Int = .max) throws(IOError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        return try contents(of: descriptor, maximumBytes: maximumBytes)
    }

    /// Reads all of standard input.
    public static func readStandardInput() throws(IOError) -> [UInt8] {
        try contents(of: StandardDescriptors.input)
    }

    private static func contents(
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
