import COpenSSL

/// Reads files in PKCS #12 format (RFC 7292): a private key, its certificate, and those of its issuers.
enum PKCS12 {
    /// Whether the bytes are in this format, readable or not.
    static func isFormat(of bytes: [UInt8]) -> Bool {
        guard let content = DER.sequenceContent(of: bytes) else { return false }
        // RFC 7292 §4: a file begins with the version, an INTEGER of 3.
        return content.starts(with: [0x02, 0x01, 0x03])
    }

    /// Reads the key, its certificate, and the certificates that lead from it to an authority.
    static func identity(
        _ bytes: [UInt8], passphrase: String?, option: String
    ) throws(TLSConfigurationError) -> TLSIdentity {
        // OpenSSL takes a passphrase that ends with a NUL.
        guard passphrase?.utf8.contains(0) != true else { throw .wrongPassphrase }
        OpenSSLErrors.clear()
        let file = PEM.withBIO(bytes) { d2i_PKCS12_bio($0, nil) }
        guard let file else { throw .invalidPKCS12(option: option, reason: OpenSSLErrors.takeWords()) }
        defer { PKCS12_free(file) }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        guard PKCS12_parse(file, passphrase, &key, &leaf, &others) == 1 else {
            throw Self.error(OpenSSLErrors.takeAll(), isPassphraseGiven: passphrase != nil, option: option)
        }
        OpenSSLErrors.clear()
        let certificates = X509Stack(owning: others)
        guard let key else {
            X509_free(leaf)
            throw .noKey(option: option)
        }
        guard let leaf else {
            EVP_PKEY_free(key)
            throw .noCertificate(option: option)
        }
        return TLSIdentity(leaf: leaf, key: key, issuers: certificates.issuers(of: leaf))
    }

    private static func error(
        _ errors: [OpenSSLError], isPassphraseGiven: Bool, option: String
    ) -> TLSConfigurationError {
        // RC2 needs OpenSSL's legacy provider, a separate module. OpenSSL 3.0 opens a file without a MAC only without a
        // passphrase.
        if let error = errors.first(where: { $0.isOfUnsupportedAlgorithm || $0.isOfMissingMAC }) {
            return .unsupportedPKCS12(option: option, reason: error.words)
        }
        let isOfPassphrase = errors.contains {
            $0.library == ERR_LIB_PKCS12
                && [PKCS12_R_MAC_VERIFY_FAILURE, PKCS12_R_PKCS12_CIPHERFINAL_ERROR].contains($0.reason)
        }
        // Without a MAC, about one in 256 wrong passphrases leads to correct padding, and then to content that is no DER.
        let isOfDecryptedContent =
            errors.contains { $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_DECODE_ERROR }
            && errors.contains { $0.library == ERR_LIB_ASN1 }
        if isOfPassphrase || isOfDecryptedContent { return isPassphraseGiven ? .wrongPassphrase : .passphraseNeeded }
        return .invalidPKCS12(option: option, reason: errors.first?.words ?? "no reason given")
    }
}

extension OpenSSLError {
    fileprivate var isOfMissingMAC: Bool { library == ERR_LIB_PKCS12 && reason == PKCS12_R_MAC_ABSENT }

    fileprivate var isOfUnsupportedAlgorithm: Bool {
        switch library {
        case ERR_LIB_EVP:
            reason == ERR_R_UNSUPPORTED
                || [EVP_R_UNSUPPORTED_ALGORITHM, EVP_R_UNKNOWN_PBE_ALGORITHM, EVP_R_UNKNOWN_CIPHER].contains(reason)
        case ERR_LIB_PKCS12: reason == PKCS12_R_UNKNOWN_DIGEST_ALGORITHM
        default: false
        }
    }
}

/// The binary encoding of certificates and keys (X.690).
enum DER {
    /// The content of a SEQUENCE with a length of more than a byte, or `nil` for anything else.
    static func sequenceContent(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        // X.690 §8.1.3: the length has up to four more bytes.
        guard bytes.count > 8, bytes[0] == 0x30, bytes[1] & 0x80 != 0, bytes[1] <= 0x84 else { return nil }
        return bytes.dropFirst(2 + Int(bytes[1] & 0x7F))
    }
}
