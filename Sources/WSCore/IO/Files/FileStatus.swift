#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the file system says of a file or directory.
struct FileStatus: Sendable {
    /// The kinds of files.
    enum Kind {
        case regular
        case directory
        case symbolicLink
        /// A pipe, a socket, a device.
        case other
    }

    let kind: Kind
    /// What tells the file from others of the same file system.
    let number: UInt64
    /// The length in bytes.
    let size: Int
    /// The time of the last change, in seconds since the beginning of 1970.
    let modifiedSeconds: Int
    /// The part of a second after that, 0 through 999,999,999.
    let modifiedNanoseconds: Int

    /// Takes over what the system says.
    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        modifiedSeconds = Int(modified.tv_sec)
        modifiedNanoseconds = Int(modified.tv_nsec)
    }
}
