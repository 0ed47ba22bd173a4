/// The reason TLS cannot be configured as requested. `option` is the command-line option that named the file.
package enum TLSConfigurationError: Error, Equatable {
    /// The file contains no certificate.
    case noCertificate(option: String)
    /// The file is in DER format.
    case notPEM(option: String)
    /// A PKCS #12 file was given together with another file for the key, or as that file.
    case keyBesidesPKCS12(certificateOption: String, keyOption: String)
    /// The PKCS #12 file uses an algorithm that OpenSSL does not offer, or has no MAC. Carries OpenSSL's reason.
    case unsupportedPKCS12(option: String, reason: String)
    /// The PKCS #12 file is malformed. Carries OpenSSL's reason.
    case invalidPKCS12(option: String, reason: String)
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
    /// The certificate may not issue others.
    case notAnAuthority(file: String)
    /// The certificate of our authority has expired.
    case authorityExpired(file: String, key: String, at: String)
    /// The certificate of our authority is not valid yet.
    case authorityNotYetValid(file: String, from: String)
    /// The name or address cannot appear in a certificate.
    case invalidName(String)
    /// OpenSSL cannot be initialized. Carries its reason.
    case unavailable(reason: String)
}

extension TLSConfigurationError: CustomStringConvertible {
    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .noCertificate(let option):
            "the \(option) file contains no certificate; use a PEM file with -----BEGIN CERTIFICATE-----, "
                + "or a PKCS #12 file"
        case .keyBesidesPKCS12(let certificateOption, let keyOption):
            "a PKCS #12 file contains both the certificate and the key; name it with \(certificateOption), and omit "
                + keyOption
        case .unsupportedPKCS12(let option, let reason):
            "the \(option) file, in PKCS #12 format, is not protected as OpenSSL requires (\(reason)); convert it with "
                + "'openssl pkcs12 -legacy -in FILE -out FILE.pem'"
        case .invalidPKCS12(let option, let reason):
            "the \(option) file, in PKCS #12 format, cannot be read: \(reason); "
                + "check it with 'openssl pkcs12 -info -in FILE'"
        case .notPEM(let option):
            "the \(option) file is in DER format; convert it to PEM with 'openssl x509 -inform der', or 'openssl pkey "
                + "-inform der' for a key"
        case .keyInsteadOfCertificate(let certificateOption, let keyOption):
            "the \(certificateOption) file contains a private key but no certificate; "
                + "name the certificate's file with \(certificateOption) and the key's with \(keyOption)"
        case .invalidCertificate(let option, let reason):
            "a certificate in the \(option) file cannot be read: \(reason); check the file with 'openssl x509'"
        case .certificateWithoutKey(let certificateOption, let keyOption):
            "the \(certificateOption) file contains no private key; name the key's file with \(keyOption) FILE"
        case .noKey(let option):
            "the \(option) file contains no private key; name the file that does"
        case .invalidKey(let option, let reason):
            "the private key in the \(option) file cannot be read: \(reason); check the file with 'openssl pkey'"
        case .passphraseNeeded:
            "the private key is encrypted; set its passphrase with --passphrase"
        case .wrongPassphrase:
            "wrong passphrase for the private key; check --passphrase"
        case .keyDoesNotFit(let certificateOption, let keyOption) where certificateOption == keyOption:
            "the private key in the \(certificateOption) file does not belong to its first certificate; "
                + "put the key's certificate before those of its issuers"
        case .keyDoesNotFit(let certificateOption, let keyOption):
            "the private key does not belong to the certificate; check that \(certificateOption) and \(keyOption) "
                + "match, and that the certificate comes before those of its issuers"
        case .weakCertificate(let option, let reason):
            "the \(option) certificate is too weak: \(reason); reissue it with \(TLSCertificateProblem.strongKey), "
                + "signed with SHA-256 or better"
        case .trustUnreadable(let option, let path, let reason):
            "\(quoted(path)) cannot be read: \(reason); check the path after \(option)"
        case .trustIsEmpty(let option, let path):
            "\(Self.place(path)) contains no certificate; \(option) takes a PEM file or a directory of PEM files"
        case .trustIsInvalid(let option, let path, let reason):
            "\(Self.place(path)) contains an unreadable certificate: \(reason); "
                + "check the file of \(option) with 'openssl x509'"
        case .notAnAuthority(let file):
            "the certificate in \(file) is not that of an authority; it needs the basic constraint CA:TRUE and, with key "
                + "usage, keyCertSign"
        case .authorityExpired(let file, let key, let time):
            "the certificate in \(file) expired at \(time); delete it and \(key), and trust the new one "
                + "(wsx relay --print-ca)"
        case .authorityNotYetValid(let file, let time):
            "the certificate in \(file) is not valid before \(time); check the clock"
        case .invalidName(let name):
            "\(quoted(name)) cannot be in a certificate; use an ASCII host name or an IP address"
        case .unavailable(let reason):
            "OpenSSL cannot be used: \(reason); check its configuration (OPENSSL_CONF)"
        }
    }

    private static func place(_ path: String?) -> String { path.map { quoted($0) } ?? "the given text" }
}
