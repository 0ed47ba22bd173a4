import WSCore

/// What the arguments of `wsx listen` ask of TLS: files read, passphrases asked for, a certificate made.
struct ServerTLSComposition {
    /// What was typed.
    let arguments: ServerTLSArguments
    /// Where the server listens, for a certificate of its own; nil: on a Unix-domain socket.
    let address: SocketAddress?
    /// Reads what need not stand on the command line.
    let secrets: Secrets

    /// The settings, or ``Failure/badArgument(what:why:)``, which shows no secret; nil: TLS is not used.
    func settings() throws(Failure) -> TLSServerSettings? {
        guard arguments.isUsed else { return nil }
        var settings = TLSServerSettings(certificate: try certificate())
        settings.keyLog = try KeyLog.writer(environment: secrets.environment)
        settings.clientTrust = arguments.clientAuthorities.map { path in
            File.isDirectory(path) ? .directory(path) : .file(path)
        }
        return settings
    }

    private func certificate() throws(Failure) -> TLSCertificateSource {
        if let path = arguments.certificate {
            return try CertificateFiles.read(
                certificate: (path, "--tls-cert"), key: arguments.key.map { ($0, "--tls-key") },
                passphrase: arguments.passphrase, secrets: secrets)
        }
        do throws(TLSConfigurationError) {
            return try .selfSigned(names: address.map { [$0.host] } ?? [], nowSeconds: WallTime.now.seconds)
        } catch {
            throw .badArgument(what: "--tls-self-signed", why: "\(error)")
        }
    }
}
