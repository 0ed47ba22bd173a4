import CSystem
import Glibc

/// A listening socket passed by the parent process, such as systemd (sd_listen_fds(3)).
package struct InheritedSocket: Sendable {
    /// The address that a socket listens on.
    package enum Place: Sendable {
        /// An IP address and a port.
        case tcp(SocketAddress)
        /// The path of a Unix domain socket, or `@name` in the abstract namespace.
        case unix(path: String)
    }

    /// The socket's descriptor.
    package let descriptor: Int32
    /// The address that the socket listens on.
    package let place: Place

    /// Checks a descriptor and keeps child processes from inheriting it.
    /// - Throws: ``InheritedSocketError`` if the descriptor cannot accept clients.
    package init(descriptor: Int32) throws(InheritedSocketError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .notOpen }
        guard Descriptor.isSocket(descriptor) else { throw .notSocket }
        let streamKind = Int32(SOCK_STREAM.rawValue)
        guard wsx_option(descriptor, SOL_SOCKET, SO_TYPE) == streamKind else { throw .notStream }
        guard wsx_option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1 else { throw .notListening }
        self.descriptor = descriptor
        place = try Self.place(of: descriptor)
    }

    private static func place(of descriptor: Int32) throws(InheritedSocketError) -> Place {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address: SocketAddress? = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
        if let address { return .tcp(address) }
        guard Int32(storage.ss_family) == AF_UNIX else { throw .unknownFamily }
        let path = withUnsafeBytes(of: storage) { bytes in
            Array(bytes[(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2)..<Int(length)])
        }
        // unix(7): an abstract name begins with a NUL and extends to the end of the address. A path ends with a NUL.
        let isAbstract = path.first == 0
        let name = isAbstract ? path[1...] : path.prefix { $0 != 0 }
        return .unix(path: (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self))
    }
}

/// The reason a descriptor cannot accept clients.
package enum InheritedSocketError: Error, Equatable, CustomStringConvertible {
    /// The descriptor is not open.
    case notOpen
    /// The descriptor is a file, a pipe, or the like.
    case notSocket
    /// The socket is a datagram or packet socket.
    case notStream
    /// The socket is a connection, or does not listen.
    case notListening
    /// The socket is neither a TCP nor a Unix domain socket.
    case unknownFamily

    /// The reason and what to change, such as `it is not open`.
    package var description: String {
        switch self {
        case .notOpen: "it is not open; unset LISTEN_FDS, or pass a listening socket"
        case .notSocket: "it is not a socket; unset LISTEN_FDS, or pass a listening socket"
        case .notStream: "it is not a stream socket; use ListenStream= in the socket unit"
        case .notListening: "it is not a listening socket; remove Accept=yes from the socket unit"
        case .unknownFamily: "it is neither a TCP socket nor a Unix domain socket; use ListenStream= in the socket unit"
        }
    }
}
