import WSCore

/// Reads a certificate and its key from files.
package enum CertificateFiles {
    /// A file and the option that names it.
    package typealias Named = (path: String, option: String)
    /// The maximum size of a file. A long chain has some tens of KiB.
    private static let maximumBytes = 4 << 20

    /// Reads a certificate, and its key from the same or another file. If they are encrypted and no passphrase is given,
    /// ``Secrets`` asks for it.
    package static func read(
        certificate: Named, key: Named?, passphrase: String?, secrets: Secrets
    ) throws(Failure) -> TLSCertificateSource {
        let chain = try HeaderFiles.contents(
            of: certificate.path, for: certificate.option, maximumBytes: maximumBytes)
        let keyBytes = try key.map { (key) throws(Failure) in
            try HeaderFiles.contents(of: key.path, for: key.option, maximumBytes: maximumBytes)
        }
        var source = TLSCertificateSource(chain: chain, key: keyBytes)
        if let passphrase {
            source.passphrase = try secrets.value(of: passphrase, for: "--passphrase")
        } else if source.needsPassphrase {
            let path = key?.path ?? certificate.path
            source.passphrase = try secrets.asked(
                "Passphrase for \(escapingControls(path)): ", for: "--passphrase",
                noun: "passphrase for the encrypted key \(escapingControls(path))",
                remedy: "TEXT")
        }
        return source
    }
}

/// The file named by SSLKEYLOGFILE. It receives the secrets of TLS sessions, with which a network analyzer can decrypt
/// captured traffic.
package enum KeyLog {
    /// Returns a function that appends a line to the file, or nil if the variable is not set.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` if the file cannot be written.
    package static func writer(environment: (String) -> String?) throws(Failure) -> (@Sendable (String) -> Void)? {
        guard let path = environment("SSLKEYLOGFILE"), !path.isEmpty else { return nil }
        do throws(IOError) {
            try File.append([], to: path)
        } catch {
            throw .badArgument(what: "SSLKEYLOGFILE \(escapingControls(path))", why: "\(error)")
        }
        // A disk that fills up later should not end the session.
        return { line in try? File.append(Array("\(line)\n".utf8), to: path) }
    }
}
