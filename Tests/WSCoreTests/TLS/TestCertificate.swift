import COpenSSL
import Testing

@testable import WSCore

/// A certificate with its key, with any defects that a test needs.
final class TestCertificate {
    enum Key {
        case p256
        case rsa(bits: Int32)
    }

    let handle: OpaquePointer
    let key: OpaquePointer

    /// - Parameter issuer: The issuer, or `nil` for a self-signed certificate.
    /// - Parameter days: The validity, in days from now.
    /// - Parameter extensions: Further extensions, in the format of OpenSSL's configuration files.
    init(
        _ commonName: String, issuer: TestCertificate? = nil, hosts: [String] = [], addresses: [[UInt8]] = [],
        days: Range<Int> = -1..<30, key: Key = .p256, digest: OpaquePointer? = EVP_sha256(),
        extensions: [(kind: Int32, value: String)] = []
    ) throws {
        handle = try #require(X509_new())
        self.key = try #require(Self.makeKey(key))
        X509_set_version(handle, 2)
        // Certificates are identified by issuer and serial number.
        var serial: UInt32 = 0
        for byte in commonName.utf8 { serial = serial &* 31 &+ UInt32(byte) }
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(handle), UInt64(serial))
        X509_NAME_add_entry_by_txt(X509_get_subject_name(handle), "CN", MBSTRING_UTF8, commonName, -1, -1, 0)
        X509_set_issuer_name(handle, X509_get_subject_name((issuer ?? self).handle))
        let now = WallTime.now.seconds
        ASN1_TIME_set(X509_getm_notBefore(handle), now + days.lowerBound * 86400)
        ASN1_TIME_set(X509_getm_notAfter(handle), now + days.upperBound * 86400)
        X509_set_pubkey(handle, self.key)
        for entry in extensions {
            try #require(wsx_certificate_add_extension(handle, handle, entry.kind, entry.value) == 1)
        }
        if !hosts.isEmpty || !addresses.isEmpty {
            let names = wsx_names_new()
            for host in hosts { wsx_names_add(names, GEN_DNS, Array(host.utf8), Int32(host.utf8.count)) }
            for address in addresses { wsx_names_add(names, GEN_IPADD, address, Int32(address.count)) }
            try #require(wsx_certificate_add_names(handle, names) == 1)
            GENERAL_NAMES_free(names)
        }
        try #require(X509_sign(handle, (issuer ?? self).key, digest) > 0)
    }

    deinit {
        X509_free(handle)
        EVP_PKEY_free(key)
    }

    /// Creates a certificate of an authority.
    static func authority(
        _ commonName: String, issuer: TestCertificate? = nil, constraints: String = "critical,CA:TRUE",
        days: Range<Int> = -1..<30, key: Key = .p256, digest: OpaquePointer? = EVP_sha256(),
        further: [(kind: Int32, value: String)] = []
    ) throws -> TestCertificate {
        try TestCertificate(
            commonName, issuer: issuer, days: days, key: key, digest: digest,
            extensions: [(NID_basic_constraints, constraints), (NID_key_usage, "critical,keyCertSign,cRLSign")]
                + further)
    }

    var pem: [UInt8] { X509Text.written { PEM_write_bio_X509($0, handle) } }

    func keyPEM(passphrase: String? = nil) -> [UInt8] {
        X509Text.written {
            guard let passphrase else { return PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
            return PEM_write_bio_PKCS8PrivateKey(
                $0, key, EVP_aes_256_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil)
        }
    }

    /// A PKCS #12 file with the key, this certificate, and others.
    /// - Parameter algorithm: The encryption, as OpenSSL's number; 0 for the default, -1 for none.
    func pkcs12(
        passphrase: String?, others: [TestCertificate] = [], algorithm: Int32 = 0, hasKey: Bool = true,
        hasMAC: Bool = true
    ) throws -> [UInt8] {
        let stack = X509Stack()
        for certificate in others {
            X509_up_ref(certificate.handle)
            stack.append(certificate.handle)
        }
        let file = stack.withHandle {
            PKCS12_create(
                passphrase, "name", hasKey ? key : nil, handle, $0, algorithm, algorithm, 0, hasMAC ? 0 : -1, 0)
        }
        defer { PKCS12_free(file) }
        try #require(file != nil)
        return X509Text.written { i2d_PKCS12_bio($0, file) }
    }

    var subject: String { X509Text.subject(of: handle) }

    var isRSA: Bool { EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA }

    private static func makeKey(_ key: Key) -> OpaquePointer? {
        guard case .rsa(let bits) = key else { return wsx_make_p256_key() }
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        EVP_PKEY_keygen(context, &made)
        return made
    }
}

extension TLSContext {
    /// A server's context with any chain, even a weak, invalid, or misordered one.
    static func server(
        showing chain: [TestCertificate], clientTrust: TLSTrust? = nil,
        versions: ClosedRange<Int32> = TLS1_2_VERSION...TLS1_3_VERSION
    ) throws -> TLSContext {
        let leaf = try #require(chain.first)
        // An acceptable certificate that is then replaced: a context holds one per type of key.
        let stand = try TestCertificate("stand-in", key: leaf.isRSA ? .rsa(bits: 2048) : .p256)
        let source = TLSCertificateSource(chain: stand.pem, key: stand.keyPEM())
        let context = try TLSContext(server: TLSServerSettings(certificate: source, clientTrust: clientTrust))
        SSL_CTX_set_security_level(context.handle, 0)
        wsx_ssl_ctx_set_versions(context.handle, versions.lowerBound, versions.upperBound)
        let issuers = X509Stack()
        for certificate in chain.dropFirst() {
            X509_up_ref(certificate.handle)
            issuers.append(certificate.handle)
        }
        let result = issuers.withHandle { SSL_CTX_use_cert_and_key(context.handle, leaf.handle, leaf.key, $0, 1) }
        try #require(result == 1)
        return context
    }
}
