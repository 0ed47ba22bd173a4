import COpenSSL
import TestSupport
import Testing

@testable import WSCore

/// Tests every problem of a certificate, between two sessions.
struct TLSCertificateProblemTests {
    private let root: TestCertificate
    private let intermediate: TestCertificate
    private let good: TestCertificate

    init() throws {
        root = try .authority("Root")
        intermediate = try .authority("Intermediate", issuer: root)
        good = try TestCertificate("good", issuer: intermediate, hosts: ["localhost"])
    }

    /// The error of a client that trusts `trusted`, by default the root, for a server's chain.
    private func error(
        of chain: [TestCertificate], name: TLSServerName = .name("localhost"), trusting trusted: TestCertificate? = nil,
        change: (inout TLSClientSettings) -> Void = { _ in }
    ) throws -> TLSError? {
        var settings = TLSClientSettings()
        settings.trust = .certificates((trusted ?? root).pem)
        change(&settings)
        let pair = TLSPair(
            client: try TLSContext(client: settings), server: try .server(showing: chain), name: name)
        let error = tlsError { () throws(TLSError) in try pair.handshake() }
        expectEqual(pair.client.isEstablished, (error == nil))
        if let error {
            // The output contains the alert for the server.
            #expect(pair.client.waitingBytes > 0)
            expectFalse(error.description.contains { $0.isNewline })
            expectNotNil(tlsError { () throws(TLSError) in try pair.deliverToServer() })
        }
        return error
    }

    private func problem(
        of chain: [TestCertificate], name: TLSServerName = .name("localhost"), trusting trusted: TestCertificate? = nil
    ) throws -> TLSCertificateProblem? {
        guard case .certificate(let problem) = try error(of: chain, name: name, trusting: trusted) else { return nil }
        return problem
    }

    @Test("a valid chain is accepted with or without its root, with extra and duplicate certificates")
    func goodChains() throws {
        let other = try TestCertificate.authority("Other")
        for chain in [
            [good, intermediate], [good, intermediate, root], [good, intermediate, other], [good, good, intermediate],
            [good, intermediate, good, root], [good, intermediate, intermediate, root, other],
        ] {
            try expectNil(error(of: chain))
        }
        // A trusted intermediate or server certificate is sufficient.
        try expectNil(error(of: [good], trusting: intermediate))
        try expectNil(error(of: [good], trusting: good))
    }

    @Test("an expired certificate is rejected with its expiry time")
    func expired() throws {
        let leaf = try TestCertificate("old", issuer: intermediate, hosts: ["localhost"], days: -30 ..< -2)
        let end = X509Text.time(X509_get0_notAfter(leaf.handle))
        try expectEqual(problem(of: [leaf, intermediate]), .expired(subject: "CN=old", depth: 0, at: end))
        let description = try #require(try error(of: [leaf, intermediate])).description
        #expect(description.hasPrefix("the server's certificate expired on \(end); renew it"))
    }

    @Test("an expired intermediate certificate is named")
    func expiredIntermediate() throws {
        let old = try TestCertificate.authority("Old", issuer: root, days: -30 ..< -2)
        let leaf = try TestCertificate("leaf", issuer: old, hosts: ["localhost"])
        let error = try #require(try error(of: [leaf, old]))
        expectEqual(error.identifier, "certificate-expired")
        #expect(error.description.contains("has an issuer, CN=Old, that expired on "))
    }

    @Test("a certificate that is not valid yet is rejected with its start time")
    func notYetValid() throws {
        let leaf = try TestCertificate("new", issuer: intermediate, hosts: ["localhost"], days: 2..<30)
        let start = X509Text.time(X509_get0_notBefore(leaf.handle))
        try expectEqual(problem(of: [leaf, intermediate]), .notYetValid(subject: "CN=new", depth: 0, from: start))
    }

    @Test("a self-signed certificate is rejected with its pin")
    func selfSigned() throws {
        let leaf = try TestCertificate("self", hosts: ["localhost"])
        let pin = try #require(TLSPin(certificate: leaf.handle))
        try expectEqual(problem(of: [leaf]), .selfSigned(subject: "CN=self", pin: pin))
        try expectEqual(problem(of: [leaf])?.description.hasSuffix("use --insecure --pin \(pin)"), true)
    }

