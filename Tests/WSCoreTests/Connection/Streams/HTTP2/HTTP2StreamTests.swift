import TestSupport
import Testing

@testable import WSCore

/// A client's connection with one stream, and a server that sends exact frames.
private struct HTTP2Fixture {
    let connection: HTTP2Connection
    let stream: HTTP2Stream
    let recorder = StreamRecorder()
    let server: StreamEnd

    /// Opens the connection, and sends the request.
    init(on loop: EventLoop, settings: [UInt8] = []) throws {
        let (near, far) = try makeStreamPair(on: loop)
        server = StreamEnd(far)
        far.startReading()
        connection = HTTP2Connection(near)
        stream = connection.makeStream()
        stream.delegate = recorder
        var isReady = false
        connection.whenReady { isReady = true }
        connection.start()
        // RFC 8441 §3: SETTINGS_ENABLE_CONNECT_PROTOCOL.
        try server.write(http2Frame(4, [0, 8, 0, 0, 0, 1] + settings, stream: 0))
        loop.run { isReady }
        expectTrue(connection.session.allowsExtendedConnect)
        let method = HeaderField(wellFormedName: ":method", value: "CONNECT")
        expectTrue(stream.request([method], endsStream: false))
    }

    /// Accepts the request and passes this data.
    func answer(_ data: [UInt8]...) throws {
        try server.write(http2Frame(1, [0x88], flags: 4))
        for data in data { try server.write(http2Frame(0, data)) }
    }

    func close() {
        stream.close()
        server.close()
    }
}

/// RFC 9113 §4.1: a frame begins with its length, type, flags, and stream.
private func http2Frame(_ type: UInt8, _ payload: [UInt8], flags: UInt8 = 0, stream: UInt8 = 1) -> [UInt8] {
    [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0]
        + [stream] + payload
}

private func write(_ bytes: [UInt8], to stream: HTTP2Stream) throws {
    var buffer = ByteBuffer()
    bytes.withUnsafeBytes { buffer.append($0.bytes) }
    try stream.write(&buffer)
}

