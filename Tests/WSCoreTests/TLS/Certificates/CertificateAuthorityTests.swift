import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct CertificateAuthorityTests {
    private static let now = WallTime.now.seconds
    private let source: TLSCertificateSource
    private let authority: CertificateAuthority
    private let server: TLSContext

    init() throws {
        source = try CertificateAuthority.generate(owner: "user@host", nowSeconds: Self.now)
        authority = try CertificateAuthority(source, files: ("ca.pem", "ca.key"), nowSeconds: Self.now)
        server = try TLSContext(authority: authority, keyLog: nil)
    }

    private func client() throws -> TLSContext {
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        return try TLSContext(client: settings)
    }

    /// Connects to the server of `host` as if it were `name`.
    private func connect(_ client: TLSContext, to host: String, name: String? = nil) throws -> TLSSummary {
        let session = TLSSession(client: client, name: TLSServerName(host: name ?? host), sessionKey: "key")
        let peer = try TLSSession(server: server, host: host, nowSeconds: Self.now)
        try session.start()
        while !session.output.isEmpty || !peer.output.isEmpty {
            try peer.receive(session.takeOutput())
            try session.receive(peer.takeOutput())
        }
        return try #require(session.summary)
    }

    private static let longName = Array(repeating: String(repeating: "a", count: 62), count: 4).joined(separator: ".")

    @Test("each host has a certificate that a client verifies with the authority alone")
    func verified() throws {
        let hosts = [
            "localhost", "Example.com", "example.com.", "xn--bcher-kva.example", "a_b.example", "10.0.0.7", "::1",
            "[fe80::1]", Self.longName + ".b",
        ]
        for host in hosts {
            let summary = try connect(try client(), to: host)
            let name = ASCII.lowercased(TLSServerName(host: host).verifiedText)
            expectEqual(summary.peerCertificate?.names, [name])
            expectEqual(summary.applicationProtocol, "http/1.1")
            let subject = name.utf8.count > 64 ? "O=wsx relay" : "CN=\(name), O=wsx relay"
            expectEqual(summary.peerCertificate?.subject, subject)
            expectEqual(summary.peerCertificate?.notBeforeSeconds, Self.now - 86400)
            expectEqual(summary.peerCertificate?.notAfterSeconds, Self.now + 90 * 86400)
        }
    }

    @Test("a certificate is not valid for another name")
    func wrongName() throws {
        for (host, name) in [("a.example", "b.example"), ("a.example", "x.a.example"), ("10.0.0.7", "10.0.0.8")] {
            let error = tlsError { () throws(TLSError) in
                do { _ = try connect(client(), to: host, name: name) } catch let error as TLSError { throw error } catch
                {
                    Issue.record(error)
                }
            }
            expectTrue(error?.identifier.hasPrefix("certificate-wrong-") == true)
        }
    }

    @Test("wildcards, NUL, and names that DNS does not allow get no certificate")
    func refused() {
        let names = [
            "", "*", "*.example", "a\0.example", "a..example", ".example", "a b", "ü.example", "a,dns:b", "a/b", "[a]",
            String(repeating: "a", count: 64) + ".example", Self.longName + ".bcd",
        ]
        for name in names {
            #expect(throws: TLSConfigurationError.invalidName(name)) {
                try authority.leaf(for: name, nowSeconds: Self.now)
            }
        }
    }

    @Test("a session is not resumed for another host, whose certificate it would lack")
    func resumption() throws {
        let client = try client()
        // The session's key and name are the same, as for a client that confuses its servers.
        try expectFalse(connect(client, to: "a.example").isResumed)
        try expectTrue(connect(client, to: "a.example").isResumed)
        try expectTrue(connect(client, to: "A.example", name: "a.example").isResumed)
        let error = tlsError { () throws(TLSError) in
            do { _ = try connect(client, to: "b.example", name: "a.example") } catch let error as TLSError {
                throw error
            } catch { Issue.record(error) }
        }
        expectEqual(error?.identifier, "certificate-wrong-host")
    }

    @Test("leaves are kept until one day before they end; at most 1,000 are")
    func kept() throws {
        let first = try authority.leaf(for: "first", nowSeconds: Self.now)
        let serial = { (leaf: OpaquePointer) in String(cString: i2s_ASN1_INTEGER(nil, X509_get0_serialNumber(leaf))) }
        let number = serial(first)
        func current(_ host: String, day: Int = 0) throws -> String {
            serial(try authority.leaf(for: host, nowSeconds: Self.now + day * 86400))
        }
        try expectEqual(current("FIRST."), number)
        try expectEqual(current("first", day: 88), number)
        try expectNotEqual(current("first", day: 89), number)
        let renewed = try current("first")
        for index in 1..<CertificateAuthority.maximumLeaves { _ = try current("host-\(index)") }
        try expectEqual(current("first"), renewed)
        _ = try current("last")
        try expectNotEqual(current("first"), renewed)
    }

    @Test("a leaf does not outlive its authority")
    func authorityEnds() throws {
        let end = Self.now + 5 * 365 * 86400
        let leaf = try authority.leaf(for: "a.example", nowSeconds: end - 3600)
        expectEqual(X509Text.seconds(X509_get0_notAfter(leaf)), end)
    }

    @Test("the authority's certificate is for its leaves only and tells its owner")
    func contents() throws {
        let certificates = try PEM.certificates(source.chain, option: "")
        certificates.withFirst { (certificate) -> Void in
            guard let certificate else {
                Issue.record("no certificate")
                return
            }
            let summary = TLSCertificateSummary(certificate)
            expectEqual(summary.subject, "CN=wsx relay (user@host), O=wsx relay")
            expectEqual(summary.notBeforeSeconds, Self.now - 86400)
            expectEqual(summary.notAfterSeconds, Self.now + 5 * 365 * 86400)
            expectEqual(X509_get_pathlen(certificate), 0)
            expectEqual(X509_get_key_usage(certificate), UInt32(KU_KEY_CERT_SIGN | KU_CRL_SIGN))
        }
        let long = try CertificateAuthority.generate(owner: String(repeating: "ü", count: 99), nowSeconds: Self.now)
        _ = try CertificateAuthority(long, files: ("", ""), nowSeconds: Self.now)
    }

    private func problem(_ certificate: TestCertificate, key: TestCertificate? = nil) -> TLSConfigurationError? {
        let source = TLSCertificateSource(chain: certificate.pem, key: (key ?? certificate).keyPEM())
        do throws(TLSConfigurationError) {
            _ = try CertificateAuthority(source, files: ("ca.pem", "ca.key"), nowSeconds: Self.now)
            return nil
        } catch {
            return error
        }
    }

    @Test("an authority that cannot issue certificates is an error")
    func problems() throws {
        let authority = try TestCertificate.authority("Root")
        expectEqual(problem(authority), nil)
        try expectEqual(problem(.authority("RSA", key: .rsa(bits: 2048))), nil)
        try expectEqual(problem(TestCertificate("leaf")), .notAnAuthority(file: "ca.pem"))
        let usage = [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,cRLSign")]
        try expectEqual(problem(TestCertificate("CRL", extensions: usage)), .notAnAuthority(file: "ca.pem"))
        try expectEqual(
            problem(authority, key: .authority("Other")),
            .keyDoesNotFit(certificateOption: "ca.pem", keyOption: "ca.key"))
        guard case .authorityExpired = try problem(.authority("old", days: -9 ..< -1)) else {
            Issue.record("an expired authority was accepted")
            return
        }
        guard case .authorityNotYetValid = try problem(.authority("new", days: 1..<9)) else {
            Issue.record("a future authority was accepted")
            return
        }
    }
}
