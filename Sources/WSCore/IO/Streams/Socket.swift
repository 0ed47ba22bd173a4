import CSystem
import Glibc

/// System calls on stream sockets. All sockets are non-blocking.
internal enum Socket {
    /// Opens a TCP socket. Messages are written when they are sent, so Nagle's algorithm would only delay them.
    static func open(_ family: SocketAddress.Family) throws(IOError) -> Int32 {
        let socket = try IOError.check(wsx_open_socket(family == .ipv4 ? AF_INET : AF_INET6))
        disableDelay(of: socket)
        return socket
    }

    /// Opens a Unix domain socket.
    static func openLocal() throws(IOError) -> Int32 {
        try IOError.check(wsx_open_socket(AF_UNIX))
    }

    /// Disables Nagle's algorithm for a TCP socket.
    static func disableDelay(of socket: Int32) {
        _ = wsx_set_option(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Sets a Boolean option.
    static func set(_ option: Int32, level: Int32 = SOL_SOCKET, to value: Bool = true, of socket: Int32) {
        _ = wsx_set_option(socket, level, option, value ? 1 : 0)
    }

    /// Binds a socket to an address.
    static func bind(_ socket: Int32, to address: SocketAddress) throws(IOError) {
        try IOError.check(
            address.withSockaddr { wsx_bind(socket, $0, SocketAddress.byteCount) })
    }

    /// Binds a socket to a path, or to `@name` in the abstract namespace.
    /// - Throws: ``IOError`` if the path is too long or cannot be used.
    static func bind(_ socket: Int32, toPath path: String) throws(IOError) {
        try checkPath(path)
        try IOError.check(withLocalAddress(path) { wsx_bind(socket, $0, $1) })
    }

    /// Starts connecting.
    /// - Returns: 0, 1 if it takes time, or a negative error.
    static func connect(_ socket: Int32, to address: SocketAddress) -> Int32 {
        address.withSockaddr { wsx_connect(socket, $0, SocketAddress.byteCount) }
    }

    /// Connects to a path that fits (``checkPath(_:)``), or to `@name` in the abstract namespace, without waiting.
    /// - Returns: 0, or a negative error.
    static func connect(_ socket: Int32, toPath path: String) -> Int32 {
        withLocalAddress(path) { wsx_connect(socket, $0, $1) }
    }

    /// Returns and clears the socket's error, such as that of an attempt to connect, or 0.
    static func error(of socket: Int32) -> Int32 {
        let code = wsx_option(socket, SOL_SOCKET, SO_ERROR)
        return code > 0 ? -code : code
    }

    /// Ends the sending direction. Has no effect on pipes.
    static func endSending(_ socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_WR))
    }

    /// Lets the end of a TCP connection be a reset.
    static func resetWhenClosed(_ socket: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Accepts a connection.
    /// - Returns: Its socket and its peer's address; or, as the socket, a negative error, and no meaningful address. -EAGAIN
    ///   means that no connection waits.
    static func accept(from listener: Int32) -> (socket: Int32, peer: PeerAddress) {
        var socket: Int32 = 0
        let address = self.address {
            socket = wsx_accept(listener, $0, $1)
            return min(socket, 0)
        }
        return (socket, address.map { .network($0) } ?? .local)
    }

    /// The local address of a socket, or `nil` for a Unix domain socket.
    static func localAddress(of socket: Int32) -> SocketAddress? {
        address { getsockname(socket, $0, $1) }
    }

    private static func address(
        _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                read(address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
    }

    /// Whether a path is a name in Linux's abstract namespace (unix(7)), which is not a file. `./@name` is a file.
    static func isAbstract(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "@") }

    /// A socket's path and a NUL must fit into `sockaddr_un`.
    static func checkPath(_ path: String) throws(IOError) {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw IOError(code: -ENAMETOOLONG)
        }
    }

    /// Removes the file of a Unix domain socket that no process listens on, such as one left behind by a killed server.
    /// Returns whether it removed the file.
    static func removeStaleFile(_ path: String) -> Bool {
        var status = stat()
        // connect() also reports ECONNREFUSED for a file that is not a socket.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, let probe = try? openLocal() else {
            return false
        }
        defer { Descriptor.closeDescriptor(probe) }
        return connect(probe, toPath: path) == IOError.connectionRefused.code && unlink(path) == 0
    }

    private static func withLocalAddress<R>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count))
            // An abstract name begins with a NUL instead of the at sign.
            if isAbstract(path) { target[0] = 0 }
        }
        // The length delimits an abstract name: trailing NULs would be part of it.
        let prefix = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = isAbstract(path) ? prefix + path.utf8.count : MemoryLayout<sockaddr_un>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

/// The file of a Unix domain socket that this process has bound.
internal struct SocketFile {
    private let path: String
    private let identity: (device: dev_t, number: ino_t)?

    /// Identifies the file, right after it was bound. An open socket keeps its number from being used again.
    init(_ path: String) {
        self.path = path
        identity = Self.identity(of: path)
    }

    /// Removes the file, unless another process has replaced it.
    func remove() {
        guard let identity, let found = Self.identity(of: path), identity == found else { return }
        _ = unlink(path)
    }

    private static func identity(of path: String) -> (device: dev_t, number: ino_t)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}
