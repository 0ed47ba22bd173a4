import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectAttemptTests {
    @Test("a connection to a port without a listener is refused")
    func refused() throws {
        try withLoop { loop in
            try withRefusingAddress { address in
                var answer: Result<SystemStream, IOError>?
                let attempt = try SystemStream.connect(to: address, on: loop) { answer = $0 }
                loop.run { answer != nil }
                #expect(throws: IOError.connectionRefused) { try answer?.get() }
                expectTrue(attempt.isOver)
            }
        }
    }

    @Test("a stream closed while connecting does not complete")
    func calledOff() throws {
        try withLoop { loop in
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                stream.close()
            }
            let attempt = try SystemStream.connect(to: try #require(listener.address), on: loop) { _ in
                Issue.record("the completion was called")
            }
            attempt.cancel()
            loop.settle()
            listener.close()
            loop.runOnce()
        }
    }

    @Test("a TCP connection is accepted with the peer's address", arguments: ["127.0.0.1", "::1"])
    func peerAddress(host: String) throws {
        try withLoop { loop in
            var near: SystemStream?
            var far: SystemStream?
            var peer: PeerAddress?
            let address = try #require(SocketAddress(numeric: host, port: 0))
            let listener = try StreamListener(on: address, loop: loop) { (far, peer) = ($0, $1) }
            _ = try SystemStream.connect(to: try #require(listener.address), on: loop) { near = try? $0.get() }
            loop.run { near != nil && far != nil }
            expectEqual(peer?.socketAddress?.host, host)
            expectNotEqual(peer?.socketAddress?.port, listener.address?.port)
            near?.close()
            far?.close()
            listener.close()
            loop.runOnce()
        }
    }

    @Test("a Unix domain socket is reached by its path, and has no address")
    func unix() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                var near: SystemStream?
                var far: SystemStream?
                var peer: PeerAddress?
                let listener = try StreamListener(onPath: "\(directory)/socket", loop: loop) { (far, peer) = ($0, $1) }
                _ = try SystemStream.connect(toPath: "\(directory)/socket", on: loop) { near = try? $0.get() }
                loop.run { near != nil && far != nil }
                expectEqual(peer?.description, "a local socket")
                expectNil(listener.address)
                near?.close()
                far?.close()
                listener.close()
                loop.runOnce()
            }
        }
    }

    @Test("an abstract socket is reached by its name, without a file")
    func abstract() throws {
        try withLoop { loop in
            var near: SystemStream?
            var far: SystemStream?
            let name = "@wsx-test-\(SecureRandom.bytes(8).map(String.init).joined())"
            var early: Result<SystemStream, IOError>?
            _ = try SystemStream.connect(toPath: name, on: loop) { early = $0 }
            loop.run { early != nil }
            #expect(throws: IOError.connectionRefused) { try early?.get() }
            let listener = try StreamListener(onPath: name, loop: loop) { stream, _ in far = stream }
            #expect(throws: IOError.addressInUse) { _ = try StreamListener(onPath: name, loop: loop) { _, _ in } }
            _ = try SystemStream.connect(toPath: name, on: loop) { near = try? $0.get() }
            expectNil(near)
            loop.run { near != nil && far != nil }
            let end = StreamEnd(try #require(far))
            end.stream.startReading()
            try StreamEnd(try #require(near)).write(Array("text".utf8))
            loop.run { end.recorder.received.count == 4 }
            expectEqual(end.recorder.received, Array("text".utf8))
            expectFalse(exists(name))
            let calledOff = try SystemStream.connect(toPath: name, on: loop) { _ in
                Issue.record("the completion was called")
            }
            calledOff.cancel()
            near?.close()
            end.close()
            listener.close()
            loop.settle()
        }
    }

    @Test("a connection uses the given source address in both families")
    func source() throws {
        try withLoop { loop in
            for (host, source) in [("127.0.0.1", "127.0.0.3"), ("::1", "::1")] {
                var near: SystemStream?
                var far: SystemStream?
                var peer: PeerAddress?
                let listener = try StreamListener(
                    on: try #require(SocketAddress(numeric: host, port: 0)), loop: loop
                ) { (far, peer) = ($0, $1) }
                _ = try SystemStream.connect(
                    to: try #require(listener.address), from: SocketAddress(numeric: source, port: 0), on: loop
                ) { near = try? $0.get() }
                loop.run { near != nil && far != nil }
                expectEqual(peer?.socketAddress?.host, source)
                near?.close()
                far?.close()
                listener.close()
                loop.runOnce()
            }
        }
    }

    @Test("another machine's address cannot be the source, and no descriptor is leaked")
    func foreignSource() throws {
        try withLoop { loop in
            let address = try #require(anyLoopbackPort())
            let source = SocketAddress(numeric: "203.0.113.5", port: 0)
            #expect(throws: AttemptError.source("203.0.113.5", .addressNotAvailable)) {
                _ = try SystemStream.connect(to: address, from: source, on: loop) { _ in
                    Issue.record("the completion was called")
                }
            }
            loop.settle()
        }
    }

    @Test("a missing socket is reported in a later turn")
    func noSocket() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                var answer: Result<SystemStream, IOError>?
                _ = try SystemStream.connect(toPath: "\(directory)/socket", on: loop) { answer = $0 }
                expectNil(answer)
                loop.run { answer != nil }
                #expect(throws: IOError(code: -2)) { try answer?.get() }
            }
        }
    }

    @Test("an overlong socket path is refused, not truncated")
    func longPath() throws {
        try withLoop { loop in
            let path = "/tmp/" + String(repeating: "x", count: 200)
            #expect(throws: IOError(code: -36)) {
                _ = try SystemStream.connect(toPath: path, on: loop) { _ in }
            }
            #expect(throws: Never.self) { try Socket.checkPath(String(repeating: "x", count: 100)) }
        }
    }

    @Test("an invalid descriptor cannot be opened as a stream")
    func notAStream() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                #expect(throws: IOError.self) { _ = try SystemStream.open(descriptor: -1, on: loop) }
                loop.runOnce()
            }
        }
    }
}
