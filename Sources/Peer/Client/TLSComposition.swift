import UserInterface
import WSCore

/// Builds the TLS settings from the arguments of a client command: reads files and asks for passphrases.
struct TLSComposition {
    /// The TLS arguments of the client command.
    let arguments: TLSArguments
    /// Resolves references to files and environment variables.
    let secrets: Secrets

    /// Returns the settings.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
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
    /// Creates the resources, without TLS if `settings` is `nil`.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func make(_ settings: TLSClientSettings?, cookies: CookieStore) throws(Failure) -> ConnectorResources
    {
        do throws(TLSConfigurationError) {
            return try ConnectorResources(tls: settings, cookies: cookies)
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
    }
}
