import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SystemStream {
    /// How an attempt to connect ended.
    public typealias Completion = (Result<SystemStream, IOError>) -> Void

    /// Connects to an IPv4 or IPv6 address, where `source` is given from that address of this machine.
    ///
    /// Closing the stream that is returned calls the attempt off; `completion` is then not called.
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

    /// Binds to an address of this machine and a port that is picked when it is connected.
    private func bind(to source: SocketAddress) -> Int32 {
        #if os(Linux)
            // Picked here and now, it would be taken from all destinations, and one source would run out of ports after
            // some 28,000 connections. A kernel that does not know the option goes on as before.
            var descriptor: uv_os_fd_t = -1
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { _ = uv_fileno($0, &descriptor) }
            var isOn: Int32 = 1
            setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return source.withSockaddr { sockaddr in withTCPHandle { uv_tcp_bind($0, sockaddr, 0) } }
    }

    /// Connects to a Unix-domain socket by its path; on Linux `@name` is one of the abstract namespace.
    ///
    /// Closing the stream that is returned calls the attempt off; `completion` is then not called.
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

    /// Makes a stream of a descriptor, which it takes over and sets to non-blocking.
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

    /// A socket's path has to fit, with a NUL, into `sockaddr_un`: libuv would cut a longer one without a word.
    internal static func checkSocketPath(_ path: String) throws(IOError) {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw IOError(code: UV_ENAMETOOLONG.rawValue)
        }
    }

    /// Makes a stream that is not connected; its socket exists from now on where a family is given.
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
        // A message is written when it is sent: waiting for more to send with it only adds delay.
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

    /// Where the other end is.
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
    /// Reads an address with one of libuv's functions that fill in a `sockaddr` and its length.
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

/// One attempt to connect: what libuv holds until it has succeeded, failed or been called off.
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

    /// Completes at the end of the turn, so that the caller has the stream by then.
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
