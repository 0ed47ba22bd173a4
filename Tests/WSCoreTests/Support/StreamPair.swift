import Testing

@testable import WSCore

/// The transports of a stream pair.
enum Transport: CaseIterable, Sendable {
    case tcp
    case socketPair
}

/// Creates two connected streams on one loop.
func makeStreamPair(_ transport: Transport = .socketPair, on loop: EventLoop) throws -> (SystemStream, SystemStream) {
    switch transport {
    case .socketPair:
        let (near, far) = try makeSocketPair()
        return (try SystemStream.open(descriptor: near, on: loop), try SystemStream.open(descriptor: far, on: loop))
    case .tcp:
        var near: SystemStream?
        var far: SystemStream?
        let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in far = stream }
        let address = try #require(listener.address)
        _ = try SystemStream.connect(to: address, on: loop) { near = try? $0.get() }
        loop.run { near != nil && far != nil }
        listener.close()
        return (try #require(near), try #require(far))
    }
}
