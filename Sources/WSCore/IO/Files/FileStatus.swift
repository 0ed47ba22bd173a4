import Glibc

/// The metadata of a file or directory.
struct FileStatus: Equatable, Sendable {
    /// The type of a file.
    enum Kind {
        case regular
        case directory
        case symbolicLink
        /// A pipe, a socket, or a device.
        case other
    }

    let kind: Kind
    /// The number of the file system.
    let device: UInt64
    /// The inode number, unique within a file system.
    let number: UInt64
    /// The length in bytes.
    let size: Int
    /// The time of the last modification, in seconds since 1970-01-01 00:00 UTC.
    let modifiedSeconds: Int
    /// The fractional second of that time, in nanoseconds, 0 through 999,999,999.
    let modifiedNanoseconds: Int

    /// Converts the result of `stat`.
    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
        let modified = status.st_mtim
        modifiedSeconds = Int(modified.tv_sec)
        modifiedNanoseconds = Int(modified.tv_nsec)
    }
}
