import COpenSSL

/// What one's own certificate is made of.
public struct TLSCertificateSource: Sendable, Equatable {
    /// The certificate and those of its issuers, in PEM, in this order; other things between them are passed over.
    public var chain: [UInt8]
    /// The private key in PEM; nil: it is in ``chain``.
    public var key: [UInt8]?
    /// What opens an encrypted key.
    public var passphrase: String?

    /// Takes the contents of PEM files.
    public init(chain: [UInt8], key: [UInt8]? = nil, passphrase: String? = nil) {
        self.chain = chain
        self.key = key
        self.passphrase = passphrase
    }

    /// The pin of the certificate, by which clients can know it.
    /// - Throws: ``TLSConfigurationError`` when there is no certificate, or none that can be read.
    public func pin() throws(TLSConfigurationError) -> TLSPin {
        let option = "--cert"
        let certificates = try PEM.certificates(chain, option: option)
        let pin = certificates.withFirst { $0.flatMap(TLSPin.init(certificate:)) }
        guard let pin else { throw .noCertificate(option: option) }
        return pin
    }
}

extension TLSCertificateSource {
    /// Whether the key can be read only with a passphrase.
    public var isKeyEncrypted: Bool {
        do throws(TLSConfigurationError) {
            EVP_PKEY_free(try PEM.key(key ?? chain, passphrase: nil, option: "--key"))
            return false
        } catch {
            return error == .passphraseNeeded
        }
    }
}
