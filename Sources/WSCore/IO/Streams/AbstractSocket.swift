import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Unix-domain sockets whose name is no file: Linux's abstract namespace, written `@name` (unix(7)).
///
/// libuv can name them only from 1.46 on. It takes over the descriptors that are made here.
enum AbstractSocket {
    /// Whether a path stands for such a name; `./@name` is the file.
    static func isNamed(by path: String) -> Bool {
        #if os(Linux)
            path.utf8.first == UInt8(ascii: "@")
        #else
            false
        #endif
    }

    /// A socket that is connected to `@name`. A local connection comes about at once or not at all.
    static func connected(to path: String) throws(IOError) -> Int32 {
        try make(path) { descriptor, address, length in connect(descriptor, address, length) }
    }

    /// A socket that is bound to `@name`.
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
            // A NUL, which is there already, takes the place of the at sign.
            target.dropFirst().copyBytes(from: path.utf8.dropFirst())
        }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_UNIX, kind, 0)
        #endif
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        // The name ends where the length says: NULs after it would be part of it.
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
