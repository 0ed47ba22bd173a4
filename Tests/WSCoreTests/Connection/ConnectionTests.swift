import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectionTests {
    typealias Peer = Connection<RecordingPeer>

    // MARK: Messages

    @Test("messages, pings, and pongs arrive in order in both directions", arguments: Transport.allCases)
    func exchange(transport: Transport) throws {
        try withPair(transport) { loop, client, server in
            client.send("to the server")
            _ = Array("p".utf8).withUnsafeBytes { client.sendPing($0.bytes) }
            server.send([0, 1, 255])
            _ = [].withUnsafeBytes { server.sendPong($0.bytes) }
            loop.run { client.handler.events.count == 3 && server.handler.events.count == 2 }
            expectEqual(server.handler.events, [.text("to the server"), .ping(Array("p".utf8))])
            expectEqual(client.handler.events, [.binary([0, 1, 255]), .pong([]), .pong(Array("p".utf8))])
        }
    }

    @Test("everything sent in one turn leaves in one write at its end")
    func oneWrite() throws {
        try withRawPeer(.server) { loop, connection, raw in
            connection.send("a")
            connection.send("b")
            expectEqual(connection.queuedBytes, 6)
            loop.run { raw.recorder.received.count == 6 }
            expectEqual(raw.recorder.received, frame(0x81, "a") + frame(0x81, "b"))
            expectEqual(connection.queuedBytes, 0)
        }
    }

    @Test("large shared messages keep their place and count as queued", arguments: Transport.allCases)
    func shared(transport: Transport) throws {
        try withRawPeer(.server, transport: transport) { loop, connection, raw in
            let payload = pattern(3 << 20)
            let message = SharedMessage(payload.span.bytes, as: .binary, fragmentBytes: 1 << 20)
            var one = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: 1 << 20)
            one.send(payload.span.bytes, as: .binary)
            let frames = contents(of: one.bytes)
            connection.send("a")
            for _ in 0..<2 { connection.send(message) }
            connection.send("b")
            connection.send(message)
            let sentBytes = frames.count * 3 + 6
            expectEqual(connection.queuedBytes, sentBytes)
            expectEqual(connection.unsentBytes, sentBytes)
            expectFalse(connection.isFull)
            for _ in 0..<3 { connection.send(message) }
            expectTrue(connection.isFull)
            loop.run { raw.recorder.received.count >= sentBytes + frames.count * 3 }
            let expected = frame(0x81, "a") + frames + frames + frame(0x81, "b") + frames + frames + frames + frames
            expectTrue(areEqual(raw.recorder.received, expected))
            loop.run { connection.queuedBytes == 0 }
            #expect(!connection.isFull && connection.handler.drainCount == 1)
        }
    }

    @Test("a small shared message is written at once if nothing waits")
    func atOnce() throws {
        try withRawPeer(.server) { loop, connection, raw in
            let payload = pattern(10_000)
            let message = SharedMessage(payload.span.bytes, as: .binary)
            // The turn of the start has not ended.
            expectFalse(connection.sendAtOnce(message))
            loop.runOnce()
            raw.stream.stopReading()
            var count = 0
            // Until the kernel takes no more.
            while connection.sendAtOnce(message) { count += 1 }
            #expect(count > 1 && connection.queuedBytes > 0)
            connection.send(message)
            raw.stream.startReading()
            loop.run { raw.recorder.received.count >= (count + 1) * (payload.count + 4) }
            expectEqual(connection.queuedBytes, 0)
            connection.send("a")
            expectFalse(connection.sendAtOnce(message))
            connection.close(CloseFrame(code: .normalClosure))
            loop.runOnce()
            expectFalse(connection.sendAtOnce(message))
            loop.run { raw.recorder.received.count == (count + 1) * (payload.count + 4) + 7 }
            expectEqual(connection.sentTraffic.messages, count + 2)
        }
    }

    @Test("queued shared messages and our close frame are still sent when the peer closes")
    func sharedBeforeClose() throws {
        try withRawPeer(.server) { loop, connection, raw in
            raw.stream.stopReading()
            let payload = pattern(3 << 20)
            let message = SharedMessage(payload.span.bytes, as: .binary)
            for _ in 0..<2 { connection.send(message) }
            loop.runOnce()
            try raw.write(masked(closeFrame(1000)))
            loop.run { connection.isClosing }
            raw.stream.startReading()
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received.count, 2 * (payload.count + 10) + 4)
            expectEqual(raw.recorder.received.suffix(payload.count + 4).prefix(payload.count), payload[...])
            expectEqual(raw.recorder.received.suffix(4), closeFrame(1000)[...])
        }
    }

    @Test("the handshake response is sent before any frame, and the first bytes are received")
    func start() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let raw = StreamEnd(far)
            let server = makeConnection(near, Peer.Settings(role: .server, limits: .server))
            server.handler.onMessage = echo
            server.start(sending: Array("HTTP/1.1 101 \r\n\r\n".utf8), with: masked(frame(0x81, "first")))
            raw.stream.startReading()
            loop.run { raw.recorder.received.count >= 24 }
            expectEqual(raw.recorder.received, Array("HTTP/1.1 101 \r\n\r\n".utf8) + frame(0x81, "first"))
            expectEqual(server.receivedTraffic, Traffic(messages: 1, messageBytes: 5, wireBytes: 11))
            server.terminate()
            far.close()
            loop.runOnce()
        }
    }

    @Test("a handler that pauses during the first bytes receives no more until it resumes")
    func pauseAtFirstBytes() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let raw = StreamEnd(far)
            let server = makeConnection(near, Peer.Settings(role: .server, limits: .server))
            server.handler.onMessage = { connection, _, _ in connection.pauseReading() }
            try raw.write(masked(frame(0x81, "second")))
            server.start(with: masked(frame(0x81, "first")))
            loop.settle()
            expectEqual(server.handler.events, [.text("first")])
            expectTrue(server.isPausedByUser)
            server.resumeReading()
            loop.run { server.handler.messageCount == 2 }
            server.terminate()
            far.close()
            loop.runOnce()
        }
    }

    @Test("pauseReading() and resumeReading() lose no data")
    func pausing() throws {
        try withPair { loop, client, server in
            server.handler.remembersMessages = false
            server.pauseReading()
            for _ in 0..<100 { client.send(pattern(10_000)) }
            loop.settle()
            expectEqual(server.handler.messageCount, 0)
            server.resumeReading()
            loop.run { server.handler.messageCount == 100 }
        }
    }

    // MARK: Backpressure

    @Test("a sender that respects isFull receives all echoes in order, with bounded queues")
    func echoWithBackpressure() throws {
        try withPair { loop, client, server in
            let total = 50
            var sent = 0
            var largestQueue = 0
            var received: [UInt8] = []
            func sendMore() {
                while sent < total, !client.isFull {
                    var message = pattern(1_000_000)
                    message[0] = UInt8(sent)
                    client.send(message)
                    sent += 1
                    largestQueue = max(largestQueue, client.queuedBytes)
                }
            }
            client.handler.remembersMessages = false
            server.handler.remembersMessages = false
            server.handler.onMessage = { connection, payload, kind in
                connection.send(payload, as: kind)
                largestQueue = max(largestQueue, connection.queuedBytes)
            }
            client.handler.onMessage = { _, payload, _ in
                received.append(payload.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
            }
            client.handler.onDrain = sendMore
            sendMore()
            #expect(sent < total)
            loop.run(within: .seconds(60)) { received.count == total }
            expectEqual(received, (0..<total).map { UInt8($0) })
            #expect(client.handler.drainCount > 0)
            #expect(largestQueue <= server.settings.queueLimitBytes + 2_000_000)
        }
    }

    @Test("an echo server stops reading while its client does not read, and resumes when it does")
    func echoToSilentReader() throws {
        try withPair { loop, client, server in
            server.handler.remembersMessages = false
            client.handler.remembersMessages = false
            server.handler.onMessage = echo
            client.pauseReading()
            for _ in 0..<40 { client.send(pattern(1_000_000)) }
            loop.run { server.isFull }
            loop.settle()
            #expect(server.handler.messageCount < 40)
            #expect(server.queuedBytes <= server.settings.queueLimitBytes + 2_000_000)
            client.resumeReading()
            loop.run(within: .seconds(60)) { client.handler.messageCount == 40 }
            expectFalse(server.isFull)
        }
    }

    // MARK: The closing handshake

    @Test("RFC 6455 §7.1: either endpoint can close, and both learn the code and reason", arguments: Role.allCases)
    func close(closer: Role) throws {
        for transport in Transport.allCases {
            try withPair(transport) { loop, client, server in
                let (active, passive) = closer == .client ? (client, server) : (server, client)
                expectTrue(active.close(CloseFrame(code: CloseCode(rawValue: 4001), reason: "enough")))
                expectFalse(active.close(CloseFrame(code: .normalClosure)))
                expectFalse(active.send("too late"))
                loop.run { client.handler.end != nil && server.handler.end != nil }
                let activeEnd = try #require(active.handler.end)
                let passiveEnd = try #require(passive.handler.end)
                expectTrue(activeEnd.isClean)
                expectTrue(activeEnd.closing.wasStartedHere)
                expectEqual(activeEnd.code.rawValue, 4001)
                expectEqual(activeEnd.reason, "")
                expectTrue(passiveEnd.isClean)
                expectFalse(passiveEnd.closing.wasStartedHere)
                expectEqual(passiveEnd.code.rawValue, 4001)
                expectEqual(passiveEnd.reason, "enough")
                expectEqual(client.handler.endCount, 1)
                expectEqual(server.handler.endCount, 1)
                expectEqual(active.handler.events, [.close(4001)])
                expectEqual(passive.handler.events, [.close(4001, "enough")])
                #expect(activeEnd.failure == nil && passiveEnd.failure == nil)
            }
        }
    }

    @Test("simultaneous closes complete the handshake at both ends")
    func simultaneousClose() throws {
        try withPair { loop, client, server in
            client.close(CloseFrame(code: .normalClosure))
            server.close(CloseFrame(code: .goingAway))
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(client.handler.end?.code, .goingAway)
            expectEqual(server.handler.end?.code, .normalClosure)
            #expect(client.handler.end?.isClean == true && server.handler.end?.isClean == true)
            expectEqual(client.handler.end?.closing.wasStartedHere, true)
            expectEqual(server.handler.end?.closing.wasStartedHere, true)
        }
    }

    @Test("RFC 6455 §7.1.5: the code is 1005 if the close frame has none")
    func closeWithoutCode() throws {
        try withPair { loop, client, server in
            client.close(CloseFrame(code: nil))
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(server.handler.end?.code, .noStatus)
            expectEqual(client.handler.end?.code, .noStatus)
        }
    }

    @Test("messages sent before the close frame arrive even if the peer reads slowly", arguments: Role.allCases)
    func messagesBeforeClose(role: Role) throws {
        try withPair { loop, client, server in
            let (sender, receiver) = role == .client ? (client, server) : (server, client)
            receiver.handler.remembersMessages = false
            receiver.handler.onMessage = { connection, _, _ in connection.pauseReading() }
            for _ in 0..<20 { sender.send(pattern(200_000)) }
            sender.close(CloseFrame(code: .normalClosure))
            let reading = Timer(on: loop) { receiver.resumeReading() }
            reading.start(after: .zero, every: .milliseconds(5))
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(receiver.handler.messageCount, 20)
            expectEqual(sender.handler.end?.isClean, true)
        }
    }

    @Test("the connection ends if the peer does not answer our close frame in time", arguments: Role.allCases)
    func closeTimeout(role: Role) throws {
        try withRawPeer(role, closeTimeout: .seconds(3)) { loop, connection, raw in
            connection.close(CloseFrame(code: .normalClosure))
            let start = loop.now
            loop.advance { connection.handler.end != nil }
            #expect(loop.now - start >= .milliseconds(2990))
            #expect(loop.now - start < .milliseconds(5900), "the close timeout was applied twice")
            let end = try #require(connection.handler.end)
            expectTrue(end.closingTimedOut)
            expectFalse(end.isClean)
            expectEqual(end.code, .abnormalClosure)
            expectEqual(end.closing.sent, CloseFrame(code: .normalClosure))
            loop.run { raw.recorder.hasEnded }
        }
    }

    @Test(
        "the close timeout expires while reading is paused for want of memory, but not for another reason",
        arguments: [
            (PauseReasons.memory, true), (PauseReasons.output, false), (PauseReasons([.memory, .output]), false),
        ])
    func closeTimeoutWhilePaused(reasons: PauseReasons, expires: Bool) throws {
        try withRawPeer(.client, closeTimeout: .seconds(3)) { loop, connection, _ in
            connection.pauseReading(for: reasons)
            connection.close(CloseFrame(code: .goingAway))
            loop.advance(by: .seconds(10))
            expectEqual(connection.handler.end?.closingTimedOut, (expires ? true : nil))
        }
    }

    @Test("the close timeout does not expire while the peer is still taking our output")
    func slowReaderIsNotLate() throws {
        try withRawPeer(.server, closeTimeout: .seconds(3)) { loop, connection, raw in
            connection.send(pattern(4_000_000))
            connection.close(CloseFrame(code: .normalClosure))
            let start = loop.now
            let reading = Timer(on: loop) { raw.stream.startReading() }
            reading.start(after: .zero, every: .milliseconds(150))
            raw.recorder.didChange = { stream in
                stream.stopReading()
                guard raw.recorder.received.count == 4_000_000 + 10 + 4 else { return }
                try? raw.write(masked(closeFrame(1000)))
            }
            loop.advance { connection.handler.end != nil }
            #expect(loop.now - start > .seconds(6))
            expectEqual(connection.handler.end?.closingTimedOut, false)
            expectEqual(connection.handler.end?.isClean, true)
        }
    }

    @Test("a peer that closes while reading slowly still receives all queued output")
    func slowReaderOfLastWords() throws {
        try withRawPeer(.server) { loop, connection, raw in
            connection.send(pattern(4_000_000))
            loop.runOnce()
            try raw.write(masked(closeFrame(1000)))
            let reading = Timer(on: loop) { raw.stream.startReading() }
            reading.start(after: .zero, every: .milliseconds(50))
            raw.recorder.didChange = { $0.stopReading() }
            loop.advance { raw.recorder.received.count == 4_000_000 + 10 + 4 }
            loop.advance { connection.handler.end != nil }
            expectEqual(connection.handler.end?.isClean, true)
        }
    }

    @Test("output that a peer does not take after its close frame is given up after the close timeout, and counted")
    func outputOfClosedPeer() throws {
        try withRawPeer(.server, closeTimeout: .seconds(4)) { loop, connection, raw in
            raw.stream.stopReading()
            connection.send(pattern(4_000_000))
            loop.runOnce()
            try raw.write(masked(closeFrame(1000)))
            loop.advance(by: .milliseconds(3900))
            expectNil(connection.handler.end)
            loop.advance { connection.handler.end != nil }
            let end = try #require(connection.handler.end)
            raw.stream.startReading()
            loop.run { raw.recorder.lastWordCount > 0 }
            // The kernel holds the rest.
            #expect(end.isClean && end.unsentBytes == 4_000_000 + 10 + 4 - raw.recorder.received.count)
        }
        // The peer has left, and the queue is lost.
        try withRawPeer(.server) { loop, connection, raw in
            connection.send(pattern(4_000_000))
            loop.runOnce()
            raw.stream.close()
            loop.advance { connection.handler.end != nil }
            #expect(connection.handler.end?.unsentBytes ?? 0 > 1_000_000)
        }
        // It has taken everything, and does not answer the close frame.
        try withRawPeer(.server) { loop, connection, raw in
            connection.send(pattern(4_000_000))
            connection.close(CloseFrame(code: .goingAway))
            loop.advance { connection.handler.end != nil }
            #expect(connection.handler.end?.closingTimedOut == true && connection.handler.end?.unsentBytes == 0)
        }
    }

    @Test("RFC 6455 §5.5.1: data after the peer's close frame is ignored")
    func dataAfterClose() throws {
        try withRawPeer(.server) { loop, connection, raw in
            try raw.write(masked(closeFrame(1000)) + masked(frame(0x81, "late")))
            loop.run { raw.recorder.hasEnded }
            raw.stream.close()
            loop.run { connection.handler.end != nil }
            expectEqual(connection.handler.events, [.close(1000)])
            expectEqual(raw.recorder.received, closeFrame(1000))
        }
    }

    // MARK: Failures

    @Test("a violation is reported to the peer in a close frame and to both handlers", arguments: Role.allCases)
    func violation(violator: Role) throws {
        try withPair(maximumMessageBytes: 10) { loop, client, server in
            let (active, judge) = violator == .client ? (client, server) : (server, client)
            active.send("eleven bytes")
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(judge.handler.end?.violation, .messageTooBig(limit: 10))
            expectEqual(judge.handler.end?.code, .abnormalClosure)
            expectEqual(judge.handler.end?.isClean, false)
            expectNil(active.handler.end?.violation)
            expectEqual(active.handler.end?.code, .messageTooBig)
            expectEqual(active.handler.end?.reason, "a message is larger than 10 bytes")
        }
    }

    @Test("RFC 6455 §5.1: an unmasked client frame is answered with 1002, and further input is ignored")
    func unmaskedFrame() throws {
        try withRawPeer(.server) { loop, connection, raw in
            try raw.write(frame(0x81, "bare") + masked(frame(0x81, "more")))
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received, closeFrame(1002, "a frame from the client is not masked"))
            raw.stream.close()
            loop.run { connection.handler.end != nil }
            expectEqual(connection.handler.end?.violation, .unmaskedClientFrame)
            expectEmpty(connection.handler.events)
        }
    }

    @Test("The end of a connection that the peer drops has the time since its last data")
    func silence() throws {
        try withPair { loop, client, server in
            loop.advance(by: .seconds(30))
            server.send("data")
            loop.run { client.handler.messageCount == 1 }
            loop.advance(by: .seconds(60))
            server.terminate()
            loop.run { client.handler.end != nil }
            let silence = try #require(client.handler.end?.silence)
            #expect(.seconds(60) <= silence && silence < .seconds(80))
        }
    }

    @Test("the code is 1006, without a failure, if the peer closes without a close frame", arguments: Role.allCases)
    func endOfFile(role: Role) throws {
        try withRawPeer(role) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.handler.end != nil }
            let end = try #require(connection.handler.end)
            expectEqual(end.code, .abnormalClosure)
            expectNil(end.failure)
            expectFalse(end.isClean)
            expectFalse(connection.send("nobody hears this"))
            expectEqual(connection.queuedBytes, 0)
        }
    }

    @Test("a connection reset is reported as a failure, once")
    func reset() throws {
        try withRawPeer(.server, transport: .tcp) { loop, connection, raw in
            raw.stream.stopReading()
            connection.send("unread")
            loop.run { raw.stream.hasUnreadBytes }
            raw.stream.close()
            loop.run { connection.handler.end != nil }
            expectEqual(connection.handler.end?.failure.map { IOError(of: $0) }, .connectionReset)
            expectEqual(connection.handler.endCount, 1)
        }
    }

    @Test("the peer's close frame is received even if it arrived before a write failure")
    func closeFrameBeforeBrokenPipe() throws {
        try withRawPeer(.client) { loop, connection, raw in
            connection.pauseReading()
            try raw.write(closeFrame(1013, "full"))
            loop.settle()
            raw.stream.close()
            loop.settle()
            connection.send("into the void")
            loop.settle()
            connection.resumeReading()
            loop.run { connection.handler.end != nil }
            expectEqual(connection.handler.end?.code, .tryAgainLater)
            expectEqual(connection.handler.end?.reason, "full")
        }
    }

    // MARK: Actions in handlers

    @Test("terminate() within a handler ends the connection after the call")
    func terminateInsideHandler() throws {
        try withPair { loop, client, server in
            server.handler.onMessage = { connection, _, _ in
                connection.terminate()
                expectNil(connection.handler.end)
            }
            client.send("stop")
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(server.handler.end?.code, .abnormalClosure)
            expectEqual(server.handler.endCount, 1)
            expectNil(client.handler.end?.closing.received)
        }
    }

    @Test("terminate() notifies the handler once, at the end of the turn")
    func terminate() throws {
        try withPair { loop, client, server in
            client.terminate()
            client.terminate()
            #expect(client.handler.endCount == 0 && client.isClosing)
            expectFalse(client.send("too late"))
            loop.run { server.handler.end != nil }
            expectEqual(client.handler.endCount, 1)
            client.terminate()
            loop.runOnce()
            expectEqual(client.handler.endCount, 1)
        }
    }

    @Test("a handler can send on, close, and terminate other connections")
    func otherConnections() throws {
        try withPair { loop, firstClient, firstServer in
            try withPair(on: loop) { loop, secondClient, secondServer in
                firstServer.handler.onMessage = { _, payload, kind in secondServer.send(payload, as: kind) }
                firstClient.send("relayed")
                loop.run { secondClient.handler.messageCount == 1 }
                expectEqual(secondClient.handler.events, [.text("relayed")])
                firstServer.handler.onMessage = { _, _, _ in
                    secondServer.close(CloseFrame(code: .goingAway))
                    secondServer.terminate()
                }
                firstClient.send("end the other")
                loop.run { secondClient.handler.end != nil }
                expectEqual(secondServer.handler.endCount, 1)
            }
        }
    }

    @Test("a handler can answer with a close frame, which completes the handshake")
    func closeFromHandler() throws {
        try withPair { loop, client, server in
            server.handler.onMessage = { connection, _, _ in connection.close(CloseFrame(code: .normalClosure)) }
            client.send("bye")
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(server.handler.end?.isClean, true)
            expectEqual(server.handler.end?.closing.wasStartedHere, true)
        }
    }

    @Test("after terminate() and abandon(with:), nothing more of the read is delivered", arguments: [true, false])
    func endWithinRead(isAbandoned: Bool) throws {
        try withPair { loop, client, server in
            server.handler.onMessage = { connection, _, _ in
                if isAbandoned { connection.abandon(with: .memoryIsScarce) } else { connection.terminate() }
            }
            for text in ["one", "two", "three"] { client.send(text) }
            client.sendPing(RawSpan())
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(server.handler.events, [.text("one")])
            expectEqual(client.handler.events, (isAbandoned ? [.close(1013, "memory is scarce")] : []))
        }
    }

    @Test("while a message is delivered, what was sent is current, and what was received is as before the read")
    func queriesInsideHandler() throws {
        try withPair { loop, client, server in
            var seen: [[Int]] = []
            server.handler.onMessage = { connection, payload, kind in
                connection.send(payload, as: kind)
                seen.append([
                    connection.sentTraffic.messages, connection.receivedTraffic.messages, connection.queuedBytes,
                ])
            }
            client.send("one")
            client.send("two")
            loop.run { client.handler.messageCount == 2 }
            expectEqual(seen, [[1, 0, 5], [2, 0, 10]])
            expectEqual(server.receivedTraffic.messages, 2)
        }
    }

    @Test("an ended connection is deallocated")
    func release() throws {
        weak var client: Peer?
        weak var server: Peer?
        try withPair { loop, one, other in
            client = one
            server = other
            one.send("x")
            one.close(CloseFrame(code: .normalClosure))
            loop.run { one.handler.end != nil && other.handler.end != nil }
            loop.runOnce()
        }
        expectNil(client)
        expectNil(server)
    }

    // MARK: Support

    private func makeConnection(_ stream: SystemStream, _ settings: Peer.Settings) -> Peer {
        Connection(
            stream, settings: settings, resources: ConnectionResources(on: stream.loop),
            handler: RecordingPeer())
    }

    /// Creates two connections on one loop. The server pauses reading when its queue is full.
    private func withPair(
        _ transport: Transport = .socketPair, on sharedLoop: EventLoop? = nil, maximumMessageBytes: Int = 64 << 20,
        _ body: (EventLoop, Peer, Peer) throws -> Void
    ) throws {
        guard let loop = sharedLoop else {
            return try withLoop { loop in
                try withPair(transport, on: loop, maximumMessageBytes: maximumMessageBytes, body)
            }
        }
        let (near, far) = try makeStreamPair(transport, on: loop)
        let limits = Limits(maximumMessageBytes: maximumMessageBytes)
        let client = makeConnection(near, Peer.Settings(role: .client, limits: limits))
        let server = makeConnection(far, Peer.Settings(role: .server, limits: limits, pausesReadingWhenFull: true))
        client.start()
        server.start()
        defer {
            for connection in [client, server] {
                connection.terminate()
                connection.handler.onMessage = nil
                connection.handler.onDrain = nil
            }
            loop.runOnce()
        }
        try body(loop, client, server)
    }

    /// Creates a connection to a raw stream that the test controls and that is already reading.
    private func withRawPeer(
        _ role: Role, transport: Transport = .socketPair, closeTimeout: Duration = .seconds(5),
        _ body: (EventLoop, Peer, StreamEnd) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let raw = StreamEnd(far)
            raw.stream.startReading()
            let connection = makeConnection(
                near, Peer.Settings(role: role, limits: Limits(), closeTimeout: closeTimeout))
            connection.start()
            defer {
                connection.terminate()
                raw.close()
                loop.runOnce()
            }
            try body(loop, connection, raw)
        }
    }
}
