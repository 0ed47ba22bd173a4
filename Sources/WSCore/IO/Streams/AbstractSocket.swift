import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Unix domain sockets in Linux's abstract namespace, written `@name` (unix(7)). Their names are not files.
///
/// libuv supports them only since 1.46. Here the sockets are created directly and libuv takes ownership of the
/// descriptors.
enum AbstractSocket {
    /// Whether a path is an abstract name. `./@name` is a file.
    static func isNamed(by path: String) -> Bool {
        #if os(Linux)
            path.utf8.first == UInt8(ascii: "@")
        #else
            false
        #endif
    }

    /// Returns a socket connected to `@name`. A local connection succeeds or fails immediately.
    static func connected(to path: String) throws(IOError) -> Int32 {
        try make(path) { descriptor, address, length in connect(descriptor, address, length) }
    }

    /// Returns a socket bound to `@name`.
    static func bound(to path: String) throws(IOError) -> Int32 {
        try make(path) { descriptor, address, length in bind(descriptor, address, length) }
    }

    private static func make(
        _ path: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(IOError) -> Int32 {
        try SystemStream.checkSocketPath(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            // The NUL that is already there replaces the at sign.
            target.dropFirst().copyBytes(from: path.utf8.dropFirst())
        }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_UNIX, kind, 0)
        #endif
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        // The length delimits the name: trailing NULs would be part of it.
        let prefix = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = socklen_t(prefix + path.utf8.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, length) }
        }
        guard result == 0 else {
            let error = IOError(code: uv_translate_sys_error(errno))
            Descriptor.closeDescriptor(descriptor)
            throw error
        }
        return descriptor
    }
}
