import CLibuv

/// Accepts connections on a TCP address or a Unix domain socket.
///
/// An open listener keeps itself alive until ``close()``.
public final class StreamListener {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_stream_t>
    private let accept: (SystemStream) -> Void
    private var isClosed = false
    private var isPaused = false
    /// Whether libuv holds a connection that has not been accepted. It reports no further one until then.
    private var hasWaiting = false

    /// 511, the default of nginx and Node. The kernel caps it at its own limit.
    private static let backlog: Int32 = 511

    /// Listens on an IPv4 or IPv6 address. For port 0 the system picks a port; see ``address``.
    /// - Parameters:
    ///   - address: The address and port to listen on.
    ///   - sharesPort: Whether other listeners that set this option may use the same port (SO_REUSEPORT). The kernel
    ///     then distributes connections among them.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection. Reading has not started.
    /// - Throws: ``IOError`` if the address cannot be used.
    public init(
        on address: SocketAddress, sharesPort: Bool = false, loop: EventLoop, accept: @escaping (SystemStream) -> Void
    ) throws(IOError) {
        let tcp = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
        // With a family, the socket exists immediately and its options can be set.
        var result = uv_tcp_init_ex(loop.handle, tcp, UInt32(address.family == .ipv6 ? AF_INET6 : AF_INET))
        if result == 0, sharesPort { result = wsx_share_port(tcp) }
        self.loop = loop
        self.accept = accept
        handle = UnsafeMutableRawPointer(tcp).assumingMemoryBound(to: uv_stream_t.self)
        try listen(bindResult: result < 0 ? result : address.withSockaddr { uv_tcp_bind(tcp, $0, 0) })
    }

    /// Listens on a Unix domain socket at `path`, which is removed on close. On Linux, `@name` is in the abstract
    /// namespace.
    /// - Parameters:
    ///   - path: The path of the socket. A stale socket file there is replaced.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection. Reading has not started.
    /// - Throws: ``IOError`` if the path cannot be used.
    public init(onPath path: String, loop: EventLoop, accept: @escaping (SystemStream) -> Void) throws(IOError) {
        try SystemStream.checkSocketPath(path)
        let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        uv_pipe_init(loop.handle, pipe, 0)
        self.loop = loop
        self.accept = accept
        handle = UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
        try listen(bindResult: Self.bind(pipe, to: path))
    }

    /// Takes ownership of a socket that already listens.
    /// - Parameters:
    ///   - socket: The listening socket.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection. Reading has not started.
    /// - Throws: ``IOError`` if the socket cannot be used.
    public init(
        adopting socket: InheritedSocket, loop: EventLoop, accept: @escaping (SystemStream) -> Void
    ) throws(IOError) {
        self.loop = loop
        self.accept = accept
        switch socket.place {
        case .tcp:
            let tcp = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
            uv_tcp_init(loop.handle, tcp)
            handle = UnsafeMutableRawPointer(tcp).assumingMemoryBound(to: uv_stream_t.self)
            try listen(bindResult: uv_tcp_open(tcp, socket.descriptor))
        case .unix:
            let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
            uv_pipe_init(loop.handle, pipe, 0)
            handle = UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
            try listen(bindResult: uv_pipe_open(pipe, socket.descriptor))
        }
    }

    deinit {
        handle.deallocate()
    }

    /// The address to which the listener is bound, or `nil` for a Unix domain socket.
    public var address: SocketAddress? {
        guard handle.pointee.type == UV_TCP else { return nil }
        return handle.withMemoryRebound(to: uv_tcp_t.self, capacity: 1) { tcp in
            SocketAddress.read { address, length in uv_tcp_getsockname(tcp, address, length) }
        }
    }

    /// Stops accepting connections until ``resume()``. New connections wait in the kernel's queue.
    public func pause() {
        isPaused = true
    }

    /// Resumes accepting after ``pause()``.
    public func resume() {
        guard isPaused else { return }
        isPaused = false
        if hasWaiting, !isClosed { acceptNext() }
    }

    /// Closes the listening socket.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { handle in
                guard let data = handle?.pointee.data else { return }
                Unmanaged<StreamListener>.fromOpaque(data).release()
            }
        }
    }

    private static func bind(_ pipe: UnsafeMutablePointer<uv_pipe_t>, to path: String) -> Int32 {
        guard AbstractSocket.isNamed(by: path) else {
            let result = uv_pipe_bind(pipe, path)
            // libuv reports EACCES for a missing directory, too, as Windows would.
            if result == UV_EACCES.rawValue, File.isMissing(File.directory(of: path)) { return UV_ENOENT.rawValue }
            let isStale = result == UV_EADDRINUSE.rawValue && Descriptor.removeStaleSocket(path)
            return isStale ? uv_pipe_bind(pipe, path) : result
        }
        do throws(IOError) {
            let descriptor = try AbstractSocket.bound(to: path)
            let result = uv_pipe_open(pipe, descriptor)
            if result < 0 { Descriptor.closeDescriptor(descriptor) }
            return result
        } catch {
            return error.code
        }
    }

    private func listen(bindResult: Int32) throws(IOError) {
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var result = bindResult
        if result == 0 {
            result = uv_listen(handle, Self.backlog) { handle, status in
                guard status == 0, let data = handle?.pointee.data else { return }
                Unmanaged<StreamListener>.fromOpaque(data).takeUnretainedValue().acceptNext()
            }
        }
        guard result < 0 else { return }
        close()
        throw IOError(code: result)
    }

    private func acceptNext() {
        hasWaiting = isPaused
        guard !isPaused else { return }
        let isTCP = handle.pointee.type == UV_TCP
        guard let stream = try? isTCP ? SystemStream.makeTCP(on: loop) : SystemStream.makePipe(on: loop) else { return }
        guard uv_accept(handle, stream.handle) == 0 else {
            stream.close()
            return
        }
        accept(stream)
    }
}
