import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct InheritedSocketTests {
    @Test("a listening TCP socket has its address, and child processes do not inherit it")
    func tcp() throws {
        let descriptor = try makeListener()
        defer { _ = close(descriptor) }
        let inherited = try InheritedSocket(descriptor: descriptor)
        guard case .tcp(let address) = inherited.place else { return #expect(Bool(false)) }
        expectEqual(address.host, "127.0.0.1")
        expectNotEqual(address.port, 0)
        expectNotEqual(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0)
    }

    @Test("an inherited socket accepts clients")
    func accepting() throws {
        try withLoop { loop in
            let inherited = try InheritedSocket(descriptor: try makeListener())
            var accepted: SystemStream?
            let listener = try StreamListener(adopting: inherited, loop: loop) { stream, _ in accepted = stream }
            var connected: SystemStream?
            _ = try SystemStream.connect(to: try #require(listener.address), on: loop) { connected = try? $0.get() }
            loop.run { accepted != nil && connected != nil }
            accepted?.close()
            connected?.close()
            listener.close()
            loop.runOnce()
            // The listener took ownership of the descriptor.
            #expect(fcntl(inherited.descriptor, F_GETFD) < 0)
        }
    }

    @Test("a descriptor that cannot accept clients reports the reason")
    func refused() throws {
        let pipe = try makePipe()
        let pair = try makeSocketPair()
        let datagram = socket(AF_INET, datagramKind, 0)
        defer { for descriptor in [pipe.0, pipe.1, pair.0, pair.1, datagram] { _ = close(descriptor) } }
        #expect(throws: InheritedSocketError.notOpen) { _ = try InheritedSocket(descriptor: 4095) }
        #expect(throws: InheritedSocketError.notSocket) { _ = try InheritedSocket(descriptor: pipe.readEnd) }
        #expect(throws: InheritedSocketError.notStream) { _ = try InheritedSocket(descriptor: datagram) }
        #expect(throws: InheritedSocketError.notListening) { _ = try InheritedSocket(descriptor: pair.0) }
    }

    private func makeListener() throws -> Int32 {
        let descriptor = socket(AF_INET, streamKind, 0)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = try #require(anyLoopbackPort()).withSockaddr { bind(descriptor, $0, length) } == 0
        try #require(isBound && listen(descriptor, 1) == 0)
        return descriptor
    }

    private let streamKind = Int32(SOCK_STREAM.rawValue)
    private let datagramKind = Int32(SOCK_DGRAM.rawValue)
}
