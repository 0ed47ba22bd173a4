import COpenSSL
import TestSupport
import Testing

@testable import WSCore

/// Modified ciphertext is rejected or ignored, and never accepted as something else.
struct TLSMutationTests {
    private let client: TLSContext
    private let server: TLSContext

    init() throws {
        let source = try TLSCertificateSource.selfSigned(names: [], nowSeconds: WallTime.now.seconds)
        server = try TLSContext(server: TLSServerSettings(certificate: source))
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        client = try TLSContext(client: settings)
    }

    @Test("a modified byte in a server's flight is harmless", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func serverFlight(version: Int32) throws {
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        var refusedCount = 0
        var count = 0
        for offset in stride(from: 0, to: 1000, by: 3) {
            let pair = TLSPair(client: client, server: server)
            try pair.client.start()
            try pair.deliverToServer()
            var flight = pair.server.takeOutput()
            guard offset < flight.count else { break }
            flight[offset] ^= 0x21
            count += 1
            let error = tlsError { () throws(TLSError) in try pair.client.receive(flight) }
            if error != nil { refusedCount += 1 }
            // It fails, or waits for more, or TLS ignores the byte, such as a record's minor version.
            #expect(error == nil || !pair.client.isEstablished)
            expectNotEqual(error?.description.contains { $0.isNewline }, true)
        }
        #expect(count > 50)
        #expect(refusedCount > count * 3 / 4)
    }

    @Test("a modified byte in a client's flight is harmless", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func clientFlight(version: Int32) throws {
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        for offset in stride(from: 0, to: 300, by: 3) {
            let pair = TLSPair(client: client, server: server)
            try pair.client.start()
            var flight = pair.client.takeOutput()
            guard offset < flight.count else { break }
            flight[offset] ^= 0x42
            let error = tlsError { () throws(TLSError) in
                try pair.server.receive(flight)
                try pair.settle()
            }
            // The Finished hash covers all handshake messages.
            #expect(error != nil || !pair.server.isEstablished || offset < 5)
        }
    }

    @Test("a modified record yields no plaintext", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func records(version: Int32) throws {
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        let data = Array("what was said".utf8)
        for offset in 5..<5 + data.count + 16 {
            let pair = TLSPair(client: client, server: server)
            try pair.handshake()
            try pair.client.encrypt(data)
            var record = pair.client.takeOutput()
            record[offset] ^= 1
            let error = tlsError { () throws(TLSError) in try pair.server.receive(record) }
            expectEqual(error?.identifier, "tls-bad-record")
        }
    }

    @Test("random bytes are harmless before and after the handshake")
    func randomBytes() throws {
        var random = SeededRandom(seed: 5)
        for round in 0..<200 {
            let pair = TLSPair(client: client, server: server)
            if round % 2 == 0 { try pair.handshake() } else { try pair.client.start() }
            // With a valid record header, so more of the input is processed.
            let kind = UInt8(20 + random.next() % 4)
            var bytes = (0..<Int(random.next() % 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes = [kind, 3, 3, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
            let error = tlsError { () throws(TLSError) in try pair.client.receive(bytes) }
            #expect(error == nil || !error.debugDescription.isEmpty)
            expectEqual(error, tlsError { () throws(TLSError) in try pair.client.receive([]) })
        }
    }
}
