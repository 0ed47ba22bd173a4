import UserInterface
import WSCore

/// Builds the TLS settings of a server from its arguments: reads files, asks for passphrases, and creates
/// certificates.
package struct ServerTLSComposition {
    let arguments: ServerTLSArguments
    let acceptsHTTP2: Bool
    /// The listening address, for a self-signed certificate; `nil` for a Unix domain socket.
    let address: SocketAddress?
    /// Resolves references to files and environment variables.
    let secrets: Secrets

    package init(
        arguments: ServerTLSArguments, acceptsHTTP2: Bool, address: SocketAddress?, secrets: Secrets
    ) {
        self.arguments = arguments
        self.acceptsHTTP2 = acceptsHTTP2
        self.address = address
        self.secrets = secrets
    }

    /// Returns the settings, or `nil` if TLS is not requested.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package func settings() throws(Failure) -> TLSServerSettings? {
        guard arguments.isUsed else { return nil }
        var settings = TLSServerSettings(certificate: try certificate())
        settings.acceptsHTTP2 = acceptsHTTP2
        // A client that returns may reach another thread.
        settings.ticketKeys = SecureRandom.bytes(TLSServerSettings.ticketKeyByteCount)
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
