@testable import WSCore

extension FuzzTarget {
    /// The bytes of an HTTP/2 client, after the preface.
    static let http2Server = FuzzTarget(name: "http2-server") { input in checkHTTP2(input, isServer: true) }

    /// The bytes of an HTTP/2 server, which two WebSockets are opened on.
    static let http2Client = FuzzTarget(name: "http2-client") { input in checkHTTP2(input, isServer: false) }

    /// The first byte is a set of options; see ``HTTP2Input``.
    ///
    /// - What a stream receives is the beginning of the same bytes however the input is split.
    /// - What is sent consists of whole frames, and ends with GOAWAY.
    /// - Each stream ends once, and the connection with the peer's side. Nothing stays in memory.
    /// - A request has the same fields as one of HTTP/1.1. Failures are safe to show.
    private static func checkHTTP2(_ input: [UInt8], isServer: Bool) {
        let input = HTTP2Input(input)
        let whole = HTTP2Outcome(of: [input.bytes[...]], isServer: isServer, input)
        for pieces in waysToCut(input.bytes) {
            let cut = HTTP2Outcome(of: pieces, isServer: isServer, input)
            for (left, right) in zip(whole.received, cut.received) {
                expect(
                    left.starts(with: right) || right.starts(with: left),
                    "whole and in pieces of \(pieces.map(\.count)): \(left) \(right)")
            }
        }
    }
}

/// The options of an input, and the bytes of the peer.
private struct HTTP2Input {
    /// Frames: in the input, each is a type, flags, a stream, the number of bytes, and these bytes. Otherwise the rest of the
    /// input.
    let bytes: [UInt8]
    /// Writes are in progress until the next piece has arrived.
    let isSlow: Bool
    /// Streams are paused until the peer's side has ended.
    let isPaused: Bool
    /// Streams are closed when the first data arrives.
    let closesEarly: Bool

    private static let maximumBytes = 800

    init(_ input: [UInt8]) {
        var reader = ChoiceReader(Array(input.prefix(Self.maximumBytes)))
        let options = reader.byte()
        isSlow = options & 2 != 0
        isPaused = options & 4 != 0
        closesEarly = options & 8 != 0
        guard options & 1 == 0 else {
            bytes = reader.remaining()
            return
        }
        // RFC 8441 §3: SETTINGS_ENABLE_CONNECT_PROTOCOL.
        var frames: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1]
        while !reader.isAtEnd {
            let (type, flags, stream, count) = (reader.byte(), reader.byte(), reader.byte(), reader.byte())
            frames += [0, 0, count, type, flags, 0, 0, 0, stream] + (0..<count).map { _ in reader.byte() }
        }
        bytes = frames
    }
}

/// What the streams of a connection receive.
private struct HTTP2Outcome {
    /// The data of each stream, in the order of their creation.
    let received: [[UInt8]]

    init(of pieces: [ArraySlice<UInt8>], isServer: Bool, _ input: HTTP2Input) {
        guard let loop = try? EventLoop() else { unexpected("there is no loop") }
        let stream = MemoryStream(on: loop, isSlow: input.isSlow)
        let owners = HTTP2Owners(isPaused: input.isPaused, closesEarly: input.closesEarly)
        weak var connection: HTTP2Connection?
        do {
            let strong = isServer ? owners.serve(stream) : owners.open(stream)
            connection = strong
            strong.start(with: isServer ? Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) : [])
        }
        loop.runOnce()
        for piece in pieces {
            stream.receive(piece)
            loop.runOnce()
            stream.drain()
            loop.runOnce()
        }
        stream.end()
        loop.runOnce()
        owners.resume()
        // The last frames, and the close.
        for _ in 0..<8 {
            stream.drain()
            loop.runOnce()
        }
        owners.release()
        expect(stream.isClosed, "the connection does not end with the peer's side")
        expect(connection == nil, "the connection stays in memory")
        received = owners.all.map(\.received)
        for owner in owners.all { expect(owner.endCount == 1, "a stream ended \(owner.endCount) times") }
        // A client does not wait for a write in progress.
        Self.checkFrames(stream.written.dropFirst(isServer ? 0 : 24), endWithGoAway: isServer || !input.isSlow)
    }

    private static func checkFrames(_ bytes: ArraySlice<UInt8>, endWithGoAway: Bool) {
        var rest = bytes
        var lastType: UInt8?
        while let type = rest.dropFirst(3).first {
            let count = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            expect(rest.count >= 9 + count, "the last frame is incomplete")
            rest = rest.dropFirst(9 + count)
            lastType = type
        }
        expect(rest.isEmpty && (lastType == 7 || !endWithGoAway), "the last frame is of type \(lastType ?? .max)")
    }
}

