import COpenSSL
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
        #expect(pair.server.summary?.peerCertificate?.subject == "CN=client")
        #expect(pair.server.summary?.isVerified == true)
        #expect(pair.client.summary?.clientCertificateWasRequested == true)
    }

    @Test("a client without a certificate learns that one is required", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func required(version: Int32) throws {
        let pair = try pair(certificate: nil, version: version)
        #expect(tlsError { () throws(TLSError) in try pair.handshake() } == .clientSentNoCertificate)
        // TLS 1.3: the alert arrives after the client has completed its handshake.
        #expect(pair.client.isEstablished == (version == TLS1_3_VERSION))
        let error = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        #expect(error == .clientCertificateRequired)
        #expect(error?.description.contains("--cert and --key") == true)
    }

    @Test("a client learns that its certificate was rejected", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func rejected(version: Int32) throws {
        let pair = try pair(certificate: clientLeaf, version: version, trusting: try .authority("Other"))
        let error = tlsError { () throws(TLSError) in try pair.handshake() }
        #expect(
            error == .clientCertificate(.missingIssuer(subject: "CN=client", issuer: "CN=Root")))
        let told = tlsError { () throws(TLSError) in try pair.deliverToClient() }
        #expect(told == .clientCertificateRejected(alert: "unknown CA"))
    }

    @Test("a client's certificate for servers only is rejected")
    func purpose() throws {
        let leaf = try TestCertificate("client", issuer: root, extensions: [(NID_ext_key_usage, "serverAuth")])
        let pair = try pair(certificate: leaf, version: TLS1_3_VERSION)
        let error = tlsError { () throws(TLSError) in try pair.handshake() }
        #expect(error?.identifier == "client-certificate-wrong-purpose")
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
        #expect(error == .ownCertificateRejected(alert: "unknown CA"))
    }
}
