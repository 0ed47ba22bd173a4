import Testing

@testable import WSCore

@Suite struct StreamListenerTests {
    @Test("port 0 picks a port, which the address tells", arguments: ["127.0.0.1", "::1"])
    func anyPort(host: String) throws {
        try withLoop { loop in
            let address = try #require(SocketAddress(numeric: host, port: 0))
            let listener = try StreamListener(on: address, loop: loop) { $0.close() }
            let bound = try #require(listener.address)
            #expect(bound.port != 0)
            #expect(bound.host == host)
            listener.close()
            listener.close()
            loop.runOnce()
        }
    }

    @Test("an address where somebody listens is in use, and free again afterwards")
    func addressInUse() throws {
        try withLoop { loop in
            let first = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { $0.close() }
            let address = try #require(first.address)
            #expect(throws: IOError.addressInUse) {
                _ = try StreamListener(on: address, loop: loop) { $0.close() }
            }
            first.close()
            loop.runOnce()
            let second = try StreamListener(on: address, loop: loop) { $0.close() }
            second.close()
            loop.runOnce()
        }
    }

    @Test("an address of another machine cannot be listened on")
    func foreignAddress() throws {
        try withLoop { loop in
            let address = try #require(SocketAddress(numeric: "192.0.2.1", port: 0))
            #expect(throws: IOError(code: -99)) {
                _ = try StreamListener(on: address, loop: loop) { $0.close() }
            }
            loop.runOnce()
        }
    }

    @Test("a path in a directory that is not there is one without a file, and not one without a permission")
    func missingDirectory() throws {
        try withLoop { loop in
            #expect(throws: IOError.noSuchFile) {
                _ = try StreamListener(onPath: "/no/such/socket", loop: loop) { $0.close() }
            }
            loop.runOnce()
        }
    }

    @Test("several clients that wait are all accepted")
    func several() throws {
        try withLoop { loop in
            var accepted: [SystemStream] = []
            var connected: [SystemStream] = []
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { accepted.append($0) }
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

    @Test("a socket's file is there while it is listened on, and then removed")
    func unixFile() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                let path = "\(directory)/socket"
                let listener = try StreamListener(onPath: path, loop: loop) { $0.close() }
                #expect(exists(path))
                #expect(throws: IOError.addressInUse) {
                    _ = try StreamListener(onPath: path, loop: loop) { $0.close() }
                }
                #expect(exists(path))
                listener.close()
                loop.runOnce()
                #expect(!exists(path))
            }
        }
    }

    @Test("a socket path that does not fit is refused rather than cut")
    func longPath() throws {
        try withLoop { loop in
            let path = "/tmp/" + String(repeating: "x", count: 200)
            #expect(throws: IOError(code: -36)) { _ = try StreamListener(onPath: path, loop: loop) { $0.close() } }
        }
    }

    @Test("a listener lets go of itself when it is closed, and when it could not listen")
    func release() throws {
        try withLoop { loop in
            weak var listener: StreamListener?
            do {
                let open = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { $0.close() }
                listener = open
                open.close()
            }
            loop.runOnce()
            #expect(listener == nil)
        }
    }
}
