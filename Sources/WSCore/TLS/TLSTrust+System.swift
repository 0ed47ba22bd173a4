import COpenSSL

extension TLSTrust {
    /// Bundles of certificate authorities: Fedora and Red Hat, openSUSE, Alpine and Arch, Debian and NixOS.
    private static let bundles = [
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
        "/etc/ssl/certs/ca-certificates.crt",
    ]

    /// The file with all of the system's authorities: that of `SSL_CERT_FILE`, or the first bundle of a distribution.
    /// - Returns: Nil if there is none.
    package static func systemBundle(environment: (String) -> String?, exists: (String) -> Bool) -> String? {
        let place = X509_get_default_cert_file().map { String(cString: $0) }
        let named = X509_get_default_cert_file_env().flatMap { environment(String(cString: $0)) }
        return (named.map { [$0] } ?? [place].compactMap(\.self) + bundles).first(where: exists)
    }

    /// Returns the system's certificate authorities.
    ///
    /// An OpenSSL that is linked statically looks where the system that built it keeps certificates. If neither that file
    /// nor that directory exists, this is the first bundle of another distribution that does. `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`, which OpenSSL reads, take precedence.
    /// - Parameters:
    ///   - environment: Returns an environment variable.
    ///   - exists: Returns whether a path exists.
    package static func systemAuthorities(
        environment: (String) -> String?, exists: (String) -> Bool
    ) -> TLSTrust {
        let variables = [X509_get_default_cert_file_env(), X509_get_default_cert_dir_env()]
        let places = [X509_get_default_cert_file(), X509_get_default_cert_dir()]
        guard variables.allSatisfy({ $0.flatMap { environment(String(cString: $0)) } == nil }),
            places.allSatisfy({ $0.map { !exists(String(cString: $0)) } ?? true }),
            let bundle = bundles.first(where: exists)
        else { return .system }
        return .file(bundle)
    }
}
