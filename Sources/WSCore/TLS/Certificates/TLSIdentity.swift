import COpenSSL

/// A certificate with its private key and the certificates of its issuers, read from a ``TLSCertificateSource``.
struct TLSIdentity: ~Copyable {
    let leaf: OpaquePointer
    let key: OpaquePointer
    let issuers: X509Stack

    deinit {
        X509_free(leaf)
        EVP_PKEY_free(key)
    }
}

extension TLSCertificateSource {
    /// Reads the certificates and the key.
    /// - Throws: ``TLSConfigurationError``, with these options.
    func identity(
        certificateOption: String, keyOption: String
    ) throws(TLSConfigurationError) -> TLSIdentity {
        let isPKCS12 = PKCS12.isFormat(of: chain)
        if let key, isPKCS12 || PKCS12.isFormat(of: key) {
            throw .keyBesidesPKCS12(certificateOption: certificateOption, keyOption: keyOption)
        }
        if isPKCS12 { return try PKCS12.identity(chain, passphrase: passphrase, option: certificateOption) }
        let certificates = try PEM.certificates(chain, option: certificateOption)
        guard !certificates.isEmpty else {
            throw PEM.hasKey(chain)
                ? .keyInsteadOfCertificate(certificateOption: certificateOption, keyOption: keyOption)
                : .noCertificate(option: certificateOption)
        }
        if key == nil, !PEM.hasKey(chain) {
            throw .certificateWithoutKey(certificateOption: certificateOption, keyOption: keyOption)
        }
        let privateKey = try PEM.key(
            key ?? chain, passphrase: passphrase, option: key == nil ? certificateOption : keyOption)
        guard let leaf = certificates.takeFirst() else {
            EVP_PKEY_free(privateKey)
            throw .noCertificate(option: certificateOption)
        }
        return TLSIdentity(leaf: leaf, key: privateKey, issuers: certificates)
    }

    /// Whether a passphrase is needed to read the key.
    package var needsPassphrase: Bool {
        do throws(TLSConfigurationError) {
            if PKCS12.isFormat(of: chain) {
                _ = try PKCS12.identity(chain, passphrase: nil, option: "--cert")
            } else {
                EVP_PKEY_free(try PEM.key(key ?? chain, passphrase: nil, option: "--key"))
            }
            return false
        } catch {
            return error == .passphraseNeeded
        }
    }
}
