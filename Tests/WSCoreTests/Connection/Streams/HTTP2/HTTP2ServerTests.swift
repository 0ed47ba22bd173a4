import TestSupport
import Testing

@testable import WSCore

/// A client's and a server's connection on a pair of streams.
private final class HTTP2Pair {
    let loop: EventLoop
    let client: HTTP2Connection
    private(set) var server: HTTP2Connection?
    private(set) var requests: [(stream: HTTP2Stream, head: RequestHead)] = []
    private(set) var errors: [HTTPHeadError] = []
    private(set) var idleness: [Bool] = []
    private(set) var hasEnded = false

    init(on loop: EventLoop, limits: HeadLimits = .server, idleTimeout: Duration = .seconds(1000)) throws {
        self.loop = loop
        let (near, far) = try makeStreamPair(on: loop)
        client = HTTP2Connection(near)
        let context = HTTP2Connection.ServerContext(
            maximumStreams: 10, idleTimeout: idleTimeout, windowBudget: HTTP2WindowBudget(byteCount: 0), memory: nil,
            didReceiveRequest: { [unowned self] stream, request, _ in
                switch request {
                case .success(let head): requests.append((stream, head))
                case .failure(let error):
                    errors.append(error)
                    stream.close()
                }
            },
            didChangeIdleness: { [unowned self] in idleness.append($0) },
            didEnd: { [unowned self] _, _ in hasEnded = true })
        let server = HTTP2Connection(far, server: context, limits: limits)
        self.server = server
        server.start()
        client.keepOpen(true)
        client.start()
        var isReady = false
        client.whenReady { isReady = true }
        loop.run { isReady }
    }

    /// Opens a stream with a request.
    func request(_ path: String, _ recorder: StreamRecorder, endsStream: Bool = false) -> HTTP2Stream {
        let stream = client.makeStream()
        stream.delegate = recorder
        let fields = [(":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "h")]
        let isSent = stream.request(
            fields.map { HeaderField(wellFormedName: $0, value: $1) }, endsStream: endsStream)
        expectTrue(isSent)
        stream.startReading()
        return stream
    }

    /// Ends the connection, which has no streams.
    func finish() {
        server?.drain()
        client.keepOpen(false)
        loop.run { self.hasEnded }
    }
}

@Suite struct HTTP2ServerTests {
    @Test("Streams are independent, and the server's connection ends after the last one") func streams() throws {
        try withLoop { loop in
            let pair = try HTTP2Pair(on: loop)
            let recorders = [StreamRecorder(), StreamRecorder()]
            let streams = ["/0", "/1"].enumerated().map { pair.request($1, recorders[$0]) }
            loop.run { pair.requests.count == 2 }
            #expect(pair.requests.map(\.head.target) == ["/0", "/1"] && pair.idleness == [false])
            for (index, request) in pair.requests.enumerated() {
                var output = ByteBuffer()
                output.append(byte: UInt8(index))
                let head = ResponseHead(status: 200, fields: HTTPFields(), version: .http2).start(on: request.stream)
                expectEmpty(head)
                try request.stream.write(&output)
            }
            loop.run { recorders.map(\.received) == [[0], [1]] }
            pair.server?.drain()
            streams[0].close()
            loop.run { pair.requests[0].stream.peerPresence == .isGone }
            pair.requests[0].stream.close()
            #expect(pair.idleness == [false] && !pair.hasEnded)
            streams[1].close()
            loop.run { pair.requests[1].stream.peerPresence == .isGone }
            pair.requests[1].stream.close()
            pair.client.keepOpen(false)
            loop.run { pair.hasEnded }
            expectEqual(pair.idleness, [false, true])
        }
    }

    @Test("A refused stream may be repeated") func refused() throws {
        try withLoop { loop in
            let pair = try HTTP2Pair(on: loop)
            let recorder = StreamRecorder()
            let stream = pair.request("/", recorder)
            loop.run { !pair.requests.isEmpty }
            pair.requests[0].stream.refuse()
            loop.run { recorder.readError != nil }
            guard case .failed(.protection(let error as HTTP2Error))? = stream.ending else {
                Issue.record("the stream has not failed")
                return
            }
            expectEqual(error, .reset(code: HTTP2Error.refusedStream))
            stream.close()
            pair.finish()
        }
    }

    @Test("A complete response to a complete request ends the stream without a reset") func complete() throws {
        try withLoop { loop in
            let pair = try HTTP2Pair(on: loop)
            let recorder = StreamRecorder()
            let stream = pair.request("/", recorder, endsStream: true)
            loop.run { !pair.requests.isEmpty }
            let served = pair.requests[0].stream
            expectEqual(served.peerPresence, .hasEnded)
            served.respond(ResponseHead(status: 204, fields: HTTPFields(), version: .http2))
            served.shutdown()
            served.close()
            loop.run { recorder.hasEnded }
            #expect(recorder.readError == nil && pair.idleness == [false, true])
            stream.close()
            pair.finish()
        }
    }

    @Test("A head beyond the limits is reported, and the connection continues") func largeHead() throws {
        try withLoop { loop in
            let pair = try HTTP2Pair(on: loop, limits: HeadLimits(maximumBytes: 200, maximumFields: 10))
            let recorder = StreamRecorder()
            let stream = pair.request("/" + String(repeating: "x", count: 200), recorder)
            loop.run { recorder.readError != nil }
            #expect(pair.errors == [.tooLarge(maximumBytes: 200)] && pair.requests.isEmpty)
            stream.close()
            let next = pair.request("/", recorder)
            loop.run { pair.requests.count == 1 }
            next.close()
            pair.requests[0].stream.close()
            pair.finish()
        }
    }

    @Test("A connection without streams ends after the timeout") func idleTimeout() throws {
        try withLoop { loop in
            let pair = try HTTP2Pair(on: loop, idleTimeout: .milliseconds(1))
            loop.run { !pair.client.acceptsStreams }
            expectEqual(pair.client.goAway, .goAway(code: HTTP2Error.noError, debugData: ""))
            pair.client.keepOpen(false)
            loop.run { pair.hasEnded }
            expectEmpty(pair.idleness)
        }
    }
}
