import WSCore

/// Reads a certificate and its key from files.
enum CertificateFiles {
    /// A file and the option that names it.
    typealias Named = (path: String, option: String)

    /// Reads a certificate, and its key from the same or another file. If the key is encrypted and no passphrase is
    /// given, ``Secrets`` asks for it.
    static func read(
        certificate: Named, key: Named?, passphrase: String?, secrets: Secrets
    ) throws(Failure) -> TLSCertificateSource {
        let chain = try HeaderFiles.contents(of: certificate.path, for: certificate.option)
        let keyBytes = try key.map { (key) throws(Failure) in try HeaderFiles.contents(of: key.path, for: key.option) }
        var source = TLSCertificateSource(chain: chain, key: keyBytes)
        if let passphrase {
            source.passphrase = try secrets.value(of: passphrase, for: "--passphrase")
        } else if source.isKeyEncrypted {
            let path = key?.path ?? certificate.path
            source.passphrase = try secrets.asked(
                "Passphrase for \(escapingControls(path)): ", for: "--passphrase",
                noun: "passphrase for the encrypted key \(escapingControls(path))",
                remedy: "TEXT")
        }
        return source
    }
}
