import WSCore

/// Reads the files of a certificate and its key.
enum CertificateFiles {
    /// A file, and the option that names it.
    typealias Named = (path: String, option: String)

    /// The certificate in one file with its key in the same or another; an encrypted key has its passphrase asked for
    /// unless it is given, as ``Secrets`` says.
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
