import COpenSSL
import TestSupport
import Testing

@testable import WSCore

/// The end of TLS on a stream, regular or not.
@Suite struct TLSStreamEndTests {
    @Test("shutdown() sends close_notify after pending output, and the peer can still send")
    func halfClose() throws {
        try withTLSPair { loop, client, server in
            client.stream.startReading()
            server.stream.startReading()
            let bytes = pattern(2_000_000)
            client.send(bytes)
            loop.run { client.waitingBytes == 0 }
            client.stream.shutdown()
            client.stream.shutdown()
            loop.run { server.recorder.hasEnded }
            expectTrue(areEqual(server.recorder.received, bytes))
            expectTrue(server.session.hasEnded)

            server.send(bytes)
            loop.run { client.recorder.received.count >= bytes.count }
            expectTrue(areEqual(client.recorder.received, bytes))
            // Our side stays closed.
            client.send([1])
            expectNotNil(client.recorder.writeError)
            expectEqual(client.waitingBytes, 0)
            server.close()
            loop.run { client.recorder.hasEnded }
            expectTrue(client.session.hasEnded)
            #expect(client.recorder.readError == nil && client.recorder.lastWordCount == 1)
            #expect(server.recorder.readError == nil && server.recorder.lastWordCount == 1)
        }
    }

    @Test("close() sends close_notify", arguments: Transport.allCases)
    func close(transport: Transport) throws {
        try withTLSPair(transport) { loop, client, server in
            server.stream.startReading()
            client.send(Array("last words".utf8))
            client.close()
            loop.run { server.recorder.hasEnded }
            expectEqual(server.recorder.received, Array("last words".utf8))
            expectTrue(server.session.hasEnded)
            #expect(server.recorder.readError == nil && server.recorder.lastWordCount == 1)
        }
    }

    @Test("an end without close_notify ends the stream and marks the session as truncated")
    func truncation() throws {
        try withTLSPair { loop, client, server in
            server.stream.startReading()
            client.send(Array("cut".utf8))
            // close() would reset the connection, because session tickets are unread.
            client.below.shutdown()
            loop.run { server.recorder.hasEnded }
            expectEqual(server.recorder.received, Array("cut".utf8))
            expectFalse(server.session.hasEnded)
            expectEqual(server.recorder.lastWordCount, 1)
        }
    }

    @Test("an end that arrives while reading is paused is reported after earlier data")
    func endWhilePaused() throws {
        try withTLSPair { loop, client, server in
            server.recorder.didChange = { $0.stopReading() }
            server.stream.startReading()
            let bytes = pattern(150_000)
            client.send(bytes)
            loop.run { server.recorder.received.count > 0 }
            client.stream.shutdown()
            loop.run {
                if !server.recorder.hasEnded { server.stream.startReading() }
                return server.recorder.hasEnded
            }
            expectTrue(areEqual(server.recorder.received, bytes))
            expectEqual(server.recorder.lastWordCount, 1)
        }
    }

    @Test("an end that arrives with data for which the receiver pauses is reported when it resumes")
    func endWithPause() throws {
        try withTLSPair { loop, client, server in
            server.recorder.didChange = { [unowned server] _ in server.stream.stopReading() }
            server.stream.startReading()
            client.send(Array("last words".utf8))
            client.close()
            loop.run { !server.recorder.received.isEmpty }
            loop.settle()
            expectFalse(server.recorder.hasEnded)
            server.recorder.didChange = { _ in }
            server.stream.startReading()
            loop.run { server.recorder.hasEnded }
            expectEqual(server.recorder.received, Array("last words".utf8))
            expectTrue(server.session.hasEnded)
        }
    }

    @Test("a reset after the handshake is reported as a system error")
    func reset() throws {
        try withLoop { loop in
            let (near, far) = try makeTCPSockets()
            let layers = try TLSLayers()
            resetWhenClosed(near)
            let (client, server) = try secure(
                SystemStream.open(descriptor: near, on: loop), SystemStream.open(descriptor: far, on: loop), layers,
                on: loop)
            server.stream.startReading()
            client.below.close()
            loop.run { server.recorder.lastWordCount > 0 }
            expectEqual(server.recorder.readError, .connectionReset)
            expectFalse(server.recorder.hasEnded)
            server.close()
            client.close()
            loop.runOnce()
        }
    }

    @Test("an invalid record fails the stream once, and the peer receives the alert")
    func badRecord() throws {
        try withTLSPair { loop, client, server in
            client.stream.startReading()
            server.stream.startReading()
            var garbage = ByteBuffer()
            // RFC 8446 §5.2: the header of a 100-byte record.
            ([23, 3, 3, 0, 100] + pattern(100)).withUnsafeBytes { garbage.append($0.bytes) }
            try client.below.write(&garbage)
            loop.run { server.recorder.lastWordCount > 0 && client.recorder.lastWordCount > 0 }
            expectNotNil(server.recorder.tlsError)
            guard case .alert = client.recorder.tlsError else {
                Issue.record("\(String(describing: client.recorder.tlsError))")
                return
            }
            expectEqual(server.recorder.lastWordCount, 1)
            server.send([1])
            expectNotNil(server.recorder.writeError)
        }
    }

