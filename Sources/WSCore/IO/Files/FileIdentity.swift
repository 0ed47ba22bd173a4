#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which regular file something is, whatever names and links lead to it.
public struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Looks at what is at `path`, through symbolic links; nil: there is no regular file.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Looks at what a descriptor is open for; nil: it is no regular file, or not open.
    public init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
