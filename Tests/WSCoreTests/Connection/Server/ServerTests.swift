import TestSupport
import Testing

@testable import WSCore

@Suite struct ServerTests {
    @Test("clients are numbered from 1, and numbers are not reused")
    func numbers() throws {
        try withServer { loop, fixture, address in
            let first = try open(address, on: loop)
            loop.run { fixture.server.connections.count == 1 }
            first.stream.close()
            loop.run { fixture.server.connections.isEmpty }
            let others = [try open(address, on: loop), try open(address, on: loop)]
            loop.run { fixture.server.connections.count == 2 }
            expectEqual(fixture.clients.map(\.number), [1, 2, 3])
            expectEqual(fixture.server.connections.map(\.0), [2, 3])
            expectEqual(fixture.clients[0].address.socketAddress?.host, "127.0.0.1")
            expectEqual(fixture.clients[0].upgrade.request.target, "/chat")
            for other in others { other.stream.close() }
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test("closing sends a close frame to every client and stops accepting")
    func close() throws {
        try withServer { loop, fixture, address in
            let clients = [try open(address, on: loop), try open(address, on: loop)]
            let waiting = try connect(address, on: loop)
            loop.run { fixture.server.connections.count == 2 }
            loop.run { !fixture.server.others.openings.isEmpty }
            fixture.server.close(CloseFrame(code: .goingAway))
            for client in clients {
                loop.run { client.recorder.received.suffix(4) == closeFrame(1001)[...] }
                try client.write(masked(closeFrame(1001)))
            }
            loop.advance { fixture.server.connections.isEmpty && waiting.recorder.hasEnded }
            expectEqual(fixture.handlers.map { $0.end?.isClean }, [true, true])
            expectEmpty(waiting.recorder.received)
            var answer: Result<SystemStream, IOError>?
            _ = try SystemStream.connect(to: address, on: loop) { answer = $0 }
            loop.run { answer != nil }
            // Another test may have taken the port.
            if case .failure(let error) = answer { expectEqual(error, .connectionRefused) }
            expectEmpty(fixture.server.others.openings)
            for end in clients + [waiting] { end.close() }
        }
    }

    @Test("a request accepted by the policy can still be refused")
    func laterRefusal() throws {
        try withServer { loop, fixture, address in
            fixture.server.admission = .immediate { .unavailable("Full.", for: $0.request, retryAfterSeconds: 7) }
            let client = try connect(address, on: loop)
            try client.write(Self.request)
            loop.run { client.recorder.hasEnded }
            let answer = String(decoding: client.recorder.received, as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
            #expect(answer.contains("\r\nRetry-After: 7\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nFull.\n"))
            expectEqual(fixture.refusals.map(\.status), [503])
            expectEmpty(fixture.clients)
            client.stream.close()
        }
    }

    @Test("an incomplete request is answered with 408 and closed after the timeout")
    func handshakeTimeout() throws {
        try withServer { loop, fixture, address in
            let client = try connect(address, on: loop)
            try client.write(Array("GET / HTTP/1.1\r\nHost:".utf8))
            loop.advance { client.recorder.hasEnded }
            #expect(String(decoding: client.recorder.received, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
            expectEqual(fixture.refusals.map(\.status), [408])
            client.stream.close()
        }
    }

    @Test("a refused request is answered completely, even if the client keeps sending, and reported once")
    func refusal() throws {
        try withServer { loop, fixture, address in
            let client = try connect(address, on: loop)
            let head = "POST /upload HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n"
            try client.write(Array(head.utf8) + pattern(500_000))
            loop.run { client.recorder.hasEnded }
            let answer = String(decoding: client.recorder.received, as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 405 "))
            expectNil(client.recorder.readError)
            expectEqual(fixture.refusals.count, 1)
            client.stream.close()
        }
    }

    @Test("a forwarded request without progress is given up, whoever stalls")
    func stalledForwarding() throws {
        try withServer { loop, fixture, address in
            let upstream = try ScriptedServer(on: loop)
            let url = try WebSocketURL(parsing: "ws://127.0.0.1:\(upstream.port)/")
            let request = try ClientRequest(url: url)
            fixture.server.forwarding = RequestForwarding(
                Gateway(to: (url, url.hostField), isSecure: false, identifier: "me"),
                resources: try ConnectorResources()
            ) { received, framing in
                Connector.Settings(request: request.forwarding(received.method, with: [framing].compactMap(\.self)))
            } refusal: { _, received in
                HandshakeRefusal(status: 502, reason: "", request: received)
            }
            func response(to text: String) throws -> String {
                let client = try connect(address, on: loop)
                defer { client.stream.close() }
                try client.write(Array(text.utf8))
                loop.advance { client.recorder.hasEnded || client.recorder.readError != nil }
                return String(decoding: client.recorder.received, as: UTF8.self)
            }
            #expect(try response(to: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").hasPrefix("HTTP/1.1 504 "))
            let body = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab"
            #expect(try response(to: body).hasPrefix("HTTP/1.1 408 "))
            upstream.answer = { end, _ in try? end.write(Array("HTTP/1.1 200 OK\r\n\r\npart".utf8)) }
            #expect(try response(to: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").hasSuffix("\r\n\r\npart"))
            loop.run { fixture.served.count == 3 }
            #expect(fixture.served.map(\.status) == [504, 408, 200] && fixture.served.last?.isComplete == false)
            upstream.close()
        }
    }

    @Test("a posted body is given up if it stops arriving, or if its recipients have no room")
    func stalledPosts() throws {
        try withServer { loop, fixture, address in
            fixture.server.postDelivery = { _, _ in nil }
            for (body, status) in [("", 408), ("ab", 408), ("whole", 503)] {
                let client = try post(body, to: "/", of: address, on: loop)
                loop.advance { client.recorder.hasEnded }
                #expect(String(decoding: client.recorder.received, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
                client.stream.close()
            }
            #expect(!fixture.server.hasWaitingPosts && fixture.server.others.postedRequests.isEmpty)
        }
    }

    @Test("posted bodies that wait are delivered in order, and those for other paths go ahead")
    func waitingPosts() throws {
        try withServer { loop, fixture, address in
            var delivered: [String] = []
            var hasRoom = false
            fixture.server.postDelivery = { request, body in
                guard hasRoom || request.target == "/other" else { return nil }
                delivered.append(String(decoding: body, as: UTF8.self))
                // A delivery may make room.
                fixture.server.retryPosts()
                return WebResponse(text: "")
            }
            var clients: [StreamEnd] = []
            for number in 1...9 {
                clients.append(try post("a000\(number)", to: "/", of: address, on: loop))
                loop.run { fixture.server.others.waitingPosts.count == number }
            }
            clients.append(try post("other", to: "/other", of: address, on: loop))
            loop.run { delivered == ["other"] }
            hasRoom = true
            fixture.server.retryPosts()
            expectEqual(delivered, ["other"] + (1...9).map { "a000\($0)" })
            for client in clients { client.stream.close() }
        }
    }

    @Test("a client that disconnects before its request is complete is not reported")
    func abandoned() throws {
        try withServer { loop, fixture, address in
            let client = try connect(address, on: loop)
            try client.write(Array("GET / HT".utf8))
            loop.run { !fixture.server.others.openings.isEmpty }
            client.stream.close()
            loop.settle()
            expectEmpty(fixture.refusals)
            expectEmpty(fixture.clients)
        }
    }

    @Test("clients over the limit are served as soon as others leave")
    func maximumConnections() throws {
        try withServer(maximumConnections: 2) { loop, fixture, address in
            let first = try open(address, on: loop)
            let second = try open(address, on: loop)
            let third = try connect(address, on: loop)
            try third.write(Self.request)
            loop.run { !fixture.limits.isEmpty }
            loop.settle()
            expectEqual(fixture.server.connections.count, 2)
            #expect(!fixture.limits.isEmpty && fixture.limits.allSatisfy { $0 == .connections(2) })
            expectEmpty(third.recorder.received)
            first.stream.close()
            loop.run { third.recorder.received.suffix(4) == Array("\r\n\r\n".utf8)[...] }
            for end in [second, third] { end.stream.close() }
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test("clients without a request count toward the limit until their handshake times out")
    func openings() throws {
        try withServer(maximumConnections: 1) { loop, fixture, address in
            let silent = try connect(address, on: loop)
            loop.run { !fixture.server.others.openings.isEmpty }
            let client = try connect(address, on: loop)
            try client.write(Self.request)
            loop.settle()
            expectEmpty(client.recorder.received)
            loop.advance { client.recorder.received.suffix(4) == Array("\r\n\r\n".utf8)[...] }
            expectEqual(fixture.refusals.map(\.status), [408])
            for end in [silent, client] { end.stream.close() }
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test("a server listens on several endpoints and stops on all of them without ending connections")
    func endpoints() throws {
        try withServer { loop, fixture, address in
            let anyPort = try #require(anyLoopbackPort())
            let other = try #require(try fixture.server.listen(on: .tcp(anyPort)))
            let clients = [try open(address, on: loop), try open(other, on: loop)]
            loop.run { fixture.server.connections.count == 2 }
            expectEqual(fixture.clients.map(\.endpointIndex), [0, 1])
            fixture.server.stopListening()
            loop.settle()
            expectEqual(fixture.server.connections.count, 2)
            for address in [address, other] {
                var answer: Result<SystemStream, IOError>?
                _ = try SystemStream.connect(to: address, on: loop) { answer = $0 }
                loop.run { answer != nil }
                loop.settle()
                // Another program may have taken the port.
                if case .failure(let error) = answer { expectEqual(error, .connectionRefused) }
                expectEmpty(fixture.server.others.openings)
            }
            for end in clients { end.stream.close() }
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test("frames that arrive with the request are handled after the response", arguments: [true, false])
    func framesWithRequest(inOnePiece: Bool) throws {
        try withServer { loop, fixture, address in
            fixture.handler = { $0.onMessage = echo }
            let client = try connect(address, on: loop)
            let bytes = Self.request + masked(frame(0x81, "early"))
            if inOnePiece {
                try client.write(bytes)
            } else {
                for byte in bytes { try client.write([byte]) }
            }
            loop.run { client.recorder.received.suffix(7) == frame(0x81, "early")[...] }
            #expect(String(decoding: client.recorder.received, as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
            client.stream.close()
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test("a message can be sent to all clients")
    func broadcast() throws {
        try withServer { loop, fixture, address in
            let clients = try (0..<5).map { _ in try open(address, on: loop) }
            loop.run { fixture.server.connections.count == 5 }
            for connection in fixture.server.connections.values { connection.send("all") }
            for client in clients {
                loop.run { client.recorder.received.suffix(5) == frame(0x81, "all")[...] }
                client.stream.close()
            }
            loop.run { fixture.server.connections.isEmpty }
        }
    }

    @Test(
        "the heap is trimmed after most of many clients have left, unless others have come", arguments: [false, true])
    func trimming(othersCome: Bool) throws {
        try withServer { loop, fixture, address in
            var trimCount = 0
            fixture.server.resources.trimHeap = {
                trimCount += 1
                // On a slow machine, too, not before most have left or after others have come.
                expectEqual(fixture.server.others.openings.count, 8)
            }
            var clients = try (0..<32).map { _ in try connect(address, on: loop) }
            loop.run { fixture.server.others.openings.count == 32 }
            for client in clients.dropFirst(8) { client.stream.close() }
            loop.run { fixture.server.others.openings.count == 8 }
            if othersCome {
                clients += try (0..<24).map { _ in try connect(address, on: loop) }
                loop.run { fixture.server.others.openings.count == 32 }
            }
            loop.advance(by: .seconds(3))
            if !othersCome { expectEqual(trimCount, 1) }
            for client in clients { client.stream.close() }
        }
    }

    private static let request = Array(
        """
        GET /chat HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r

        """.utf8)

    private func connect(_ address: SocketAddress, on loop: EventLoop) throws -> StreamEnd {
        var connected: SystemStream?
        _ = try SystemStream.connect(to: address, on: loop) { connected = try? $0.get() }
        loop.run { connected != nil }
        let end = StreamEnd(try #require(connected))
        end.stream.startReading()
        return end
    }

    /// Sends a request whose body should have five bytes.
    private func post(
        _ body: String, to path: String, of address: SocketAddress, on loop: EventLoop
    ) throws -> StreamEnd {
        let end = try connect(address, on: loop)
        try end.write(Array("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n\(body)".utf8))
        return end
    }

    private func open(_ address: SocketAddress, on loop: EventLoop) throws -> StreamEnd {
        let end = try connect(address, on: loop)
        try end.write(Self.request)
        loop.run { end.recorder.received.suffix(4) == Array("\r\n\r\n".utf8)[...] }
        #expect(
            String(decoding: end.recorder.received, as: UTF8.self)
                .contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        return end
    }

    private func withServer(
        maximumConnections: Int? = nil, _ body: (EventLoop, ServerFixture, SocketAddress) throws -> Void
    ) throws {
        try withLoop { loop in
            let fixture = ServerFixture(try ServerPolicy(), on: loop, maximumConnections: maximumConnections)
            let anyPort = try #require(anyLoopbackPort())
            let address = try #require(try fixture.server.listen(on: .tcp(anyPort)))
            try body(loop, fixture, address)
            fixture.server.close(CloseFrame(code: .goingAway))
            for connection in fixture.server.connections.values { connection.terminate() }
            loop.runOnce()
        }
    }
}
