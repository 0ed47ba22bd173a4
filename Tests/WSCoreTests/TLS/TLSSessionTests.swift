import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct TLSSessionTests {
    private let source: TLSCertificateSource
    private let serverContext: TLSContext

    init() throws {
        source = try .selfSigned(names: ["a.example"], nowSeconds: WallTime.now.seconds)
        serverContext = try TLSContext(server: TLSServerSettings(certificate: source))
    }

    private func clientContext(_ change: (inout TLSClientSettings) -> Void = { _ in }) throws -> TLSContext {
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        change(&settings)
        return try TLSContext(client: settings)
    }

    private func makePair(version: Int32 = TLS1_3_VERSION, plaintextBytes: Int = 1 << 16) throws -> TLSPair {
        let client = try clientContext()
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        return TLSPair(client: client, server: serverContext, plaintextBytes: plaintextBytes)
    }

    @Test("the handshake completes in any pieces", arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [1, 2, 7, Int.max])
    func handshake(version: Int32, pieceBytes: Int) throws {
        let pair = try makePair(version: version)
        pair.pieceBytes = pieceBytes
        expectNil(pair.client.summary)
        try pair.handshake()
        try pair.client.encrypt(Array("to the server".utf8))
        try pair.server.encrypt(Array("to the client".utf8))
        try pair.settle()
        expectEqual(pair.serverReceived, Array("to the server".utf8))
        expectEqual(pair.clientReceived, Array("to the client".utf8))
        let summary = try #require(pair.client.summary)
        expectEqual(summary.version, (version == TLS1_3_VERSION ? "TLS 1.3" : "TLS 1.2"))
        #expect(summary.cipher.contains("AES") || summary.cipher.contains("CHACHA"))
        // Newer versions of OpenSSL prefer a group that combines X25519 with a post-quantum algorithm.
        #expect(summary.group?.lowercased().hasPrefix("x25519") ?? false)
        expectEqual(summary.applicationProtocol, "http/1.1")
        #expect(!summary.isResumed && summary.isVerified && !summary.clientCertificateWasRequested)
        let certificate = try #require(summary.peerCertificate)
        expectEqual(certificate.names, ["localhost", "a.example", "127.0.0.1", "::1"])
        try expectEqual(certificate.pin, source.pin())
        let pinText = try #require(certificate.pin).description
        try expectEqual(TLSPin(pinText), certificate.pin)
        expectNil(pair.server.summary?.peerCertificate)
    }

    @Test("a server's flight can be split anywhere")
    func splits() throws {
        let whole = try makePair()
        try whole.client.start()
        try whole.deliverToServer()
        let count = whole.server.output.count
        for point in stride(from: 1, to: count, by: 11) {
            let pair = try makePair()
            try pair.client.start()
            try pair.deliverToServer()
            let flight = pair.server.takeOutput()
            try pair.client.receive(Array(flight[..<min(point, flight.count)]))
            #expect(!pair.client.isEstablished || point >= flight.count)
            try pair.client.receive(Array(flight[min(point, flight.count)...]))
            expectTrue(pair.client.isEstablished)
        }
    }

    @Test(
        "a megabyte in each direction arrives intact with any size of the plaintext buffer",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [100, 16383, 16384, 16385, 1 << 16])
    func largeData(version: Int32, plaintextBytes: Int) throws {
        let pair = try makePair(version: version, plaintextBytes: plaintextBytes)
        try pair.handshake()
        var random = SeededRandom(seed: 1)
        let data = (0..<1 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try pair.client.encrypt(data)
        try pair.server.encrypt(data)
        pair.pieceBytes = 50_000
        try pair.settle()
        expectEqual(pair.serverReceived, data)
        expectEqual(pair.clientReceived, data)
    }

    @Test("the rest of a record is decrypted without further ciphertext, and no byte is consumed twice")
    func smallRoom() throws {
        let pair = try makePair()
        try pair.handshake()
        let data = Array(0..<UInt8(200))
        try pair.client.encrypt(data)
        try pair.client.encrypt(data)
        let records = pair.client.takeOutput()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { room.deallocate() }
        let first = try pair.server.decrypt(records.span.bytes, into: room)
        expectEqual(first.consumedBytes, records.count / 2 - 1)
        expectEqual(first.plaintextBytes, 64)
        // No more ciphertext arrives, but more plaintext is available.
        let nothing: [UInt8] = []
        let second = try pair.server.decrypt(nothing.span.bytes, into: room)
        #expect(second == (0, 64))
        var received = Array(data[..<128])
        var offset = first.consumedBytes
        while offset < records.count {
            let rest = Array(records[offset...])
            let result = try pair.server.decrypt(rest.span.bytes, into: room)
            received += room[..<result.plaintextBytes]
            offset += result.consumedBytes
        }
        expectEqual(received, data + data)
    }

    @Test("with an empty plaintext buffer, nothing is consumed or lost")
    func noRoom() throws {
        let pair = try makePair()
        try pair.handshake()
        try pair.client.encrypt([1, 2, 3])
        let record = pair.client.takeOutput()
        let result = try pair.server.decrypt(
            record.span.bytes, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        #expect(result == (0, 0))
        try pair.server.receive(record)
    }

    @Test(
        "RFC 8446 §6.1: either side can close while the other continues", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func halfClose(version: Int32) throws {
        let pair = try makePair(version: version)
        try pair.handshake()
        pair.client.close()
        pair.client.close()
        try pair.settle()
        #expect(pair.server.hasEnded && !pair.client.hasEnded)
        try pair.server.encrypt(Array("still here".utf8))
        try pair.settle()
        expectEqual(pair.clientReceived, Array("still here".utf8))
        let late = tlsError { () throws(TLSError) in try pair.client.encrypt([1]) }
        expectEqual(late?.identifier, "tls-failed")
        pair.server.close()
        try pair.settle()
        expectTrue(pair.client.hasEnded)
        try pair.client.receiveEnd()
        expectTrue(pair.client.hasEnded)
        // Data after close_notify is ignored.
        try pair.client.receive([1, 2, 3])
    }

    @Test("an end without close_notify is reported as a truncation")
    func truncation() throws {
        let pair = try makePair()
        try pair.handshake()
        try pair.client.receiveEnd()
        expectFalse(pair.client.hasEnded)
    }

    @Test("an end during the handshake is an error that tells whether the peer has answered")
    func endDuringHandshake() throws {
        let silent = try makePair()
        try silent.client.start()
        expectEqual(
            tlsError { () throws(TLSError) in try silent.client.receiveEnd() },
            .endedDuringHandshake(peerHasAnswered: false))
        let pair = try makePair()
        try pair.client.start()
        try pair.deliverToServer()
        try pair.client.receive(Array(pair.server.takeOutput().prefix(100)))
        expectEqual(
            tlsError { () throws(TLSError) in try pair.client.receiveEnd() },
            .endedDuringHandshake(peerHasAnswered: true))
    }

    @Test("RFC 5246 §7.4.1.1: renegotiation is refused, and the session continues")
    func renegotiation() throws {
        let pair = try makePair(version: TLS1_2_VERSION)
        // SSL_OP_NO_RENEGOTIATION, a macro that Swift does not import.
        SSL_CTX_clear_options(serverContext.handle, 1 << 30)
        let renegotiating = TLSPair(client: pair.client.context, server: serverContext)
        try renegotiating.handshake()
        try #require(renegotiating.server.renegotiate())
        try renegotiating.client.encrypt([1])
        let warning = tlsError { () throws(TLSError) in try renegotiating.settle() }
        // OpenSSL's server treats the refusal as an error. The client has not started another handshake.
        #expect(
            warning == .violation(reason: "no renegotiation")
                || warning == .alert(name: "no renegotiation", number: 100))
        #expect(renegotiating.client.isEstablished && renegotiating.client.hasRefusedRenegotiation)
        try renegotiating.client.encrypt([2])
        let alert = tlsError { () throws(TLSError) in try renegotiating.deliverToClient() }
        expectEqual(alert, .renegotiationRequired)
    }

    @Test("data before a failure is delivered before the error")
    func dataBeforeFailure() throws {
        let pair = try makePair()
        try pair.handshake()
        try pair.client.encrypt([1, 2, 3])
        let good = pair.client.takeOutput()
        try pair.client.encrypt([4, 5, 6])
        var bad = pair.client.takeOutput()
        bad[bad.count - 1] ^= 1
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { room.deallocate() }
        let both = good + bad
        let result = try pair.server.decrypt(both.span.bytes, into: room)
        expectEqual(Array(room[..<result.plaintextBytes]), [1, 2, 3])
        expectEqual(result.consumedBytes, both.count - 1)
        let error = tlsError { () throws(TLSError) in try pair.server.receive([bad[bad.count - 1]]) }
        expectEqual(error?.identifier, "tls-bad-record")
        // The alert is in the output, and the error persists.
        #expect(pair.server.waitingBytes > 0)
        expectEqual(tlsError { () throws(TLSError) in try pair.server.encrypt([1]) }, error)
        let alert = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(alert, .alert(name: "bad record mac", number: 20))
    }

    @Test(
        "a peer that does not speak TLS is detected by its first bytes",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n", "\u{16}no", "\0"])
    func notTLS(text: String) throws {
        for pieceBytes in [1, 100] {
            let pair = try makePair()
            try pair.client.start()
            _ = pair.client.takeOutput()
            let bytes = Array(text.utf8)
            let error = tlsError { () throws(TLSError) in
                try pair.client.receive(Array(bytes.prefix(pieceBytes)))
                try pair.client.receive(Array(bytes.dropFirst(pieceBytes)))
            }
            expectEqual(error?.identifier, "not-tls")
            expectEqual(error?.description.contains("use ws://"), true)
            expectEqual(pair.client.waitingBytes, 0)
        }
    }

    @Test("a client that speaks plain HTTP is detected")
    func plainClient() throws {
        let server = TLSSession(server: serverContext)
        let error = tlsError { () throws(TLSError) in try server.receive(Array("GET / HTTP/1.1\r\n".utf8)) }
        expectEqual(error, .notTLS(preview: Array("GET / HTTP/1.1\r\n".utf8), peerIsServer: false))
    }

    @Test(
        "an invalid server name fails before anything is sent",
        arguments: ["", ".", "a\0b", String(repeating: "a", count: 300)])
    func invalidName(name: String) throws {
        let session = TLSSession(client: try clientContext(), name: .name(name), sessionKey: "")
        expectEqual(tlsError { () throws(TLSError) in try session.start() }?.identifier, "tls-invalid-server-name")
        expectEqual(session.waitingBytes, 0)
    }

    @Test("SNI contains names without a trailing dot, and no addresses")
    func serverNames() throws {
        for (name, sent) in [
            (TLSServerName.name("a.example."), "a.example"), (.name("localhost"), "localhost"),
            (.address("127.0.0.1"), nil),
            (TLSServerName(host: "[::1]"), nil),
        ] {
            let pair = TLSPair(client: try clientContext(), server: serverContext, name: name)
            try pair.handshake()
            expectEqual(pair.server.requestedServerName, sent)
        }
    }

    @Test("a server may ignore ALPN, but a client that offers only other protocols is rejected")
    func applicationProtocols() throws {
        let silent = TLSPair(client: try clientContext(), server: serverContext, version: nil)
        try silent.handshake()
        expectNil(silent.client.summary?.applicationProtocol)
        let context = try clientContext()
        let offer: [UInt8] = [2] + "h2".utf8
        SSL_CTX_set_alpn_protos(context.handle, offer, UInt32(offer.count))
        let other = TLSPair(client: context, server: serverContext, version: nil)
        expectEqual(
            tlsError { () throws(TLSError) in try other.handshake() },
            .noApplicationProtocol(.http1, peerIsServer: false))
        expectEqual(
            tlsError { () throws(TLSError) in try other.deliverToClient() },
            .noApplicationProtocol(.http1, peerIsServer: true))
    }

    @Test("a server that does not select h2 is not taken for one that speaks HTTP/2")
    func http2() throws {
        let pair = TLSPair(client: try clientContext(), server: serverContext, version: .http2)
        expectEqual(
            tlsError { () throws(TLSError) in try pair.handshake() },
            .noApplicationProtocol(.http1, peerIsServer: false))
        expectEqual(
            tlsError { () throws(TLSError) in try pair.deliverToClient() },
            .noApplicationProtocol(.http2, peerIsServer: true))
        // RFC 7301 §3.1: a server that does not know ALPN.
        let context = serverContext
        SSL_CTX_set_alpn_select_cb(context.handle, { _, _, _, _, _, _ in SSL_TLSEXT_ERR_NOACK }, nil)
        let silent = TLSPair(client: try clientContext(), server: context, version: .http2)
        expectEqual(
            tlsError { () throws(TLSError) in try silent.handshake() },
            .noApplicationProtocol(.http2, peerIsServer: true))
    }

    @Test("a server with only older versions is detected", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldServer(version: Int32) throws {
        let leaf = try TestCertificate("old", hosts: ["localhost"], key: .rsa(bits: 2048))
        let server = try TLSContext.server(showing: [leaf], versions: version...version)
        let pair = TLSPair(client: try clientContext(), server: server)
        _ = tlsError { () throws(TLSError) in try pair.handshake() }
        let error = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(error, .unsupportedVersion(minimum: .tls12, peerIsServer: true))
    }

    @Test("a ServerHello of an older version is detected")
    func oldServerHello() throws {
        let pair = try makePair()
        try pair.client.start()
        // RFC 4346 §7.4.1.3: version 3.2, 32 random bytes, no session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
        let hello: [UInt8] = [2, 0, 0, 38, 3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0, 0x2F, 0]
        let error = tlsError { () throws(TLSError) in try pair.client.receive([22, 3, 2, 0, 42] + hello) }
        expectEqual(error, .unsupportedVersion(minimum: .tls12, peerIsServer: true))
    }

    @Test("a minimum of TLS 1.3 rejects TLS 1.2")
    func minimumVersion() throws {
        let leaf = try TestCertificate("old", hosts: ["localhost"])
        let server = try TLSContext.server(showing: [leaf], versions: TLS1_2_VERSION...TLS1_2_VERSION)
        let pair = TLSPair(client: try clientContext { $0.minimumVersion = .tls13 }, server: server)
        _ = tlsError { () throws(TLSError) in try pair.handshake() }
        let error = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(error, .unsupportedVersion(minimum: .tls13, peerIsServer: true))
        expectEqual(error?.description.contains("--tls-min 1.2"), true)
    }

    @Test("both sides report that they share no cipher")
    func noSharedCipher() throws {
        let context = try clientContext()
        wsx_ssl_ctx_set_versions(context.handle, TLS1_2_VERSION, TLS1_2_VERSION)
        SSL_CTX_set_cipher_list(context.handle, "ECDHE-RSA-AES128-GCM-SHA256")
        let pair = TLSPair(client: context, server: serverContext)
        expectEqual(tlsError { () throws(TLSError) in try pair.handshake() }, .nothingInCommon(alert: nil))
        expectEqual(
            tlsError { () throws(TLSError) in try pair.deliverToClient() }, .nothingInCommon(alert: "handshake failure")
        )
    }

    @Test(
        "alerts map to their errors",
        arguments: [
            (112, "tls-unrecognized-name"), (80, "tls-alert"), (71, "tls-nothing-in-common"), (0, "tls-alert"),
        ])
    func alerts(number: UInt8, identifier: String) throws {
        let pair = try makePair()
        try pair.client.start()
        let error = tlsError { () throws(TLSError) in try pair.client.receive([21, 3, 3, 0, 2, 2, number]) }
        expectEqual(error?.identifier, identifier)
        if number == 0 { expectEqual(error, .alert(name: "close notify", number: 0)) }
        if number == 80 { expectEqual(error, .alert(name: "internal error", number: 80)) }
    }

    @Test("SSLKEYLOGFILE lines are passed to the callback")
    func keyLog() throws {
        let lines = LineCollector()
        let pair = TLSPair(client: try clientContext { $0.keyLog = { lines.append($0) } }, server: serverContext)
        try pair.handshake()
        #expect(lines.all.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") })
    }
}

/// Collects lines from a callback that may run on any thread, but runs on this one.
private final class LineCollector: @unchecked Sendable {
    private(set) var all: [String] = []

    func append(_ line: String) { all.append(line) }
}
