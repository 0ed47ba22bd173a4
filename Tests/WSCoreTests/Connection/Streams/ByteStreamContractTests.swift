import TestSupport
import Testing

@testable import WSCore

/// The kinds of streams, and layers of them.
enum StreamKind: CaseIterable, Sendable {
    case localSocket
    case tcp
    case throttled
    case tls
    case tlsOnThrottled
    case http2Client
    case http2ServerOnTLS
}

/// The contract of ``ByteStream``, for every kind of stream.
@Suite struct ByteStreamContractTests {
    private static let bytes = pattern(300_000)

    @Test(
        "All bytes arrive once and before the end, whenever the delegate stops and starts",
        arguments: StreamKind.allCases)
    func stopAndStart(kind: StreamKind) throws {
        // One read, which a slow stream holds back in part, and many.
        for bytes in [pattern(30_000), Self.bytes] {
            try withPair(kind) { loop, near, far in
                near.recorder.didChange = { [recorder = near.recorder] stream in
                    guard !recorder.hasEnded else { return }
                    stream.stopReading()
                    stream.startReading()
                }
                far.send(bytes, thenEnds: true)
                near.stream.startReading()
                near.expectEnd(after: bytes, on: loop)
            }
        }
        // In another turn.
        try withPair(kind) { loop, near, far in
            near.recorder.didChange = { [recorder = near.recorder] stream in
                guard !recorder.hasEnded else { return }
                stream.stopReading()
                loop.atEndOfNextTurn(DeferredWork { stream.startReading() })
            }
            near.stream.startReading()
            far.send(Self.bytes, thenEnds: true)
            near.expectEnd(after: Self.bytes, on: loop)
        }
        // After a pause in which everything arrives, also the end.
        try withPair(kind) { loop, near, far in
            near.recorder.didChange = { $0.stopReading() }
            near.stream.startReading()
            far.send(Self.bytes, thenEnds: true)
            loop.advance { !near.recorder.received.isEmpty }
            let count = near.recorder.received.count
            loop.advance(by: .seconds(1))
            #expect(near.recorder.received.count == count && !near.recorder.hasEnded && near.stream.hasUnreadBytes)
            near.recorder.didChange = { _ in }
            near.stream.startReading()
            near.expectEnd(after: Self.bytes, on: loop)
            // Another delegate receives the end, too.
            let next = StreamRecorder()
            near.stream.delegate = next
            near.stream.startReading()
            loop.advance { next.hasEnded }
            #expect(next.received.isEmpty && next.lastWordCount == 1 && near.recorder.lastWordCount == 1)
        }
    }

    @Test("A write of 0 bytes has no effect", arguments: StreamKind.allCases)
    func emptyWrite(kind: StreamKind) throws {
        try withPair(kind) { loop, near, far in
            let drainCount = near.recorder.drainCount
            var empty = ByteBuffer()
            try near.stream.write(&empty)
            try near.stream.writeBeforeEnd(&empty)
            let count = try near.stream.write(SharedBytes(ByteBuffer()), from: 0)
            #expect(count == 0 && !near.stream.isWriting && near.stream.inFlightBytes == 0)
            far.stream.startReading()
            loop.settle()
            #expect(near.recorder.drainCount == drainCount && far.recorder.received.isEmpty)
            near.send([1], thenEnds: true)
            far.expectEnd(after: [1], on: loop)
        }
    }

    @Test("The end follows the written bytes", arguments: StreamKind.allCases)
    func endAfterWrite(kind: StreamKind) throws {
        try withPair(kind) { loop, near, far in
            near.send(Self.bytes, thenEnds: true)
            far.stream.startReading()
            far.expectEnd(after: Self.bytes, on: loop)
            #expect(!near.stream.isWriting && near.stream.inFlightBytes == 0)
        }
    }

    @Test("A delegate may close the stream within each of its calls", arguments: StreamKind.allCases)
    func closeInside(kind: StreamKind) throws {
        try withPair(kind) { loop, near, far in
            near.recorder.didChange = { $0.close() }
            near.stream.startReading()
            far.send(Self.bytes, thenEnds: true)
            loop.advance { near.stream.isClosed }
            let count = near.recorder.received.count
            loop.settle()
            #expect(near.recorder.received.count == count && near.recorder.lastWordCount == 0)
            expectNil(near.stream.delegate)
        }
        try withPair(kind) { loop, near, far in
            near.recorder.didChange = { $0.close() }
            near.stream.startReading()
            far.stream.shutdown()
            loop.advance { near.stream.isClosed }
            expectEqual(near.recorder.lastWordCount, 1)
            loop.settle()
        }
        try withPair(kind) { loop, near, far in
            near.recorder.didChange = { $0.close() }
            far.stream.startReading()
            // More than the kernel and a window take at once.
            let isSlow = kind == .throttled || kind == .tlsOnThrottled
            near.waiting.append(pattern(isSlow ? 1_000_000 : 20_000_000).span.bytes)
            try near.stream.write(&near.waiting)
            expectTrue(near.stream.isWriting)
            loop.advance { near.stream.isClosed }
            #expect(!near.stream.isWriting && near.stream.inFlightBytes == 0)
            loop.advance { far.recorder.lastWordCount > 0 }
        }
    }
}

