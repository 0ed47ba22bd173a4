import COpenSSL
import TestSupport
import Testing

@testable import WSCore

/// Reading and writing over TLS streams.
@Suite struct TLSStreamTests {
    @Test("bytes arrive unchanged in both directions", arguments: Transport.allCases)
    func exchange(transport: Transport) throws {
        try withTLSPair(transport) { loop, client, server in
            client.stream.startReading()
            server.stream.startReading()
            var expected: [UInt8] = []
            // Sizes around that of a record and of an encrypted piece.
            for count in [1, 2, 100, 16_383, 16_384, 16_385, 65_536, 262_143, 262_144, 262_145, 5_000_000] {
                let bytes = pattern(count)
                expected += bytes
                client.send(bytes)
                server.send(bytes)
            }
            loop.run(within: .seconds(30)) {
                client.recorder.received.count >= expected.count && server.recorder.received.count >= expected.count
            }
            expectTrue(areEqual(client.recorder.received, expected))
            expectTrue(areEqual(server.recorder.received, expected))
            #expect(client.completionCount == 1 && server.completionCount == 1)
        }
    }

    @Test("shared bytes arrive intact and are encrypted piece by piece")
    func shared() throws {
        try withTLSPair { loop, client, server in
            let bytes = pattern(5_000_000)
            let shared = SharedBytes(buffer(of: bytes))
            var offset = try client.stream.write(shared, from: 0)
            #expect(offset > 0 && offset < bytes.count)
            #expect(client.stream.inFlightBytes < 300 << 10)
            client.recorder.didChange = { stream in
                offset += (try? stream.write(shared, from: offset)) ?? 0
            }
            server.stream.startReading()
            loop.run { server.recorder.received.count >= bytes.count }
            expectTrue(areEqual(server.recorder.received, bytes))
        }
    }

    @Test("single bytes in separate records arrive in order")
    func singleBytes() throws {
        try withTLSPair { loop, client, server in
            server.stream.startReading()
            let bytes = pattern(3000)
            for byte in bytes { client.send([byte]) }
            loop.run { server.recorder.received.count >= bytes.count }
            expectEqual(server.recorder.received, bytes)
        }
    }

    @Test("64 MiB arrive intact through 4 KiB socket buffers, with a bounded queue")
    func smallBuffers() throws {
        try withSmallBuffers { loop, client, server in
            let bytes = pattern(64 << 20)
            client.send(bytes)
            server.stream.startReading()
            loop.run(within: .seconds(60)) { server.recorder.received.count >= bytes.count }
            expectTrue(areEqual(server.recorder.received, bytes))
            #expect(client.peakInFlightBytes < 300 << 10)
        }
    }

    @Test("while the peer does not read, the rest stays with its owner, and draining signals room")
    func slowReader() throws {
        try withTLSPair { loop, client, server in
            let drainCount = client.recorder.drainCount
            client.send(pattern(8 << 20))
            loop.settle()
            expectTrue(client.stream.isWriting)
            expectEqual(client.recorder.drainCount, drainCount)
            #expect(client.waitingBytes > 6 << 20)
            #expect(client.stream.inFlightBytes <= 300 << 10)
            #expect((1...client.stream.inFlightBytes).contains(client.stream.unsentBytes))
            let waitingBytes = client.waitingBytes
            client.writeWaiting()
            expectEqual(client.waitingBytes, waitingBytes)

            var wasWriting = false
            client.recorder.didChange = { stream in
                if stream.isWriting { wasWriting = true }
                client.writeWaiting()
            }
            server.stream.startReading()
            loop.run { server.recorder.received.count >= 8 << 20 }
            loop.run { !client.stream.isWriting }
            expectFalse(wasWriting)
            #expect(client.recorder.drainCount > drainCount + 10)
            expectTrue(areEqual(server.recorder.received, pattern(8 << 20)))
            #expect(client.stream.inFlightBytes == 0 && client.stream.unsentBytes == 0)
        }
    }

    @Test("unsentBytes falls while the peer reads, and inFlightBytes when everything was taken")
    func unsentBytes() throws {
        try withSmallBuffers { loop, client, server in
            client.send(pattern(1 << 20))
            let inFlightBytes = client.stream.inFlightBytes
            let unsentBytes = client.stream.unsentBytes
            try #require(client.stream.isWriting && unsentBytes > 200 << 10)
            server.recorder.didChange = { $0.stopReading() }
            loop.run {
                server.stream.startReading()
                return client.stream.unsentBytes < unsentBytes / 2
            }
            #expect(client.stream.unsentBytes > 0)
            expectEqual(client.stream.inFlightBytes, inFlightBytes)
        }
    }

