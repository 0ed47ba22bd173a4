import COpenSSL

/// What a certificate of version 3 states (RFC 5280 §4.1), besides its key, issuer, and serial number.
struct CertificateContents {
    /// The parts of the subject in order, such as "CN" and a name of at most 64 characters.
    let subject: [(part: String, text: String)]
    /// ASCII host names, and IP addresses without brackets, for the alternative names.
    var names: [String] = []
    /// In seconds since 1970-01-01 00:00 UTC.
    let validity: ClosedRange<Int>
    /// In the format of OpenSSL's configuration files.
    let extensions: [(kind: Int32, value: String)]

    static let daySeconds = 86400

    /// The extensions of a server's certificate.
    static let serverExtensions = [
        (kind: NID_basic_constraints, value: "critical,CA:FALSE"),
        (kind: NID_key_usage, value: "critical,digitalSignature"), (kind: NID_ext_key_usage, value: "serverAuth"),
        (kind: NID_subject_key_identifier, value: "hash"),
    ]

    /// Creates the certificate of a key.
    /// - Parameter issuer: The issuer's certificate and key, or `nil` for a self-signed certificate.
    /// - Returns: The certificate. The caller must free it.
    /// - Throws: ``TLSConfigurationError/invalidName(_:)``, or ``TLSConfigurationError/unavailable(reason:)`` if
    ///   OpenSSL fails.
    func certificate(
        of key: OpaquePointer, issuedBy issuer: (certificate: OpaquePointer, key: OpaquePointer)? = nil
    ) throws(TLSConfigurationError) -> OpaquePointer {
        OpenSSLErrors.clear()
        guard let certificate = X509_new() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        do throws(TLSConfigurationError) {
            if !names.isEmpty { try addNames(to: certificate) }
            let signingKey = issuer?.key ?? key
            // Ed25519 has no separate digest.
            let digest = EVP_PKEY_digestsign_supports_digest(signingKey, nil, "SHA256", nil) == 1 ? EVP_sha256() : nil
            guard fill(certificate, key: key, issuer: issuer?.certificate ?? certificate),
                X509_sign(certificate, signingKey, digest) > 0
            else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        } catch {
            X509_free(certificate)
            throw error
        }
        return certificate
    }

    private func fill(_ certificate: OpaquePointer, key: OpaquePointer, issuer: OpaquePointer) -> Bool {
        // RFC 5280 §4.1.2.2: the serial number is positive and unique for the issuer.
        var serial = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&serial, Int32(serial.count)) == 1 else { return false }
        serial[0] = serial[0] & 0x7F | 0x40
        let name = X509_get_subject_name(certificate)
        let version3 = 2
        return X509_set_version(certificate, version3) == 1
            && ASN1_STRING_set(X509_get_serialNumber(certificate), serial, Int32(serial.count)) == 1
            && subject.allSatisfy { X509_NAME_add_entry_by_txt(name, $0, MBSTRING_UTF8, $1, -1, -1, 0) == 1 }
            && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1
            && ASN1_TIME_set(X509_getm_notBefore(certificate), validity.lowerBound) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate), validity.upperBound) != nil
            && X509_set_pubkey(certificate, key) == 1
            && extensions.allSatisfy { wsx_certificate_add_extension(certificate, issuer, $0, $1) == 1 }
    }

    private func addNames(to certificate: OpaquePointer) throws(TLSConfigurationError) {
        guard let stack = wsx_names_new() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        defer { GENERAL_NAMES_free(stack) }
        var added: Set<String> = []
        for name in names where added.insert(name).inserted {
            let address = IPLiteral.ipv4(name) ?? IPLiteral.ipv6(name)
            let bytes = address ?? Array(name.utf8)
            guard address != nil || Self.isHostName(bytes) else { throw .invalidName(name) }
            let kind = address == nil ? GEN_DNS : GEN_IPADD
            guard wsx_names_add(stack, kind, bytes, Int32(clamping: bytes.count)) == 1 else {
                throw .unavailable(reason: OpenSSLErrors.takeWords())
            }
        }
        guard wsx_certificate_add_names(certificate, stack) == 1 else {
            throw .unavailable(reason: OpenSSLErrors.takeWords())
        }
    }

    /// Letters, digits, hyphens, dots, wildcard asterisks, and underscores, which do occur.
    private static func isHostName(_ bytes: [UInt8]) -> Bool {
        let others = Array("-._*".utf8)
        return (1...253).contains(bytes.count)
            && bytes.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || others.contains($0) }
    }
}

extension TLSCertificateSource {
    /// Generates a key (ECDSA on P-256) and its self-signed certificate.
    /// - Throws: ``TLSConfigurationError``, as for ``CertificateContents/certificate(of:issuedBy:)``.
    init(generating contents: CertificateContents) throws(TLSConfigurationError) {
        guard let key = wsx_make_p256_key() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        defer { EVP_PKEY_free(key) }
        let certificate = try contents.certificate(of: key)
        defer { X509_free(certificate) }
        self.init(
            chain: X509Text.written { PEM_write_bio_X509($0, certificate) },
            key: X509Text.written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) })
    }

    /// Generates a key and a self-signed certificate for `localhost`, 127.0.0.1, ::1, and `names`.
    /// - Parameters:
    ///   - names: Further ASCII host names, and IP addresses without brackets.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC. The certificate is valid from one day
    ///     earlier, for clocks that run late, until 30 days later.
    /// - Throws: ``TLSConfigurationError/invalidName(_:)``, or ``TLSConfigurationError/unavailable(reason:)`` if
    ///   OpenSSL fails.
    package static func selfSigned(names: [String], nowSeconds: Int) throws(TLSConfigurationError) -> Self {
        let day = CertificateContents.daySeconds
        return try Self(
            generating: CertificateContents(
                subject: [("CN", "localhost"), ("O", "wsx self-signed")],
                names: ["localhost", "127.0.0.1", "::1"] + names, validity: nowSeconds - day...nowSeconds + 30 * day,
                extensions: CertificateContents.serverExtensions))
    }
}
