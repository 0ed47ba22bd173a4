import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct TLSResumptionTests {
    private let source: TLSCertificateSource
    private let server: TLSContext
    private let client: TLSContext

    init() throws {
        source = try .selfSigned(names: [], nowSeconds: WallTime.now.seconds)
        server = try TLSContext(server: TLSServerSettings(certificate: source))
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        client = try TLSContext(client: settings)
    }

    /// Connects once and returns whether the session was resumed.
    private func connect(
        _ client: TLSContext? = nil, name: TLSServerName = .name("localhost"), key: String = "localhost:443",
        closes: Bool = true
    ) throws -> Bool {
        let session = TLSSession(client: client ?? self.client, name: name, sessionKey: key)
        let peer = TLSSession(server: server)
        try session.start()
        while !session.output.isEmpty || !peer.output.isEmpty {
            try peer.receive(session.takeOutput())
            try session.receive(peer.takeOutput())
        }
        let summary = try #require(session.summary)
        try expectEqual(summary.peerCertificate?.pin, source.pin())
        if closes { session.close() }
        return summary.isResumed
    }

    @Test("a session is resumed only with the same server", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func sameServer(version: Int32) throws {
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        try expectFalse(connect())
        try expectTrue(connect())
        try expectTrue(connect())
        try expectFalse(connect(key: "localhost:444"))
        try expectFalse(connect(name: .address("127.0.0.1")))
    }

    @Test("a session is resumed after a lost connection, too", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func lostConnection(version: Int32) throws {
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        try expectFalse(connect(closes: false))
        try expectTrue(connect(closes: false))
        try expectTrue(connect(closes: false))
    }

    @Test("RFC 8446 §C.4: a TLS 1.3 ticket is used once")
    func singleUse() throws {
        try expectFalse(connect())
        let sessions = (0..<3).map { _ in
            TLSSession(client: client, name: .name("localhost"), sessionKey: "localhost:443")
        }
        // The server has sent two tickets.
        expectEqual(sessions.map { SSL_get_session($0.handle) != nil }, [true, true, false])
    }

    @Test("after a failure, no session is resumed")
    func afterFailure() throws {
        try expectFalse(connect())
        let failing = TLSSession(client: client, name: .name("localhost"), sessionKey: "localhost:443")
        try failing.start()
        let error = tlsError { () throws(TLSError) in try failing.receive([21, 3, 3, 0, 2, 2, 40]) }
        expectNotNil(error)
        try expectFalse(connect())
    }

    @Test("the number of stored sessions is bounded")
    func bounds() throws {
        try expectFalse(connect())
        for index in 0..<300 {
            let session = try #require(SSL_SESSION_new())
            client.resumption.keep(session, for: "other \(index)")
        }
        expectEqual(client.resumption.serverCount, 256)
    }

    @Test("without resumption, every handshake is a full one", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func fullHandshakes(version: Int32) throws {
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        settings.resumesSessions = false
        let client = try TLSContext(client: settings)
        wsx_ssl_ctx_set_versions(client.handle, version, version)
        for _ in 0..<3 { try expectFalse(connect(client)) }
        expectEqual(client.resumption.serverCount, 0)
    }
}