/// One end of a stream, a recorder of its events, and the output waiting to be written.
private final class ContractEnd {
    let stream: any ByteStream
    let recorder = StreamRecorder()
    var waiting = ByteBuffer()
    private var endsAfterOutput = false

    init(_ stream: any ByteStream) {
        self.stream = stream
        stream.delegate = recorder
    }

    /// Writes all of `bytes`, continuing each time the stream has drained.
    func send(_ bytes: [UInt8], thenEnds: Bool) {
        waiting.append(bytes.span.bytes)
        endsAfterOutput = thenEnds
        let didChange = recorder.didChange
        recorder.didChange = { [unowned self] stream in
            didChange(stream)
            writeWaiting()
        }
        writeWaiting()
    }

    private func writeWaiting() {
        do {
            try stream.write(&waiting)
        } catch {
            waiting.removeAll()
            recorder.writeError = IOError(of: error)
        }
        let isEmpty = waiting.isEmpty
        guard isEmpty, endsAfterOutput else { return }
        endsAfterOutput = false
        stream.shutdown()
    }

    /// Expects exactly these bytes, and then the end.
    func expectEnd(after bytes: [UInt8], on loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation) {
        loop.advance(sourceLocation: sourceLocation) { recorder.lastWordCount > 0 }
        loop.settle(sourceLocation: sourceLocation)
        let isEqual = areEqual(recorder.received, bytes)
        #expect(isEqual && recorder.hasEnded && recorder.lastWordCount == 1, sourceLocation: sourceLocation)
    }
}

/// Calls `body` with the stream to test, and the peer's.
private func withPair(
    _ kind: StreamKind, _ body: (EventLoop, _ near: ContractEnd, _ far: ContractEnd) throws -> Void
) throws {
    try withLoop { loop in
        let (near, far) = try makeStreamPair(kind == .tcp ? .tcp : .socketPair, on: loop)
        let throttled = { ThrottledStream(near, bytesPerSecond: 100_000, watch: DeadPeerDetector(on: loop)) }
        var http2: HTTP2Ends?
        let ends: (near: any ByteStream, far: any ByteStream)
        switch kind {
        case .localSocket, .tcp: ends = (near, far)
        case .throttled: ends = (throttled(), far)
        case .tls: ends = try secured(near, far, on: loop)
        case .tlsOnThrottled: ends = try secured(throttled(), far, on: loop)
        case .http2Client:
            let pair = try HTTP2Ends(client: near, server: far, on: loop)
            http2 = pair
            ends = (pair.client, pair.server)
        case .http2ServerOnTLS:
            let (client, server) = try secured(far, near, on: loop)
            let pair = try HTTP2Ends(client: client, server: server, on: loop)
            http2 = pair
            ends = (pair.server, pair.client)
        }
        let (tested, peer) = (ContractEnd(ends.near), ContractEnd(ends.far))
        try body(loop, tested, peer)
        for end in [tested, peer] {
            end.recorder.didChange = { _ in }
            end.stream.close()
        }
        http2?.finish()
        loop.settle()
    }
}

private func secured(
    _ near: any ByteStream, _ far: any ByteStream, on loop: EventLoop
) throws -> (any ByteStream, any ByteStream) {
    let (client, server) = try secure(near, far, TLSLayers(), on: loop)
    for end in [client, server] { end.recorder.didChange = { _ in } }
    return (client.stream, server.stream)
}

/// Both ends of a stream of an HTTP/2 connection, after their heads.
private final class HTTP2Ends {
    private let connections: (client: HTTP2Connection, server: HTTP2Connection)
    let client: HTTP2Stream
    let server: HTTP2Stream

    init(client near: any ByteStream, server far: any ByteStream, on loop: EventLoop) throws {
        var accepted: HTTP2Stream?
        let context = HTTP2Connection.ServerContext(
            maximumStreams: 10, idleTimeout: .seconds(1000), windowBudget: HTTP2WindowBudget(byteCount: 0), memory: nil,
            didReceiveRequest: { stream, _, _ in accepted = stream }, didChangeIdleness: { _ in },
            didEnd: { _, _ in })
        connections = (HTTP2Connection(near), HTTP2Connection(far, server: context))
        let connection = connections.client
        connections.server.start()
        connection.keepOpen(true)
        connection.start()
        var isReady = false
        connection.whenReady { isReady = true }
        loop.run { isReady }
        client = connection.makeStream()
        let fields = [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "h")]
        _ = client.request(fields.map { HeaderField(wellFormedName: $0, value: $1) }, endsStream: false)
        var hasHead = false
        client.didReceiveHead = { _ in hasHead = true }
        loop.run { accepted != nil }
        server = try #require(accepted)
        server.respond(ResponseHead(status: 200, reason: "OK", fields: HTTPFields()))
        loop.run { hasHead }
    }

    func finish() {
        connections.server.drain()
        connections.client.keepOpen(false)
    }
}
