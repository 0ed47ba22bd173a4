import TestSupport
import Testing

@testable import WSCore

/// A tunnel through a scripted proxy.
@Suite struct ProxyTunnelTests {
    @Test("target bytes that arrive with the proxy's response are passed on")
    func firstBytes() throws {
        try withProxy(answering: "HTTP/1.1 200 OK\r\n\r\nfirst bytes") { loop, stream, proxy in
            let result = try tunnel(loop, stream, proxy)
            try expectEqual(result.get(), Array("first bytes".utf8))
            expectFalse(stream.isClosed)
        }
    }

    @Test("a response that arrives byte by byte opens the tunnel, and later bytes stay in the stream")
    func byteByByte() throws {
        try withProxy { loop, stream, proxy in
            proxy.answer = { end, request in
                guard request.hasSuffix("\r\n\r\n") else { return }
                for byte in "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n".utf8 {
                    try? end.write([byte])
                    loop.runOnce()
                }
                try? end.write(Array("after".utf8))
            }
            let result = try tunnel(loop, stream, proxy)
            let early = try result.get()
            let recorder = StreamRecorder()
            recorder.received = early
            stream.delegate = recorder
            stream.startReading()
            loop.run { recorder.received == Array("after".utf8) }
        }
    }

    @Test("a refusal is reported once, with status and body")
    func refusal() throws {
        let answer = "HTTP/1.1 403 No\r\nContent-Length: 7\r\n\r\nnot you, and more"
        try withProxy(answering: answer) { loop, stream, proxy in
            guard case .failure(.proxy(_, .refused(let head, let body, false))) = try tunnel(loop, stream, proxy) else {
                Issue.record("no refusal")
                return
            }
            expectEqual(head.status, 403)
            expectEqual(body, Array("not you".utf8))
        }
    }

    @Test(
        "the error for a closed connection depends on how much the proxy has sent",
        arguments: ["", "HTTP/1.1 200 OK\r\nVia"])
    func closes(answer: String) throws {
        try withProxy { loop, stream, proxy in
            proxy.answer = { end, _ in
                try? end.write(Array(answer.utf8))
                end.close()
            }
            guard case .failure(.proxy(_, let error)) = try tunnel(loop, stream, proxy) else {
                Issue.record("no failure of the proxy")
                return
            }
            expectEqual(error, (answer.isEmpty ? .closedBeforeAnswer : .incompleteAnswer))
        }
    }

    @Test("a reset is reported as a lost connection unless a refusal came first", arguments: [false, true])
    func reset(afterRefusal: Bool) throws {
        try withLoop { loop in
            let (near, far) = try makeTCPSockets()
            resetWhenClosed(far)
            let stream = try SystemStream.open(descriptor: near, on: loop)
            let proxy = ScriptedProxy(try SystemStream.open(descriptor: far, on: loop))
            proxy.answer = { end, _ in
                if afterRefusal {
                    try? end.write(Array("HTTP/1.1 502 Bad\r\nContent-Length: 10\r\n\r\npart".utf8))
                    // The client has read it before the reset.
                    loop.settle()
                }
                end.close()
            }
            switch try tunnel(loop, stream, proxy) {
            case .failure(.proxy(_, .refused(let head, let body, bodyIsTruncated: true))):
                #expect(afterRefusal && head.status == 502 && body == Array("part".utf8))
            case .failure(.lost(.system(.connectionReset), .tunnelling)): expectFalse(afterRefusal)
            case let other: Issue.record("\(other)")
            }
            stream.close()
            proxy.end.close()
            loop.runOnce()
        }
    }

    @Test("a tunnel canceled before it starts closes its stream and does not complete")
    func cancel() throws {
        weak var leaked: ProxyTunnel?
        try withProxy(answering: "HTTP/1.1 200 OK\r\n\r\n") { loop, stream, proxy in
            let tunnel = ProxyTunnel(try connectHandshake(), with: try proxyURL(), on: stream) { _ in
                Issue.record("it completed")
            }
            leaked = tunnel
            tunnel.cancel()
            tunnel.start()
            expectTrue(stream.isClosed)
            loop.run { proxy.end.recorder.hasEnded }
            expectEmpty(proxy.end.recorder.received)
        }
        expectNil(leaked)
    }

    // MARK: Support

    private func proxyURL() throws -> Proxy { try Proxy(parsing: "http://proxy.example:3128") }

    private func connectHandshake() throws -> ProxyHandshake {
        try ProxyHandshake(proxy: proxyURL(), host: "server.example", port: 443, address: nil, userAgent: nil)
    }

    private func tunnel(
        _ loop: EventLoop, _ stream: SystemStream, _ proxy: ScriptedProxy
    ) throws -> Result<[UInt8], ConnectError> {
        var results: [Result<[UInt8], ConnectError>] = []
        let tunnel = ProxyTunnel(try connectHandshake(), with: try proxyURL(), on: stream) { results.append($0) }
        tunnel.start()
        loop.run { !results.isEmpty }
        loop.settle()
        expectEqual(results.count, 1)
        #expect(String(decoding: proxy.end.recorder.received, as: UTF8.self).hasPrefix("CONNECT server.example:443 "))
        return try #require(results.first)
    }

    private func withProxy(
        answering answer: String? = nil, _ body: (EventLoop, SystemStream, ScriptedProxy) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let proxy = ScriptedProxy(far)
            if let answer { proxy.answer = { end, _ in try? end.write(Array(answer.utf8)) } }
            try body(loop, near, proxy)
            near.close()
            proxy.end.close()
            loop.runOnce()
        }
    }
}

/// The proxy's end of a tunnel: responds once when data arrives.
private final class ScriptedProxy {
    let end: StreamEnd
    var answer: ((StreamEnd, String) -> Void)?

    init(_ stream: SystemStream) {
        end = StreamEnd(stream)
        end.recorder.didChange = { [unowned self] _ in
            guard !end.recorder.hasEnded, let answer else { return }
            self.answer = nil
            answer(end, String(decoding: end.recorder.received, as: UTF8.self))
        }
        stream.startReading()
    }
}