    @Test("data written before the handshake completes stays with its owner and is sent afterwards")
    func earlyWrite() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let layers = try TLSLayers()
            let client = layers.makeClient(on: near)
            let server = layers.makeServer(on: far)
            client.send(Array("early".utf8))
            client.stream.start()
            client.writeWaiting()
            expectEqual(client.waitingBytes, 5)
            server.send(Array("early too".utf8))
            server.stream.start()
            client.stream.startReading()
            server.stream.startReading()
            loop.run { server.recorder.received.count == 5 && client.recorder.received.count == 9 }
            expectEqual(server.recorder.received, Array("early".utf8))
            expectEqual(client.recorder.received, Array("early too".utf8))
            client.close()
            server.close()
            loop.runOnce()
        }
    }

    @Test("data written in the middle of a message of TLS stays with its owner and is sent after it")
    func writeInMessage() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let layers = try TLSLayers(server: { $0.clientTrust = .certificates($0.certificate.chain) })
            SSL_CTX_set_verify(layers.server.context.handle, SSL_VERIFY_NONE, nil)
            let (client, server) = try secure(near, far, layers, on: loop)
            // Enough names of authorities for several records.
            for index in 0..<300 {
                let name = "Authority \(index) " + String(repeating: "x", count: 40)
                let authority = try TestCertificate.authority(name)
                withExtendedLifetime(authority) { _ = SSL_add_client_CA(server.session.handle, authority.handle) }
            }
            client.stream.startReading()
            server.stream.startReading()
            try #require(server.session.requestCertificate(isRequired: false))
            let request = server.session.takeOutput()
            try #require(request.count > 17_000, "\(request.count)")
            var start = buffer(of: Array(request[..<17_000]))
            try far.write(&start)
            loop.run { client.session.isInMessage }
            client.send([1, 2, 3])
            #expect(client.waitingBytes == 3 && client.stream.isWriting)
            var rest = buffer(of: Array(request[17_000...]))
            try far.write(&rest)
            loop.run { server.recorder.received == [1, 2, 3] }
            #expect(client.waitingBytes == 0 && client.session.lacksCertificate)
            client.close()
            server.close()
            loop.runOnce()
        }
    }

    @Test("reading stopped in the middle of received data resumes there in order")
    func stopReading() throws {
        try withTLSPair { loop, client, server in
            let bytes = pattern(3_000_000)
            var pauseCount = 0
            server.recorder.didChange = { stream in
                stream.stopReading()
                pauseCount += 1
            }
            client.send(bytes)
            var receivedBytes = -1
            server.stream.startReading()
            loop.run(within: .seconds(30)) {
                // No data may arrive while reading is stopped.
                if server.recorder.received.count == receivedBytes || receivedBytes < 0 { server.stream.startReading() }
                receivedBytes = server.recorder.received.count
                return receivedBytes >= bytes.count
            }
            expectTrue(areEqual(server.recorder.received, bytes))
            #expect(pauseCount >= bytes.count / (64 << 10))
        }
    }

    @Test("a delegate that closes the stream in a callback receives no more calls, and everything is released")
    func closeWhileReading() throws {
        weak var stream: TLSStream?
        weak var recorder: StreamRecorder?
        try withTLSPair { loop, client, server in
            stream = server.stream
            recorder = server.recorder
            var callCount = 0
            server.recorder.didChange = { stream in
                callCount += 1
                stream.close()
            }
            client.stream.startReading()
            client.send(pattern(500_000))
            server.stream.startReading()
            loop.run { client.recorder.lastWordCount > 0 || client.recorder.writeError != nil }
            expectEqual(callCount, 1)
            #expect(server.stream.isClosed && server.below.isClosed)
            #expect(server.stream.inFlightBytes == 0 && server.stream.unsentBytes == 0 && !server.stream.isWriting)
            // Further calls have no effect.
            server.stream.startReading()
            server.stream.stopReading()
            server.stream.shutdown()
            server.stream.close()
            server.writeWaiting()
        }
        expectNil(stream)
        expectNil(recorder)
    }

    /// Creates two TLS streams over sockets with 4 KiB buffers.
    private func withSmallBuffers(_ body: (EventLoop, TLSEnd, TLSEnd) throws -> Void) throws {
        try withLoop { loop in
            let (near, far) = try makeSocketPair()
            for socket in [near, far] { setBuffers(of: socket, toBytes: 4096) }
            let (client, server) = try secure(
                SystemStream.open(descriptor: near, on: loop), SystemStream.open(descriptor: far, on: loop),
                TLSLayers(), on: loop)
            try body(loop, client, server)
            client.close()
            server.close()
            loop.runOnce()
        }
    }
}
