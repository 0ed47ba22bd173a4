import COpenSSL

extension TLSCertificateSource {
    /// Generates a key (ECDSA on P-256) and a self-signed certificate for `localhost`, 127.0.0.1, ::1, and `names`.
    /// - Parameters:
    ///   - names: Further ASCII host names, and IP addresses without brackets.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC. The certificate is valid from one day
    ///     earlier, for clocks that run late, until 30 days later.
    /// - Throws: ``TLSConfigurationError/invalidName(_:)``, or ``TLSConfigurationError/unavailable(reason:)`` if
    ///   OpenSSL fails.
    package static func selfSigned(names: [String], nowSeconds: Int) throws(TLSConfigurationError) -> Self {
        guard let key = wsx_make_p256_key() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        defer { X509_free(certificate) }
        try setNames(["localhost", "127.0.0.1", "::1"] + names, of: certificate)
        guard setContents(of: certificate, key: key, nowSeconds: nowSeconds),
            X509_sign(certificate, key, EVP_sha256()) > 0
        else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        let chain = X509Text.written { PEM_write_bio_X509($0, certificate) }
        let keyBytes = X509Text.written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
        return Self(chain: chain, key: keyBytes)
    }

    private static let daySeconds = 86400

    private static func setContents(of certificate: OpaquePointer, key: OpaquePointer, nowSeconds: Int) -> Bool {
        // RFC 5280 §4.1.2.2: the serial number is positive and unique for the issuer.
        var serial: UInt64 = 0
        withUnsafeMutableBytes(of: &serial) {
            _ = RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count))
        }
        let version3 = 2
        let subject = X509_get_subject_name(certificate)
        return X509_set_version(certificate, version3) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1
            && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, "localhost", -1, -1, 0) == 1
            && X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8, "wsx self-signed", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, subject) == 1
            && ASN1_TIME_set(X509_getm_notBefore(certificate), nowSeconds - daySeconds) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate), nowSeconds + 30 * daySeconds) != nil
            && X509_set_pubkey(certificate, key) == 1
            && wsx_certificate_add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") == 1
            && wsx_certificate_add_extension(certificate, NID_key_usage, "critical,digitalSignature") == 1
            && wsx_certificate_add_extension(certificate, NID_ext_key_usage, "serverAuth") == 1
            && wsx_certificate_add_extension(certificate, NID_subject_key_identifier, "hash") == 1
    }

    private static func setNames(_ names: [String], of certificate: OpaquePointer) throws(TLSConfigurationError) {
        guard let stack = wsx_names_new() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        defer { GENERAL_NAMES_free(stack) }
        var added: Set<String> = []
        for name in names where added.insert(name).inserted {
            let address = IPLiteral.ipv4(name) ?? IPLiteral.ipv6(name)
            let bytes = address ?? Array(name.utf8)
            guard address != nil || isHostName(bytes) else { throw .invalidName(name) }
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
