import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct StreamListenerTests {
    @Test("port 0 picks a port, which the address contains", arguments: ["127.0.0.1", "::1"])
    func anyPort(host: String) throws {
        try withLoop { loop in
            let address = try #require(SocketAddress(numeric: host, port: 0))
            let listener = try StreamListener(on: address, loop: loop) { stream, _ in stream.close() }
            let bound = try #require(listener.address)
            expectNotEqual(bound.port, 0)
            expectEqual(bound.host, host)
            listener.close()
            listener.close()
            loop.runOnce()
        }
    }

    @Test("an address with a listener is in use, and becomes free after the listener closes")
    func addressInUse() throws {
        try withLoop { loop in
            // Only this test uses the host, and no other test can take the port when it becomes free.
            let anyPort = try #require(SocketAddress(numeric: "127.0.0.77", port: 0))
            let first = try StreamListener(on: anyPort, loop: loop) { stream, _ in stream.close() }
            let address = try #require(first.address)
            #expect(throws: IOError.addressInUse) {
                _ = try StreamListener(on: address, loop: loop) { stream, _ in stream.close() }
            }
            first.close()
            loop.runOnce()
            let second = try StreamListener(on: address, loop: loop) { stream, _ in stream.close() }
            second.close()
            loop.runOnce()
        }
    }

    @Test("another machine's address cannot be listened on")
    func foreignAddress() throws {
        try withLoop { loop in
            let address = try #require(SocketAddress(numeric: "192.0.2.1", port: 0))
            #expect(throws: IOError(code: -99)) {
                _ = try StreamListener(on: address, loop: loop) { stream, _ in stream.close() }
            }
            loop.runOnce()
        }
    }

    @Test("a socket path in a missing directory fails with ENOENT, not EACCES")
    func missingDirectory() throws {
        try withLoop { loop in
            #expect(throws: IOError.noSuchFile) {
                _ = try StreamListener(onPath: "/no/such/socket", loop: loop) { stream, _ in stream.close() }
            }
            loop.runOnce()
        }
    }

    @Test("all waiting clients are accepted")
    func several() throws {
        try withLoop { loop in
            var accepted: [SystemStream] = []
            var connected: [SystemStream] = []
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                accepted.append(stream)
            }
            let address = try #require(listener.address)
            for _ in 0..<20 {
                _ = try SystemStream.connect(to: address, on: loop) { result in
                    if case .success(let stream) = result { connected.append(stream) }
                }
            }
            loop.run { accepted.count == 20 && connected.count == 20 }
            for stream in accepted + connected { stream.close() }
            listener.close()
            loop.runOnce()
        }
    }

    @Test("clients that arrive while a listener is paused are accepted after it resumes")
    func pausedArrivals() throws {
        try withLoop { loop in
            var accepted: [SystemStream] = []
            var connected: [SystemStream] = []
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                accepted.append(stream)
            }
            let address = try #require(listener.address)
            listener.pause()
            for _ in 0..<3 {
                _ = try SystemStream.connect(to: address, on: loop) { result in
                    if case .success(let stream) = result { connected.append(stream) }
                }
            }
            loop.run { connected.count == 3 }
            loop.settle()
            expectEmpty(accepted)
            listener.resume()
            loop.run { accepted.count == 3 }
            for stream in accepted + connected { stream.close() }
            listener.close()
            loop.runOnce()
        }
    }

    @Test("a socket's file exists while the listener is open, and is then removed")
    func unixFile() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                let path = "\(directory)/socket"
                let listener = try StreamListener(onPath: path, loop: loop) { stream, _ in stream.close() }
                expectTrue(exists(path))
                #expect(throws: IOError.addressInUse) {
                    _ = try StreamListener(onPath: path, loop: loop) { stream, _ in stream.close() }
                }
                expectTrue(exists(path))
                listener.close()
                loop.runOnce()
                expectFalse(exists(path))
            }
        }
    }

    @Test("a socket's file that another process has put in its place is left alone")
    func replacedFile() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                let path = "\(directory)/socket"
                let listeners = try (0..<2).map { _ in
                    defer { unlink(path) }
                    return try StreamListener(onPath: path, loop: loop) { stream, _ in stream.close() }
                }
                let last = try StreamListener(onPath: path, loop: loop) { stream, _ in stream.close() }
                for listener in listeners { listener.close() }
                expectTrue(exists(path))
                last.close()
                expectFalse(exists(path))
                loop.runOnce()
            }
        }
    }

    @Test("an overlong socket path is refused, not truncated")
    func longPath() throws {
        try withLoop { loop in
            let path = "/tmp/" + String(repeating: "x", count: 200)
            #expect(throws: IOError(code: -36)) {
                _ = try StreamListener(onPath: path, loop: loop) { stream, _ in stream.close() }
            }
        }
    }

    @Test("a closed listener is released")
    func release() throws {
        try withLoop { loop in
            weak var listener: StreamListener?
            do {
                let open = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                    stream.close()
                }
                listener = open
                open.close()
            }
            loop.runOnce()
            expectNil(listener)
        }
    }
}
