import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct TLSClientCertificateTests {
    private let root: TestCertificate
    private let serverLeaf: TestCertificate
    private let clientLeaf: TestCertificate

    init() throws {
        root = try .authority("Root")
        serverLeaf = try TestCertificate("server", issuer: root, hosts: ["localhost"])
        clientLeaf = try TestCertificate("client", issuer: root)
    }

    private func pair(
        certificate: TestCertificate?, version: Int32, trusting authority: TestCertificate? = nil
    ) throws -> TLSPair {
        var settings = TLSClientSettings()
        settings.trust = .certificates(root.pem)
        settings.certificate = certificate.map { TLSCertificateSource(chain: $0.pem, key: $0.keyPEM()) }
        let server = try TLSContext.server(
            showing: [serverLeaf], clientTrust: .certificates((authority ?? root).pem), versions: version...version)
        return TLSPair(client: try TLSContext(client: settings), server: server)
    }

    @Test("a client's certificate is sent and verified", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func accepted(version: Int32) throws {
        let pair = try pair(certificate: clientLeaf, version: version)
        try pair.handshake()
        expectEqual(pair.server.summary?.peerCertificate?.subject, "CN=client")
        expectEqual(pair.server.summary?.isVerified, true)
        expectEqual(pair.client.summary?.clientCertificateWasRequested, true)
    }

    @Test("a client without a certificate learns that one is required", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func required(version: Int32) throws {
        let pair = try pair(certificate: nil, version: version)
        expectEqual(tlsError { () throws(TLSError) in try pair.handshake() }, .clientSentNoCertificate)
        // TLS 1.3: the alert arrives after the client has completed its handshake.
        expectEqual(pair.client.isEstablished, (version == TLS1_3_VERSION))
        let error = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(error, .clientCertificateRequired)
        expectEqual(error?.description.contains("--cert and --key"), true)
    }

    @Test("a client learns that its certificate was rejected", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func rejected(version: Int32) throws {
        let pair = try pair(certificate: clientLeaf, version: version, trusting: try .authority("Other"))
        let error = tlsError { () throws(TLSError) in try pair.handshake() }
        expectEqual(error, .clientCertificate(.missingIssuer(subject: "CN=client", issuer: "CN=Root")))
        let told = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(told, .clientCertificateRejected(alert: "unknown CA"))
    }

    /// A pair after a handshake in which the server did not request a certificate.
    private func openPair(
        certificate: TestCertificate?, trusting authority: TestCertificate? = nil, authorityCount: Int = 0
    ) throws -> TLSPair {
        let pair = try pair(certificate: certificate, version: TLS1_3_VERSION, trusting: authority)
        for index in 0..<authorityCount {
            let authority = try TestCertificate.authority("Authority \(index) " + String(repeating: "x", count: 40))
            SSL_add_client_CA(pair.server.handle, authority.handle)
        }
        SSL_set_verify(pair.server.handle, SSL_VERIFY_NONE, nil)
        try pair.handshake()
        try #require(!pair.client.lacksCertificate && pair.server.summary?.peerCertificate == nil)
        return pair
    }

    @Test("RFC 8446 §4.6.2: a client's certificate is sent whenever the server requests it", arguments: [1, Int.max])
    func postHandshake(pieceBytes: Int) throws {
        let pair = try openPair(certificate: clientLeaf)
        pair.pieceBytes = pieceBytes
        for count in 1...2 {
            try #require(pair.server.requestCertificate())
            try pair.server.encrypt([1])
            try pair.client.encrypt([2])
            try pair.settle()
            expectEqual(pair.server.summary?.peerCertificate?.subject, "CN=client")
            expectEqual(pair.clientReceived, Array(repeating: 1, count: count))
            expectEqual(pair.serverReceived, Array(repeating: 2, count: count))
        }
        expectEqual(pair.client.summary?.clientCertificateWasRequested, true)
    }

    @Test("a client without a certificate answers a request after the handshake, too", arguments: [true, false])
    func postHandshakeWithout(isRequired: Bool) throws {
        let pair = try openPair(certificate: nil)
        try #require(pair.server.requestCertificate(isRequired: isRequired))
        let error = tlsError { () throws(TLSError) in try pair.settle() }
        expectEqual(error, (isRequired ? .clientSentNoCertificate : nil))
        expectTrue(pair.client.lacksCertificate)
        let told = tlsError { () throws(TLSError) in try pair.settle() }
        expectEqual(told, (isRequired ? .clientCertificateRequired : nil))
    }

    @Test("a client learns that its certificate was rejected after the handshake")
    func rejectedPostHandshake() throws {
        let pair = try openPair(certificate: clientLeaf, trusting: try .authority("Other"))
        try #require(pair.server.requestCertificate())
        _ = tlsError { () throws(TLSError) in try pair.settle() }
        let told = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        expectEqual(told, .clientCertificateRejected(alert: "unknown CA"))
    }

    @Test("a request that arrives in parts delays what is sent, and fails nothing")
    func requestInParts() throws {
        let pair = try openPair(certificate: clientLeaf, authorityCount: 300)
        try #require(pair.server.requestCertificate())
        let request = pair.server.takeOutput()
        // RFC 8446 §5.1: more than one record.
        try #require(request.count > 1 << 14)
        try pair.client.receive(Array(request[..<17_000]))
        #expect(pair.client.isInMessage && pair.client.isEstablished && pair.client.waitingBytes == 0)
        try pair.client.receive(Array(request[17_000...]))
        expectFalse(pair.client.isInMessage)
        try pair.client.encrypt([1])
        try pair.settle()
        #expect(pair.server.summary?.peerCertificate?.subject == "CN=client" && pair.serverReceived == [1])
    }

    @Test("RFC 8446 §4.6.3: keys are updated while both sides send", arguments: [1, Int.max])
    func keyUpdates(pieceBytes: Int) throws {
        let pair = try openPair(certificate: clientLeaf)
        pair.pieceBytes = pieceBytes
        for _ in 1...3 {
            try #require(pair.server.updateKeys())
            try pair.server.encrypt([1])
            try pair.client.encrypt([2])
            try pair.settle()
        }
        #expect(pair.clientReceived == [1, 1, 1] && pair.serverReceived == [2, 2, 2])
    }

    @Test("a client's certificate for servers only is rejected")
    func purpose() throws {
        let leaf = try TestCertificate("client", issuer: root, extensions: [(NID_ext_key_usage, "serverAuth")])
        let pair = try pair(certificate: leaf, version: TLS1_3_VERSION)
        let error = tlsError { () throws(TLSError) in try pair.handshake() }
        expectEqual(error?.identifier, "client-certificate-wrong-purpose")
    }

    @Test("a server learns that a client does not trust it")
    func distrust() throws {
        let stranger = try TLSContext(
            client: {
                var settings = TLSClientSettings()
                settings.trust = .certificates(clientLeaf.pem)
                return settings
            }())
        let pair = TLSPair(client: stranger, server: try .server(showing: [serverLeaf]))
        _ = tlsError { () throws(TLSError) in try pair.handshake() }
        let error = tlsError { () throws(TLSError) in try pair.deliverToServer() }
        expectEqual(error, .ownCertificateRejected(alert: "unknown CA"))
    }
}
