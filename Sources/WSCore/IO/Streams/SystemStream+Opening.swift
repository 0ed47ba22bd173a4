import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SystemStream {
    /// Receives the result of a connection attempt.
    public typealias Completion = (Result<SystemStream, IOError>) -> Void

    /// Connects to an IPv4 or IPv6 address, optionally from a given source address of this machine.
    ///
    /// To cancel the attempt, close the returned stream; `completion` is then not called.
    /// - Throws: ``AttemptError`` if the attempt fails immediately.
    public static func connect(
        to address: SocketAddress, from source: SocketAddress? = nil, on loop: EventLoop,
        completion: @escaping Completion
    ) throws(AttemptError) -> SystemStream {
        let stream: SystemStream
        do throws(IOError) {
            stream = try makeTCP(on: loop, family: source?.family)
        } catch {
            throw .system(error)
        }
        if let source {
            let result = stream.bind(to: source)
            guard result == 0 else {
                stream.close()
                throw .source(source.host, IOError(code: result))
            }
        }
        let attempt = ConnectAttempt(stream: stream, completion: completion)
        let result = address.withSockaddr { sockaddr in
            stream.withTCPHandle { uv_tcp_connect(attempt.request, $0, sockaddr, ConnectAttempt.callback) }
        }
        do throws(IOError) {
            try attempt.began(result)
        } catch {
            throw .system(error)
        }
        return stream
    }

    /// Binds to a local address. The port is chosen when the socket connects.
    private func bind(to source: SocketAddress) -> Int32 {
        #if os(Linux)
            // A port chosen now would be unavailable for all destinations, and one source address would run out of
            // ports after about 28,000 connections. Kernels without this option ignore it and behave as before.
            var descriptor: uv_os_fd_t = -1
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { _ = uv_fileno($0, &descriptor) }
            var isOn: Int32 = 1
            setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return source.withSockaddr { sockaddr in withTCPHandle { uv_tcp_bind($0, sockaddr, 0) } }
    }

    /// Connects to a Unix domain socket at `path`. On Linux, `@name` is in the abstract namespace.
    ///
    /// To cancel the attempt, close the returned stream; `completion` is then not called.
    /// - Throws: ``IOError`` if the attempt fails immediately.
    public static func connect(
        toPath path: String, on loop: EventLoop, completion: @escaping Completion
    ) throws(IOError) -> SystemStream {
        try checkSocketPath(path)
        if AbstractSocket.isNamed(by: path) {
            let stream = try open(descriptor: try AbstractSocket.connected(to: path), on: loop)
            ConnectAttempt(stream: stream, completion: completion).succeedLater()
            return stream
        }
        let stream = try makePipe(on: loop)
        let attempt = ConnectAttempt(stream: stream, completion: completion)
        stream.withPipeHandle { uv_pipe_connect(attempt.request, $0, path, ConnectAttempt.callback) }
        try attempt.began(0)
        return stream
    }

    /// Creates a stream on a descriptor. Takes ownership of the descriptor and makes it non-blocking.
    internal static func open(descriptor: Int32, on loop: EventLoop) throws(IOError) -> SystemStream {
        let stream = try makePipe(on: loop)
        let result = stream.withPipeHandle { uv_pipe_open($0, descriptor) }
        guard result == 0 else {
            Descriptor.closeDescriptor(descriptor)
            stream.close()
            throw IOError(code: result)
        }
        return stream
    }

    /// A socket's path and a NUL must fit into `sockaddr_un`: libuv would silently truncate a longer path.
    internal static func checkSocketPath(_ path: String) throws(IOError) {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw IOError(code: UV_ENAMETOOLONG.rawValue)
        }
    }

    /// Creates an unconnected stream. With a family, its socket exists immediately.
    internal static func makeTCP(
        on loop: EventLoop, family: SocketAddress.Family? = nil
    ) throws(IOError) -> SystemStream {
        let handle = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
        let domain = family.map { $0 == .ipv4 ? AF_INET : AF_INET6 } ?? AF_UNSPEC
        let result = uv_tcp_init_ex(loop.handle, handle, UInt32(domain))
        guard result == 0 else {
            handle.deallocate()
            throw IOError(code: result)
        }
        // Messages are written when they are sent. Nagle's algorithm would only delay them.
        uv_tcp_nodelay(handle, 1)
        return SystemStream(on: loop, handle: UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self))
    }

    internal static func makePipe(on loop: EventLoop) throws(IOError) -> SystemStream {
        let handle = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        let result = uv_pipe_init(loop.handle, handle, 0)
        guard result == 0 else {
            handle.deallocate()
            throw IOError(code: result)
        }
        return SystemStream(on: loop, handle: UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self))
    }

    /// The peer's address.
    public var peerAddress: PeerAddress {
        guard handle.pointee.type == UV_TCP else { return .local }
        let address = withTCPHandle { handle in
            SocketAddress.read { address, length in uv_tcp_getpeername(handle, address, length) }
        }
        return address.map { .network($0) } ?? .unknown
    }

    internal func withTCPHandle<R>(_ body: (UnsafeMutablePointer<uv_tcp_t>) -> R) -> R {
        handle.withMemoryRebound(to: uv_tcp_t.self, capacity: 1) { body($0) }
    }

    internal func withPipeHandle<R>(_ body: (UnsafeMutablePointer<uv_pipe_t>) -> R) -> R {
        handle.withMemoryRebound(to: uv_pipe_t.self, capacity: 1) { body($0) }
    }
}

extension SocketAddress {
    /// Reads an address with a libuv function that fills in a `sockaddr` and its length.
    internal static func read(
        _ function: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                function(address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
    }
}

/// A connection attempt. libuv holds it until it succeeds, fails, or is canceled.
private final class ConnectAttempt {
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    let stream: SystemStream
    let completion: SystemStream.Completion

    init(stream: SystemStream, completion: @escaping SystemStream.Completion) {
        self.stream = stream
        self.completion = completion
        request.initialize(to: uv_connect_t())
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        request.deallocate()
    }

    func began(_ result: Int32) throws(IOError) {
        guard result < 0 else { return }
        stream.close()
        Unmanaged.passUnretained(self).release()
        throw IOError(code: result)
    }

    /// Completes at the end of the turn, so the caller already has the stream.
    func succeedLater() {
        stream.loop.atEndOfTurn(self)
    }

    static let callback: uv_connect_cb = { request, status in
        guard let data = request?.pointee.data else { return }
        let attempt = Unmanaged<ConnectAttempt>.fromOpaque(data).takeRetainedValue()
        guard !attempt.stream.isClosed else { return }
        if status < 0 {
            attempt.stream.close()
            attempt.completion(.failure(IOError(code: status)))
        } else {
            attempt.completion(.success(attempt.stream))
        }
    }
}

extension ConnectAttempt: EndOfTurnWork {
    func endTurn() {
        Unmanaged.passUnretained(self).release()
        guard !stream.isClosed else { return }
        completion(.success(stream))
    }
}
