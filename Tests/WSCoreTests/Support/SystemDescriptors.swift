import Glibc
import Testing

@testable import WSCore

// System calls that tests need independently of the tested code. Programs started by other tests must not inherit these
// descriptors: a descriptor inherited by another process stays open after the test closes it.

private let streamKind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

/// Creates a pipe.
func makePipe() throws -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// Creates two connected Unix domain sockets.
func makeSocketPair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, streamKind, 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// Creates two connected TCP sockets.
func makeTCPSockets() throws -> (Int32, Int32) {
    let listener = socket(AF_INET, streamKind, 0)
    defer { _ = close(listener) }
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = try #require(anyLoopbackPort()).withSockaddr { bind(listener, $0, length) } == 0
    try #require(isListening && listen(listener, 1) == 0)
    let listening = Socket.localAddress(of: listener)
    let near = socket(AF_INET, streamKind, 0)
    let isConnected = try #require(listening).withSockaddr { connect(near, $0, length) } == 0
    try #require(isConnected)
    let far = accept(listener, nil, nil)
    try #require(far >= 0 && fcntl(far, F_SETFD, FD_CLOEXEC) == 0)
    return (near, far)
}

/// Provides a loopback address that refuses connections. Its port is bound, and no other test can take it meanwhile.
func withRefusingAddress(_ body: (SocketAddress) throws -> Void) throws {
    let holder = socket(AF_INET, streamKind, 0)
    defer { _ = close(holder) }
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = try #require(anyLoopbackPort()).withSockaddr { bind(holder, $0, length) } == 0
    try #require(isBound)
    let address = Socket.localAddress(of: holder)
    try body(try #require(address))
}

/// Sets the sizes of a socket's send and receive buffers, which the kernel may round.
func setBuffers(of socket: Int32, toBytes byteCount: Int32) {
    var byteCount = byteCount
    for option in [SO_SNDBUF, SO_RCVBUF] {
        _ = setsockopt(socket, SOL_SOCKET, option, &byteCount, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// The number of this process's sockets connected to a port, which identifies the sockets of one test.
func connectedSocketCount(toPort port: UInt16) -> Int {
    (0..<Int32(4096)).count { peerPort(of: $0) == port }
}

/// The number of this process's sockets that a listener on a port has accepted.
func acceptedSocketCount(onPort port: UInt16) -> Int {
    (0..<Int32(4096)).count { Socket.localAddress(of: $0)?.port == port && peerPort(of: $0) != nil }
}

/// The port of a socket's peer, or `nil` if it is not connected.
private func peerPort(of socket: Int32) -> UInt16? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            // sin_port and sin6_port have the same offset.
            getpeername(socket, address, &length) == 0 ? UInt16(bigEndian: pointer.pointee.sin6_port) : nil
        }
    }
}

/// Makes a socket send a reset, and discard unsent bytes, when it is closed.
func resetWhenClosed(_ socket: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}

/// Closes descriptors.
func closeAll(_ descriptors: Int32...) {
    for descriptor in descriptors { _ = close(descriptor) }
}

/// Opens a file, creating it if necessary.
func openFile(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(path, flags | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    return descriptor
}

/// Opens `path` for reading.
func openForReading(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0)
    return descriptor
}

/// Shuts down the sending side of a socket.
func stopSending(_ socket: Int32) {
    _ = shutdown(socket, Int32(SHUT_WR))
}

/// Writes all bytes, blocking while the descriptor is full.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

/// Reads at most `limit` bytes once, blocking until some arrive. Returns an empty array at the end or after an error.
func readSome(_ descriptor: Int32, limit: Int = 65536) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return Array(buffer.prefix(max(0, count)))
}

/// Sets non-blocking mode, in which ``readSome(_:limit:)`` does not block.
func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

/// Whether a file exists at a path.
func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
}

/// Calls `body` with the path of a new directory. Removes it afterwards with its files.
func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    // mkdtemp replaces the six Xs to form a unique name.
    var template = Array("/tmp/wsx-test-XXXXXX".utf8CString)
    let path = template.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    let directory = try #require(path)
    defer {
        for name in ["file", "socket", "other"] { _ = unlink("\(directory)/\(name)") }
        _ = rmdir(directory)
    }
    try body(directory)
}

/// Returns a pattern that reveals lost, repeated, and moved bytes.
func pattern(_ count: Int) -> [UInt8] {
    var random = SeededRandom(seed: 11)
    // The block length is prime, so no buffer size is a multiple of it.
    let block = (0..<65_521).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes.append(contentsOf: block) }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// Whether two arrays are equal. In debug builds, a hundred times faster than `==`, which matters for megabytes.
func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && memcmp(first, second, first.count) == 0
}

/// Whether a descriptor is in non-blocking mode.
func isNonBlocking(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
}

/// Calls `body` with an address that does not respond: a listener with a full queue.
func withSilentAddress(_ body: (SocketAddress) throws -> Void) throws {
    let listener = socket(AF_INET, streamKind, 0)
    var clients: [Int32] = []
    defer { for descriptor in clients + [listener] { _ = close(descriptor) } }
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let any = try #require(anyLoopbackPort())
    let bound = any.withSockaddr { bind(listener, $0, length) }
    try #require(bound == 0)
    try #require(listen(listener, 0) == 0)
    let listening = Socket.localAddress(of: listener)
    let address = try #require(listening)
    for _ in 0..<8 {
        let client = socket(AF_INET, streamKind, 0)
        setNonBlocking(client)
        _ = address.withSockaddr { connect(client, $0, length) }
        clients.append(client)
    }
    try body(address)
}

/// Returns the permission bits of the file at a path.
func mode(of path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt32(status.st_mode & 0o777) : 0
}