@Suite struct HTTP2StreamTests {
    @Test("Data and its end arrive in order, also after a pause") func pause() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            var head: ResponseHead?
            fixture.stream.didReceiveHead = { head = $0 }
            try fixture.answer([1, 2], [3])
            try fixture.server.write(http2Frame(0, [4], flags: 1))
            loop.run { head != nil && fixture.stream.hasUnreadBytes && fixture.stream.peerPresence == .hasEnded }
            #expect(head?.status == 200 && head?.version == .http2)
            #expect(fixture.recorder.received.isEmpty && !fixture.recorder.hasEnded)
            fixture.stream.startReading()
            loop.run { fixture.recorder.hasEnded }
            #expect(fixture.recorder.received == [1, 2, 3, 4] && !fixture.stream.hasUnreadBytes)
            fixture.close()
        }
    }

    @Test("A delegate may close the stream while it receives data") func closeWhileReceiving() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            fixture.recorder.didChange = { $0.close() }
            fixture.stream.startReading()
            try fixture.answer([1], [2])
            loop.run { fixture.server.recorder.hasEnded }
            #expect(fixture.recorder.received == [1] && fixture.stream.isClosed)
            // RFC 8441 §5: RST_STREAM with CANCEL, and then GOAWAY.
            let sent = fixture.server.recorder.received
            let expected: [UInt8] = http2Frame(3, [0, 0, 0, 8]) + http2Frame(7, [0, 0, 0, 0, 0, 0, 0, 0], stream: 0)
            expectEqual(Array(sent.suffix(30)), expected)
            fixture.close()
        }
    }

    @Test("A stream that is closed outside of a read sends its reset, although its connection stays open")
    func closeOutsideOfRead() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            loop.run { !fixture.server.recorder.received.isEmpty }
            fixture.connection.keepOpen(true)
            fixture.stream.close()
            loop.run { fixture.server.recorder.received.suffix(13) == http2Frame(3, [0, 0, 0, 8])[...] }
            fixture.connection.keepOpen(false)
            fixture.close()
        }
    }

    @Test("A CONTINUATION frame beyond the largest size ends the connection") func largeContinuation() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            fixture.stream.startReading()
            // RFC 9113 §4.2: a frame of 16,385 bytes is refused by its header alone.
            try fixture.server.write(http2Frame(1, [0x88]) + [0, 0x40, 1, 9, 0, 0, 0, 0, 1])
            loop.run { fixture.recorder.readError != nil }
            guard case .failed(.protection(let error as HTTP2Error))? = fixture.stream.ending else {
                Issue.record("the stream has not failed")
                return
            }
            expectEqual(error, .violation(reason: "FRAME_SIZE_ERROR (6)"))
            fixture.close()
        }
    }

    @Test("Unsent bytes wait for the window of the peer") func window() throws {
        try withLoop { loop in
            // RFC 9113 §6.5.2: SETTINGS_INITIAL_WINDOW_SIZE.
            let fixture = try HTTP2Fixture(on: loop, settings: [0, 4, 0, 0, 0, 3])
            let stream = fixture.stream
            try write([1, 2, 3, 4, 5], to: stream)
            expectTrue(stream.isWriting)
            var next = ByteBuffer()
            next.append(byte: 6)
            try stream.write(&next)
            expectEqual(next.count, 1, "no second write during the first")
            loop.run { fixture.server.recorder.received.suffix(3) == [1, 2, 3] }
            #expect(stream.isWriting && stream.inFlightBytes == 2)
            try fixture.server.write(http2Frame(8, [0, 0, 0, 10]))
            loop.run { fixture.recorder.drainCount == 1 }
            #expect(!stream.isWriting && stream.inFlightBytes == 0)
            stream.shutdown()
            loop.run {
                fixture.server.recorder.received.suffix(20) == http2Frame(0, [4, 5])[...] + http2Frame(0, [], flags: 1)
            }
            fixture.close()
        }
    }

    @Test("A reset discards unsent bytes and reports its code") func reset() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop, settings: [0, 4, 0, 0, 0, 0])
            fixture.stream.startReading()
            try write([1], to: fixture.stream)
            try fixture.server.write(http2Frame(3, [0, 0, 0, 7]))
            loop.run { fixture.recorder.writeError != nil && fixture.recorder.readError != nil }
            #expect(!fixture.stream.isWriting && fixture.stream.peerPresence == .isGone)
            #expect(throws: StreamError.self) { try write([2], to: fixture.stream) }
            fixture.close()
        }
    }

    @Test("Shared bytes are written in pieces") func shared() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            var buffer = ByteBuffer()
            for index in 0..<200_000 { buffer.append(byte: UInt8(truncatingIfNeeded: index)) }
            let shared = SharedBytes(buffer)
            var offset = 0
            while offset < 60_000 { offset += try fixture.stream.write(shared, from: offset) }
            #expect(offset == 65535 || offset == 65536)
            fixture.close()
        }
    }

    @Test("A delegate that takes over an ended stream learns of its end") func endForAnotherDelegate() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            fixture.stream.startReading()
            try fixture.answer()
            try fixture.server.write(http2Frame(0, [], flags: 1))
            loop.run { fixture.recorder.hasEnded }
            let next = StreamRecorder()
            fixture.stream.delegate = next
            fixture.stream.startReading()
            loop.run { next.hasEnded }
            #expect(fixture.recorder.lastWordCount == 1 && next.lastWordCount == 1)
            fixture.close()
        }
    }

    @Test("The end of the connection ends the stream") func endOfConnection() throws {
        try withLoop { loop in
            let fixture = try HTTP2Fixture(on: loop)
            fixture.stream.startReading()
            fixture.server.stream.shutdown()
            loop.run { fixture.recorder.hasEnded }
            fixture.close()
        }
    }
}

@Suite struct HTTP2ErrorTests {
    static let all: [HTTP2Error] = [
        .closedBeforeSettings, .notHTTP2(preview: Array("x\u{1B}[0m".utf8)), .noExtendedConnect, .reset(code: 8),
        .goAway(code: 11, debugData: "\u{1B}[0m"), .head(.tooManyFields(maximum: 1)), .violation(reason: "why"),
    ]

    @Test("Every error has its own words, without control characters") func words() {
        for error in Self.all {
            expectFalse(error.description.utf8.contains(0x1B))
            expectEqual(HandshakeError.http2(error).description, error.description)
        }
        expectEqual(Set(Self.all.map(\.description)).count, Self.all.count)
    }
}
