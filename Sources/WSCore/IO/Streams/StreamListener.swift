import CSystem
import Glibc

/// Accepts connections on a TCP address or a Unix domain socket.
///
/// An open listener keeps itself alive until ``close()``.
package final class StreamListener: PolledDescriptor {
    /// Receives a connection and its peer's address. Reading has not started.
    package typealias Accept = (SystemStream, PeerAddress) -> Void

    /// The address to which the listener is bound, or `nil` for a Unix domain socket.
    package let address: SocketAddress?

    private let loop: EventLoop
    private let descriptor: Int32
    private let accept: Accept
    /// The socket's file, to be removed on close.
    private let file: SocketFile?
    private var isClosed = false
    private var isPaused = false
    private var isPolled = true
    /// The number of turns in a row, up to the last one, in each of which all of a batch was accepted.
    private var fullTurns = (count: 0, last: UInt64.max)
    /// Called when a connection cannot be accepted, mostly because the process has run out of descriptors. Accepting is
    /// tried again.
    internal var didFailToAccept: ((IOError) -> Void)?
    /// Accepts again after a failure.
    private var retry: Timer?

    /// 511, the default of nginx and Node. The kernel caps it at its own limit.
    private static let backlog: Int32 = 511
    /// The time to wait after a failure, such as for free descriptors. Waiting clients stay in the kernel's queue.
    private static let retryDelay = Duration.milliseconds(100)
    private static let maximumBatchSize = 64

    /// Listens on an IPv4 or IPv6 address. For port 0 the system picks a port; see ``address``.
    /// - Parameters:
    ///   - address: The address and port to listen on.
    ///   - sharesPort: Whether other listeners that set this option may use the same port (SO_REUSEPORT). The kernel
    ///     then distributes connections among them.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection.
    /// - Throws: ``IOError`` if the address cannot be used.
    package convenience init(
        on address: SocketAddress, sharesPort: Bool = false, loop: EventLoop, accept: @escaping Accept
    ) throws(IOError) {
        let socket = try Socket.open(address.family)
        do throws(IOError) {
            // Otherwise a restarted server would have to wait until its old connections are forgotten.
            Socket.set(SO_REUSEADDR, of: socket)
            if sharesPort { Socket.set(SO_REUSEPORT, of: socket) }
            // An IPv6 address for all interfaces also accepts IPv4, whatever the system's default is.
            if address.family == .ipv6 { Socket.set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: false, of: socket) }
            try Socket.bind(socket, to: address)
        } catch {
            Descriptor.closeDescriptor(socket)
            throw error
        }
        try self.init(socket, loop: loop, accept: accept)
    }

    /// Listens on a Unix domain socket at `path`, which is removed on close. On Linux, `@name` is in the abstract
    /// namespace.
    /// - Parameters:
    ///   - path: The path of the socket. A stale socket file there is replaced.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection.
    /// - Throws: ``IOError`` if the path cannot be used.
    package convenience init(
        onPath path: String, loop: EventLoop, accept: @escaping Accept
    ) throws(IOError) {
        let socket = try Socket.openLocal()
        do throws(IOError) {
            do throws(IOError) {
                try Socket.bind(socket, toPath: path)
            } catch {
                guard error == .addressInUse, !Socket.isAbstract(path), Socket.removeStaleFile(path) else {
                    throw error
                }
                try Socket.bind(socket, toPath: path)
            }
        } catch {
            Descriptor.closeDescriptor(socket)
            throw error
        }
        try self.init(socket, file: Socket.isAbstract(path) ? nil : SocketFile(path), loop: loop, accept: accept)
    }

    /// Takes ownership of a socket that already listens.
    /// - Parameters:
    ///   - socket: The listening socket.
    ///   - loop: The loop to run on.
    ///   - accept: Receives each connection.
    /// - Throws: ``IOError`` if the socket cannot be used.
    package convenience init(
        adopting socket: InheritedSocket, loop: EventLoop, accept: @escaping Accept
    ) throws(IOError) {
        try self.init(socket.descriptor, loop: loop, accept: accept)
    }

    /// Listens on a bound socket and takes ownership of it.
    private init(
        _ socket: Int32, file: SocketFile? = nil, loop: EventLoop, accept: @escaping Accept
    ) throws(IOError) {
        self.loop = loop
        self.accept = accept
        self.file = file
        descriptor = socket
        address = Socket.localAddress(of: socket)
        super.init()
        do throws(IOError) {
            // Accepted sockets inherit this option.
            if address != nil { Socket.disableDelay(of: socket) }
            try IOError.check(wsx_stop_blocking(socket))
            try IOError.check(wsx_listen(socket, Self.backlog))
            try loop.startPolling(socket, for: .readable, target: self)
        } catch {
            file?.remove()
            Descriptor.closeDescriptor(socket)
            throw error
        }
        loop.activeCount += 1
        // Released by `close()`.
        _ = Unmanaged.passRetained(self)
    }

    /// Stops accepting connections until ``resume()``. New connections wait in the kernel's queue.
    package func pause() {
        isPaused = true
        poll(false)
    }

    /// Resumes accepting after ``pause()``, and tries again in the next turn after a failure.
    package func resume() {
        guard isPaused || retry != nil else { return }
        isPaused = false
        retry = nil
        poll(true)
    }

    /// Closes the listening socket.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        retry = nil
        loop.activeCount -= 1
        // While the socket is open, no other server considers the file stale and replaces it.
        file?.remove()
        loop.stopPolling(descriptor, self)
        Descriptor.closeDescriptor(descriptor)
        Unmanaged.passUnretained(self).release()
    }

    /// Accepts one connection; while others wait, the kernel reports that in each turn. To find that none waits takes as
    /// long as accepting one, so the batches grow only while the queue lasts.
    override func becameReady(for events: PollEvents) {
        if loop.turnCount != fullTurns.last &+ 1 { fullTurns.count = 0 }
        for _ in 0..<min(max(1, fullTurns.count / 2), Self.maximumBatchSize) {
            guard isPolled, !isClosed else { return }
            let (socket, peer) = Socket.accept(from: descriptor)
            guard socket >= 0 else {
                if socket != -EAGAIN { acceptLater(after: IOError(code: socket)) }
                return
            }
            retry = nil
            let kind: SystemStream.Kind = address == nil ? .localSocket : .tcp
            do throws(IOError) {
                accept(try SystemStream(descriptor: socket, kind: kind, on: loop), peer)
            } catch {
                didFailToAccept?(error)
            }
        }
        fullTurns = (fullTurns.count + 1, loop.turnCount)
    }

    private func poll(_ isPolled: Bool) {
        guard isPolled != self.isPolled, !isClosed else { return }
        self.isPolled = isPolled
        // Errors are always reported; edge-triggered, only once.
        loop.changePolling(descriptor, for: isPolled ? .readable : .edgeTriggered, target: self)
    }

    private func acceptLater(after error: IOError) {
        if retry == nil { didFailToAccept?(error) }
        let timer = retry ?? Timer(on: loop) { [unowned self] in poll(!isPaused) }
        timer.start(after: Self.retryDelay)
        retry = timer
        poll(false)
    }
}
