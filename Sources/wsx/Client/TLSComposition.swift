import WSCore

/// What the arguments of a client command ask of TLS: files read, passphrases asked for.
struct TLSComposition {
    /// What was typed.
    let arguments: TLSArguments
    /// Reads what need not stand on the command line.
    let secrets: Secrets

    /// The settings, or ``Failure/badArgument(what:why:)``, which shows no secret.
    func settings() throws(Failure) -> TLSClientSettings {
        var settings = TLSClientSettings()
        settings.verifiesPeer = !arguments.isInsecure
        settings.pins = arguments.pins
        settings.minimumVersion = arguments.minimumVersion
        settings.keyLog = try KeyLog.writer(environment: secrets.environment)
        settings.trust =
            if let path = arguments.authorities {
                File.isDirectory(path) ? .directory(path) : .file(path)
            } else {
                .systemAuthorities(environment: secrets.environment, exists: { !File.isMissing($0) })
            }
        if let path = arguments.certificate {
            settings.certificate = try CertificateFiles.read(
                certificate: (path, "--cert"), key: arguments.key.map { ($0, "--key") },
                passphrase: arguments.passphrase, secrets: secrets)
        }
        return settings
    }
}

extension ConnectorResources {
    /// The resources with TLS as it was asked for, or ``Failure/badArgument(what:why:)``; nil: without TLS.
    static func make(_ settings: TLSClientSettings?) throws(Failure) -> ConnectorResources {
        do throws(TLSConfigurationError) {
            return try ConnectorResources(tls: settings)
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
    }
}
