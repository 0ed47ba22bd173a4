/// The reason TLS cannot be configured as requested. `option` is the command-line option that named the file.
public enum TLSConfigurationError: Error, Equatable {
    /// The file contains no certificate.
    case noCertificate(option: String)
    /// The file should contain the certificate but contains a private key.
    case keyInsteadOfCertificate(certificateOption: String, keyOption: String)
    /// The file contains an unreadable certificate. Carries OpenSSL's reason.
    case invalidCertificate(option: String, reason: String)
    /// No key was given, and the certificate's file contains none.
    case certificateWithoutKey(certificateOption: String, keyOption: String)
    /// The file contains no private key.
    case noKey(option: String)
    /// The file contains an unreadable private key. Carries OpenSSL's reason.
    case invalidKey(option: String, reason: String)
    /// The private key is encrypted, and no passphrase was given.
    case passphraseNeeded
    /// The passphrase of the private key is wrong.
    case wrongPassphrase
    /// The private key does not match the certificate. Both options are the same if one file contains both.
    case keyDoesNotFit(certificateOption: String, keyOption: String)
    /// Our own certificate's key or signature is too weak. Carries OpenSSL's reason.
    case weakCertificate(option: String, reason: String)
    /// The file or directory of trusted authorities is unreadable. Carries the system's reason.
    case trustUnreadable(option: String, path: String, reason: String)
    /// The file or directory of trusted authorities contains no certificate. `path` is `nil` for certificates in
    /// memory.
    case trustIsEmpty(option: String, path: String?)
    /// The file of trusted authorities contains an unreadable certificate. Carries OpenSSL's reason.
    case trustIsInvalid(option: String, path: String?, reason: String)
    /// The name or address cannot appear in a self-signed certificate.
    case invalidName(String)
    /// OpenSSL cannot be initialized. Carries its reason.
    case unavailable(reason: String)
}

extension TLSConfigurationError {
    /// A stable identifier for scripts and the manual.
    public var identifier: String {
        switch self {
        case .noCertificate: "no-certificate"
        case .keyInsteadOfCertificate: "key-instead-of-certificate"
        case .invalidCertificate: "invalid-certificate"
        case .certificateWithoutKey: "certificate-without-key"
        case .noKey: "no-key"
        case .invalidKey: "invalid-key"
        case .passphraseNeeded: "passphrase-needed"
        case .wrongPassphrase: "wrong-passphrase"
        case .keyDoesNotFit: "key-does-not-fit"
        case .weakCertificate: "weak-certificate"
        case .trustUnreadable: "trust-unreadable"
        case .trustIsEmpty: "trust-empty"
        case .trustIsInvalid: "trust-invalid"
        case .invalidName: "invalid-name"
        case .unavailable: "tls-unavailable"
        }
    }
}

extension TLSConfigurationError: CustomStringConvertible {
    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .noCertificate(let option):
            "there is no certificate in the file of \(option); give a PEM file, which has -----BEGIN CERTIFICATE-----"
        case .keyInsteadOfCertificate(let certificateOption, let keyOption):
            "the file of \(certificateOption) has a private key but no certificate; "
                + "give the certificate with \(certificateOption) and the key with \(keyOption)"
        case .invalidCertificate(let option, let reason):
            "a certificate in the file of \(option) cannot be read: \(reason); check the file with openssl x509"
        case .certificateWithoutKey(let certificateOption, let keyOption):
            "the file of \(certificateOption) has a certificate but no private key; "
                + "give the key's file with \(keyOption)"
        case .noKey(let option):
            "there is no private key in the file of \(option); give the PEM file that has it"
        case .invalidKey(let option, let reason):
            "the private key in the file of \(option) cannot be read: \(reason); check the file with openssl pkey"
        case .passphraseNeeded:
            "the private key is encrypted; give its passphrase with --passphrase"
        case .wrongPassphrase:
            "the passphrase does not open the private key; check --passphrase"
        case .keyDoesNotFit(let certificateOption, let keyOption) where certificateOption == keyOption:
            "the private key in the file of \(certificateOption) is not that of its first certificate; "
                + "put the key's own certificate before those of its issuers"
        case .keyDoesNotFit(let certificateOption, let keyOption):
            "the private key is not that of the certificate; check that \(certificateOption) and \(keyOption) "
                + "belong together, and that the certificate comes before those of its issuers"
        case .weakCertificate(let option, let reason):
            "the certificate of \(option) is too weak to be used: \(reason); get one with a key of 2048 bits or more"
        case .trustUnreadable(let option, let path, let reason):
            "\(quoted(path)) cannot be read: \(reason); check the path of \(option)"
        case .trustIsEmpty(let option, let path):
            "there is no certificate in \(Self.place(path)); give \(option) a PEM file or a directory of them"
        case .trustIsInvalid(let option, let path, let reason):
            "\(Self.place(path)) has a certificate that cannot be read: \(reason); check the path of \(option)"
        case .invalidName(let name):
            "\(quoted(name)) cannot be in a certificate; give a host name in ASCII or an IP address"
        case .unavailable(let reason):
            "OpenSSL cannot be used: \(reason); check its configuration (OPENSSL_CONF)"
        }
    }

    private static func place(_ path: String?) -> String { path.map { quoted($0) } ?? "what was given" }
}
