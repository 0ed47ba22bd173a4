import TestSupport
import Testing

@testable import WSCore

@Suite struct WebExchangeTests {
    @Test("a large file arrives complete on the same port as a WebSocket")
    func largeFile() throws {
        try withSite { loop, fixture, address, tree in
            let contents = String(repeating: "0123456789abcdef", count: 300_000)
            try tree.file("large", contents)
            let client = try ask("GET /large HTTP/1.1", of: address, on: loop)
            loop.run { client.recorder.hasEnded }
            let answer = String(decoding: client.recorder.received, as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\nContent-Length: 4800000\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n" + contents))
            client.close()
            loop.run { fixture.served.count == 1 }
            let served = try #require(fixture.served.first)
            #expect(served.status == 200 && served.isComplete && served.sentBytes == answer.utf8.count)
            expectEqual(served.request.target, "/large")
            expectEqual(served.facts.address.socketAddress?.host, "127.0.0.1")
        }
    }

    @Test("responses to HEAD and responses without content have no body")
    func withoutContent() throws {
        try withSite { loop, fixture, address, tree in
            try tree.file("a", "12345", modifiedSeconds: 1_000_000_000)
            let head = try ask("HEAD /a HTTP/1.1", of: address, on: loop)
            let unchanged = try ask(
                "GET /a HTTP/1.1\r\nIf-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT", of: address, on: loop)
            loop.run { head.recorder.hasEnded && unchanged.recorder.hasEnded }
            let answers = [head, unchanged].map { String(decoding: $0.recorder.received, as: UTF8.self) }
            #expect(answers[0].contains("\r\nContent-Length: 5\r\n"))
            #expect(answers[1].hasPrefix("HTTP/1.1 304 "))
            for answer in answers { #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n")) }
            for client in [head, unchanged] { client.close() }
            loop.run { fixture.served.count == 2 }
            #expect(fixture.served.allSatisfy { $0.isComplete })
            expectEqual(fixture.served.map(\.sentBytes).sorted(), answers.map(\.utf8.count).sorted())
        }
    }

    @Test(
        "a client that is still sending or has shut down its side receives the whole response",
        arguments: [true, false])
    func otherSide(ends: Bool) throws {
        try withSite { loop, fixture, address, tree in
            try tree.file("a", String(repeating: "x", count: 1_000_000))
            let client = try ask("GET /a HTTP/1.1", of: address, on: loop)
            if ends { client.stream.shutdown() } else { try client.write(pattern(300_000)) }
            loop.run { client.recorder.hasEnded }
            #expect(client.recorder.received.count > 1_000_000)
            expectNil(client.recorder.readError)
            client.close()
            loop.run { fixture.served.first?.isComplete == true }
        }
    }

    @Test("a truncated file ends the response early, and a grown file adds nothing")
    func changingFile() throws {
        try withSite { loop, fixture, address, tree in
            try tree.file("a", String(repeating: "x", count: 20_000_000))
            for (length, received) in [(25_000_000, 20_000_000), (1_000, nil)] as [(Int, Int?)] {
                let client = try ask("GET /a HTTP/1.1", of: address, on: loop, reads: false)
                loop.advance(by: .milliseconds(20))
                try tree.file("a", String(repeating: "y", count: length))
                client.stream.startReading()
                loop.run { client.recorder.hasEnded }
                let answer = client.recorder.received
                let head = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
                let count = answer.count - head.upperBound
                if let received { expectEqual(count, received) } else { #expect(count < 20_000_000) }
                client.close()
                let isLast = received == nil
                loop.run { fixture.served.count == (isLast ? 2 : 1) }
            }
            expectEqual(fixture.served.map(\.isComplete), [true, false])
        }
    }

    @Test("a client that does not read its response is dropped after the limit without affecting others")
    func stoppedReader() throws {
        try withSite(timeout: .seconds(1)) { loop, fixture, address, tree in
            try tree.file("large", String(repeating: "x", count: 20_000_000))
            try tree.file("small", "s")
            let stopped = try ask("GET /large HTTP/1.1", of: address, on: loop, reads: false)
            loop.advance(by: .milliseconds(20))
            let other = try ask("GET /small HTTP/1.1", of: address, on: loop)
            loop.run { other.recorder.hasEnded }
            other.close()
            loop.advance { fixture.served.count == 2 }
            expectEqual(fixture.served.map(\.request.target), ["/small", "/large"])
            expectEqual(fixture.served.map(\.isComplete), [true, false])
            stopped.close()
        }
    }

    @Test("closing the server drops responses in progress")
    func closing() throws {
        try withSite { loop, fixture, address, tree in
            try tree.file("large", String(repeating: "x", count: 20_000_000))
            let client = try ask("GET /large HTTP/1.1", of: address, on: loop, reads: false)
            loop.advance(by: .milliseconds(20))
            fixture.server.close(CloseFrame(code: .goingAway))
            client.stream.startReading()
            loop.run { client.recorder.hasEnded || client.recorder.readError != nil }
            #expect(client.recorder.received.count < 20_000_000)
            expectEmpty(fixture.served)
            client.close()
        }
    }

    private func ask(
        _ lines: String, of address: SocketAddress, on loop: EventLoop, reads: Bool = true
    ) throws -> StreamEnd {
        var connected: SystemStream?
        _ = try SystemStream.connect(to: address, on: loop) { connected = try? $0.get() }
        loop.run { connected != nil }
        let end = StreamEnd(try #require(connected))
        if reads { end.stream.startReading() }
        try end.write(Array("\(lines)\r\nHost: localhost\r\n\r\n".utf8))
        return end
    }

    private func withSite(
        timeout: Duration = .seconds(30), _ body: (EventLoop, ServerFixture, SocketAddress, TreeFixture) throws -> Void
    ) throws {
        try TreeFixture.with { tree in
            try withLoop { loop in
                let policy = try ServerPolicy()
                let site = Site(policy: policy, files: try FileTree(tree.root))
                let fixture = ServerFixture(policy, on: loop, responder: site, responseTimeout: timeout)
                try body(loop, fixture, try fixture.listen(), tree)
                fixture.server.close(CloseFrame(code: .goingAway))
                loop.runOnce()
            }
        }
    }
}