/// The owners of the streams of a connection.
private final class HTTP2Owners {
    private(set) var all: [HTTP2Owner] = []
    private var openings: [HTTP2Opening] = []
    private let isPaused: Bool
    private let closesEarly: Bool

    init(isPaused: Bool, closesEarly: Bool) {
        self.isPaused = isPaused
        self.closesEarly = closesEarly
    }

    private func own(_ stream: any ByteStream) {
        let owner = HTTP2Owner(stream, closesEarly: closesEarly)
        all.append(owner)
        stream.delegate = owner
        if !isPaused { stream.startReading() }
    }

    /// Releases the streams of handshakes.
    func release() { openings = [] }

    /// Lets paused streams read.
    func resume() {
        for owner in all { owner.stream?.startReading() }
    }

    /// Returns a server's connection, which accepts each request.
    func serve(_ stream: MemoryStream) -> HTTP2Connection {
        let context = HTTP2Connection.ServerContext(
            maximumStreams: 10, idleTimeout: .seconds(1000), windowBudget: HTTP2WindowBudget(byteCount: 1 << 20),
            memory: nil,
            didReceiveRequest: { [unowned self] stream, request, _ in
                switch request {
                case .success(let head):
                    Self.check(head)
                    stream.respond(ResponseHead(status: 200, fields: HTTPFields(), version: .http2))
                    own(stream)
                case .failure(let error):
                    expectOneSafeLine("\(error)")
                    stream.close()
                }
            }, didChangeIdleness: { _ in }, didEnd: { _, _ in })
        return HTTP2Connection(stream, server: context)
    }

    /// Returns a client's connection, on which two WebSockets are opened.
    func open(_ stream: MemoryStream) -> HTTP2Connection {
        guard let url = try? WebSocketURL(parsing: "ws://host/"),
            let request = try? ClientRequest(url: url, version: .http2)
        else { unexpected("the request is valid") }
        let connection = HTTP2Connection(stream)
        for index in 0..<2 {
            let opening = HTTP2Opening(request, on: connection, followsRedirects: false) { [unowned self] result in
                switch result {
                case .success(let opened): own(opened.stream)
                case .failure(let error):
                    if case .handshake(let error) = error { expectOneSafeLine(error.description) }
                    openings[index].cancel()
                }
            }
            openings.append(opening)
            opening.start()
        }
        return connection
    }

    /// A request could be forwarded with HTTP/1.1.
    private static func check(_ head: RequestHead) {
        var bytes = Array("\(head.method) \(head.target) HTTP/1.1\r\n".utf8)
        head.fields.appendLines(to: &bytes)
        bytes += "\r\n".utf8
        var parser = HTTPHeadParser(.request, limits: .client)
        let count = try? parser.receive(bytes.span.bytes)
        expectEqual(count, bytes.count, "the size of the head \(String(decoding: bytes, as: UTF8.self))")
        expectEqual(parser.requestHead?.target, head.target, "the target")
        expectEqual(parser.requestHead?.fields, head.fields, "the fields")
    }
}

/// Echoes data, and closes the stream at its end.
private final class HTTP2Owner: ByteStreamDelegate {
    private(set) var stream: (any ByteStream)?
    private let closesEarly: Bool
    private(set) var received: [UInt8] = []
    private(set) var endCount = 0

    init(_ stream: any ByteStream, closesEarly: Bool) {
        self.stream = stream
        self.closesEarly = closesEarly
    }

    func stream(_ stream: any ByteStream, didRead data: inout MutableRawSpan) {
        expect(endCount == 0, "data after the end")
        received += bytes(of: data.bytes)
        var echo = ByteBuffer()
        echo.append(data.bytes)
        // As unmasking does.
        for index in 0..<data.byteCount { data.storeBytes(of: 0xFF, toByteOffset: index, as: UInt8.self) }
        try? stream.write(&echo)
        if closesEarly { close() }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        stream.shutdown()
        close()
    }

    func streamDidDrain(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        expectOneSafeLine(error.description)
        close()
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { expectOneSafeLine(error.description) }

    private func close() {
        endCount += 1
        stream?.close()
        stream = nil
    }
}
