import COpenSSL

/// A certificate with its chain and private key.
package struct TLSCertificateSource: Sendable, Equatable {
    /// The certificate followed by those of its issuers, in PEM, or a PKCS #12 file. Other PEM blocks are ignored.
    package var chain: [UInt8]
    /// The private key in PEM, or `nil` if it is in ``chain``.
    package var key: [UInt8]?
    /// The passphrase of an encrypted key or PKCS #12 file.
    package var passphrase: String?

    /// Creates a source from the contents of files.
    package init(chain: [UInt8], key: [UInt8]? = nil, passphrase: String? = nil) {
        self.chain = chain
        self.key = key
        self.passphrase = passphrase
    }

    /// The pin of the certificate, with which clients can recognize it.
    /// - Throws: ``TLSConfigurationError`` if there is no readable certificate.
    package func pin() throws(TLSConfigurationError) -> TLSPin {
        let option = "--cert"
        let certificates = try PEM.certificates(chain, option: option)
        let pin = certificates.withFirst { $0.flatMap(TLSPin.init(certificate:)) }
        guard let pin else { throw .noCertificate(option: option) }
        return pin
    }
}