    @Test("a chain that ends at an unknown authority is rejected and names the authority")
    func unknownAuthority() throws {
        let other = try TestCertificate.authority("Other")
        try expectEqual(
            problem(of: [good, intermediate, root], trusting: other), .unknownAuthority(authority: "CN=Root"))
        try expectEqual(problem(of: [good, intermediate], trusting: other), .unknownAuthority(authority: "CN=Root"))
    }

    @Test("a missing intermediate certificate is named")
    func missingIntermediate() throws {
        let expected = TLSCertificateProblem.missingIssuer(subject: "CN=good", issuer: "CN=Intermediate")
        try expectEqual(problem(of: [good]), expected)
        try expectEqual(problem(of: [good, root]), expected)
        #expect(
            expected.description.contains("CN=Intermediate, which is not trusted and which the server did not send"))
    }

    @Test("a certificate for another host is rejected with its names")
    func wrongHost() throws {
        let leaf = try TestCertificate(
            "host", issuer: intermediate, hosts: ["example.org", "*.example.org"], addresses: [[10, 0, 0, 1]])
        let names = ["example.org", "*.example.org", "10.0.0.1"]
        try expectEqual(problem(of: [leaf, intermediate]), .wrongHost(host: "localhost", names: names))
        try expectEqual(
            problem(of: [leaf, intermediate], name: .address("10.0.0.2")),
            .wrongAddress(address: "10.0.0.2", names: names))
        // An address is never compared as a name.
        try expectEqual(
            problem(of: [leaf, intermediate], name: .name("10.0.0.2")), .wrongHost(host: "10.0.0.2", names: names))
        for name in [
            TLSServerName.name("example.org"), .name("EXAMPLE.org."), .name("a.example.org"), .address("10.0.0.1"),
        ] {
            try expectNil(error(of: [leaf, intermediate], name: name))
        }
    }

    @Test("A certificate with an address as a DNS name is not reported as one for another address")
    func addressAsName() throws {
        let leaf = try TestCertificate("host", issuer: intermediate, hosts: ["10.0.0.2"])
        let problem = try #require(try problem(of: [leaf, intermediate], name: .address("10.0.0.2")))
        expectEqual(
            problem.description,
            "the server's certificate has 10.0.0.2 only as a DNS name, not as an IP address; reissue it with the alternative name IP:10.0.0.2, or skip verification with --insecure"
        )
    }

    @Test("IPv6 addresses are compared as addresses")
    func wrongIPv6Address() throws {
        let address = try #require(IPLiteral.ipv6("2001:db8::1"))
        let leaf = try TestCertificate("host", issuer: intermediate, addresses: [address])
        try expectNil(error(of: [leaf, intermediate], name: .address("2001:0DB8:0:0::1")))
        try expectEqual(
            problem(of: [leaf, intermediate], name: .address("2001:db8::2%eth0")),
            .wrongAddress(address: "2001:db8::2", names: ["2001:db8::1"]))
    }

    @Test("a wildcard matches one label, and two labels must follow it")
    func wildcards() throws {
        let leaf = try TestCertificate(
            "wild", issuer: intermediate, hosts: ["*.example", "*.example.org", "f*.example.net"])
        let chain = [leaf, intermediate]
        try expectEqual(
            problem(of: chain, name: .name("a.b.example")),
            .wildcardAcrossLabels(host: "a.b.example", pattern: "*.example"))
        try expectEqual(
            problem(of: chain, name: .name("a.B.Example.org")),
            .wildcardAcrossLabels(host: "a.B.Example.org", pattern: "*.example.org"))
        try expectEqual(
            problem(of: chain, name: .name("a.example")), .wildcardTooWide(host: "a.example", pattern: "*.example"))
        try expectEqual(problem(of: chain, name: .name("foo.example.net"))?.identifier, "certificate-wrong-host")
        try expectEqual(problem(of: chain, name: .name("example.org"))?.identifier, "certificate-wrong-host")
    }

    @Test("a common name is ignored")
    func commonName() throws {
        let leaf = try TestCertificate("localhost", issuer: intermediate)
        try expectEqual(
            problem(of: [leaf, intermediate]), .noAlternativeName(host: "localhost", commonName: "localhost"))
        let address = try TestCertificate("127.0.0.1", issuer: intermediate)
        try expectEqual(
            problem(of: [address, intermediate], name: .address("127.0.0.1")),
            .noAlternativeName(host: "127.0.0.1", commonName: "127.0.0.1"))
    }

    @Test(
        "a certificate that is not for servers is rejected",
        arguments: [(NID_ext_key_usage, "clientAuth"), (NID_key_usage, "critical,keyCertSign")])
    func purpose(kind: Int32, value: String) throws {
        let leaf = try TestCertificate(
            "purpose", issuer: intermediate, hosts: ["localhost"], extensions: [(kind, value)])
        try expectEqual(problem(of: [leaf, intermediate]), .wrongPurpose(subject: "CN=purpose", depth: 0))
    }

    @Test("a weak key is rejected with its size, in a server's and in an issuer's certificate")
    func weakKey() throws {
        let leaf = try TestCertificate("weak", issuer: intermediate, hosts: ["localhost"], key: .rsa(bits: 1024))
        let found = try problem(of: [leaf, intermediate])
        expectEqual(found, .weakKey(subject: "CN=weak", depth: 0, algorithm: "RSA", bits: 1024))
        let authority = try TestCertificate.authority("Weak", issuer: root, key: .rsa(bits: 1024))
        let below = try TestCertificate("leaf", issuer: authority, hosts: ["localhost"])
        try expectEqual(
            problem(of: [below, authority]), .weakKey(subject: "CN=Weak", depth: 1, algorithm: "RSA", bits: 1024))
    }

    @Test("a certificate with an unreadable key is rejected without a crash")
    func unreadableKey() throws {
        // The object identifier of the curve P-256. Its last byte is changed (RFC 5480 §2.1.1.1).
        let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        let pair = TLSPair(client: try TLSContext(client: TLSClientSettings()), server: try .server(showing: [good]))
        wsx_ssl_ctx_set_versions(pair.client.context.handle, TLS1_2_VERSION, TLS1_2_VERSION)
        let old = TLSPair(client: pair.client.context, server: pair.server.context)
        try old.client.start()
        try old.deliverToServer()
        var flight = old.server.takeOutput()
        let start = try #require(flight.indices.first { flight[$0...].starts(with: curve) })
        flight[start + 7] = 0x7F
        let error = tlsError { () throws(TLSError) in try old.client.receive(flight) }
        expectEqual(error, .certificate(.rejected(subject: "CN=good", reason: "its key cannot be read")))
    }

    @Test("a SHA-1 signature is rejected")
    func weakDigest() throws {
        let leaf = try TestCertificate("sha1", issuer: intermediate, hosts: ["localhost"], digest: EVP_sha1())
        try expectEqual(
            problem(of: [leaf, intermediate]), .weakDigest(subject: "CN=sha1", depth: 0, algorithm: "ecdsa-with-SHA1"))
    }

    @Test("RFC 8446 §4.4.2: a chain out of order is accepted")
    func chainOrder() throws {
        let second = try TestCertificate.authority("Second", issuer: intermediate)
        let leaf = try TestCertificate("leaf", issuer: second, hosts: ["localhost"])
        for chain in [
            [leaf, intermediate, second], [leaf, root, second, intermediate], [leaf, intermediate, root, second],
        ] {
            try expectNil(problem(of: chain))
        }
        try expectNil(problem(of: [leaf, second, root, intermediate]))
        try expectEqual(problem(of: [leaf, second]), .unknownAuthority(authority: "CN=Intermediate"))
    }

    @Test("an issuer that is not an authority is rejected")
    func notAnAuthority() throws {
        let middle = try TestCertificate("middle", issuer: root, extensions: [(NID_basic_constraints, "CA:FALSE")])
        let leaf = try TestCertificate("leaf", issuer: middle, hosts: ["localhost"])
        try expectEqual(problem(of: [leaf, middle]), .notAnAuthority(subject: "CN=middle"))
    }

    @Test("a chain longer than an authority permits is rejected")
    func pathLength() throws {
        let short = try TestCertificate.authority("Short", issuer: root, constraints: "critical,CA:TRUE,pathlen:0")
        let middle = try TestCertificate.authority("Middle", issuer: short)
        let leaf = try TestCertificate("leaf", issuer: middle, hosts: ["localhost"])
        try expectEqual(problem(of: [leaf, middle, short]), .pathLengthExceeded(subject: "CN=Short"))
    }

    @Test("a name that an authority may not sign for is rejected")
    func nameConstraints() throws {
        let narrow = try TestCertificate.authority(
            "Narrow", issuer: root, further: [(NID_name_constraints, "critical,permitted;DNS:example.org")])
        let leaf = try TestCertificate("leaf", issuer: narrow, hosts: ["localhost"])
        try expectEqual(problem(of: [leaf, narrow])?.identifier, "certificate-name-not-permitted")
    }

    @Test("a signature with another key is rejected")
    func badSignature() throws {
        let impostor = try TestCertificate.authority("Intermediate", issuer: root)
        let leaf = try TestCertificate("leaf", issuer: impostor, hosts: ["localhost"])
        try expectEqual(problem(of: [leaf, intermediate]), .badSignature(subject: "CN=leaf"))
    }

    @Test("a pin must match even without verification, and the error contains the actual pin")
    func pins() throws {
        let pin = try #require(TLSPin(certificate: good.handle))
        let other = try #require(TLSPin(certificate: root.handle))
        let chain = [good, intermediate]
        for verifies in [true, false] {
            let error = { (pins: [TLSPin]) in
                try self.error(of: chain) {
                    $0.pins = pins
                    $0.verifiesPeer = verifies
                }
            }
            try expectNil(error([pin]))
            try expectNil(error([other, pin]))
            try expectEqual(error([other]), .certificate(.wrongPin(pin: pin)))
            try expectEqual(error([other])?.description.contains(pin.description), true)
        }
    }

    @Test("a matching pin does not make an invalid certificate acceptable")
    func pinOfBadCertificate() throws {
        let leaf = try TestCertificate("self", hosts: ["localhost"])
        let pin = TLSPin(certificate: leaf.handle)
        let error = try error(of: [leaf]) { $0.pins = pin.map { [$0] } ?? [] }
        expectEqual(error, .certificate(.selfSigned(subject: "CN=self", pin: pin)))
    }

    @Test("the error about a self-signed certificate recommends no pin that differs from the one that is expected")
    func otherPinOfBadCertificate() throws {
        let leaf = try TestCertificate("self", hosts: ["localhost"])
        let error = try error(of: [leaf]) { $0.pins = TLSPin(certificate: good.handle).map { [$0] } ?? [] }
        expectEqual(error, .certificate(.wrongPin(pin: TLSPin(certificate: leaf.handle))))
    }

    @Test("without verification, every certificate is accepted")
    func insecure() throws {
        let leaf = try TestCertificate("self", hosts: ["example.org"], days: -30 ..< -2, key: .rsa(bits: 1024))
        try expectNil(error(of: [leaf, root, intermediate]) { $0.verifiesPeer = false })
    }

    @Test("control characters in a subject are escaped")
    func escapes() throws {
        let leaf = try TestCertificate("\u{1B}[31mred\u{202E}", hosts: ["loc\u{7}alhost"])
        let error = try #require(try error(of: [leaf]))
        expectFalse(error.description.unicodeScalars.contains { $0.isInvisible })
        let named = try TestCertificate("\u{1B}[31m", issuer: root, hosts: ["\u{1B}[2J"])
        let other = try #require(try self.error(of: [named]))
        expectEqual(other.identifier, "certificate-wrong-host")
        expectFalse(other.description.unicodeScalars.contains { $0.isInvisible })
    }

    @Test("each problem has a unique identifier and description")
    func distinct() {
        let problems = TLSCertificateProblem.catalogue
        expectEqual(Set(problems.map(\.identifier)).count, problems.count)
        expectEqual(Set(problems.map(\.description)).count, problems.count)
    }
}