    @Test("an untrusted certificate fails the handshake once, and the server receives the alert")
    func untrusted() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let layers = try TLSLayers()
            let client = layers.makeClient(on: near, name: "other.example")
            let server = layers.makeServer(on: far)
            client.send(Array("secret".utf8))
            server.stream.start()
            client.stream.start()
            server.stream.startReading()
            loop.run { client.completionCount > 0 }
            guard case .certificate = client.handshakeError else {
                Issue.record("\(String(describing: client.handshakeError))")
                return
            }
            client.close()
            loop.run { server.completionCount > 0 }
            guard case .ownCertificateRejected = server.handshakeError else {
                Issue.record("\(String(describing: server.handshakeError))")
                return
            }
            expectEmpty(server.recorder.received)
            #expect(client.recorder.lastWordCount == 0 && server.recorder.lastWordCount == 0)
            server.close()
            loop.settle()
            #expect(client.completionCount == 1 && server.completionCount == 1)
        }
    }

    @Test(
        "a peer that disconnects during the handshake fails it, before or after its first bytes", arguments: [0, 100])
    func leavesDuringHandshake(answerBytes: Int) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let layers = try TLSLayers()
            let client = layers.makeClient(on: near)
            client.stream.start()
            let server = StreamEnd(far)
            far.startReading()
            loop.run { server.recorder.received.count > 100 }
            let session = TLSSession(server: layers.server.context)
            try session.receive(server.recorder.received)
            try server.write(Array(session.takeOutput().prefix(answerBytes)))
            far.close()
            loop.run { client.completionCount > 0 }
            expectEqual(client.handshakeError, .endedDuringHandshake(peerHasAnswered: answerBytes > 0))
            client.close()
            loop.runOnce()
            expectEqual(client.completionCount, 1)
        }
    }

    @Test("an invalid server name fails the handshake immediately")
    func invalidName() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let client = try TLSLayers().makeClient(on: near, name: "")
            client.stream.start()
            expectEqual(client.handshakeError, .invalidServerName(""))
            client.close()
            far.close()
            loop.runOnce()
            expectEqual(client.completionCount, 1)
        }
    }

    @Test("a stream closed during the handshake does not complete")
    func closeDuringHandshake() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let layers = try TLSLayers()
            let client = layers.makeClient(on: near)
            let server = layers.makeServer(on: far)
            server.stream.start()
            client.stream.start()
            client.close()
            loop.run { server.completionCount > 0 }
            expectEqual(client.completionCount, 0)
            server.close()
            loop.runOnce()
        }
    }

    @Test("writing to a dead peer fails and leaves nothing queued")
    func writeAfterReset() throws {
        try withTLSPair { loop, client, server in
            client.send(pattern(4 << 20))
            server.below.close()
            loop.run {
                client.writeWaiting()
                return client.recorder.writeError != nil
            }
            loop.settle()
            client.send([1])
            expectEqual(client.waitingBytes, 0)
            #expect(!client.stream.isWriting && client.stream.inFlightBytes == 0)
        }
    }
}

/// TLS over TLS, as through an HTTPS proxy.
@Suite struct TLSOnTLSTests {
    @Test("bytes pass through two layers in both directions, and both close cleanly", arguments: Transport.allCases)
    func exchange(transport: Transport) throws {
        try withNestedPair(transport) { loop, client, server in
            client.stream.startReading()
            server.stream.startReading()
            let bytes = pattern(3_000_000)
            client.send(bytes)
            server.send(bytes)
            loop.run(within: .seconds(30)) {
                client.recorder.received.count >= bytes.count && server.recorder.received.count >= bytes.count
            }
            expectTrue(areEqual(client.recorder.received, bytes))
            expectTrue(areEqual(server.recorder.received, bytes))
            #expect(client.peakInFlightBytes < 600 << 10)
            client.stream.shutdown()
            loop.run { server.recorder.hasEnded }
            server.close()
            loop.run { client.recorder.hasEnded }
            #expect(server.session.hasEnded && client.session.hasEnded)
        }
    }

    @Test("pauses lose no data in two layers")
    func pauses() throws {
        try withNestedPair(.socketPair) { loop, client, server in
            let bytes = pattern(1_000_000)
            server.recorder.didChange = { $0.stopReading() }
            client.send(bytes)
            loop.run(within: .seconds(30)) {
                server.stream.startReading()
                return server.recorder.received.count >= bytes.count
            }
            expectTrue(areEqual(server.recorder.received, bytes))
        }
    }

    @Test("a write failure in the lower layer leaves nothing queued in the upper one")
    func writeFails() throws {
        try withNestedPair(.socketPair) { loop, client, server in
            client.send(pattern(4 << 20))
            (server.below as? TLSStream)?.close()
            loop.run {
                client.writeWaiting()
                return client.recorder.writeError != nil
            }
            #expect(!client.stream.isWriting && client.waitingBytes == 0)
        }
    }

    private func withNestedPair(
        _ transport: Transport, _ body: (EventLoop, TLSEnd, TLSEnd) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let lower = try secure(near, far, TLSLayers(), on: loop)
            let (client, server) = try secure(lower.0.stream, lower.1.stream, TLSLayers(), on: loop)
            try body(loop, client, server)
            client.close()
            server.close()
            loop.runOnce()
            #expect(near.isClosed && far.isClosed)
        }
    }
}
