import COpenSSL

/// An authority that issues certificates for the names of other servers, in whose place a relay answers. Confined to one
/// thread.
///
/// All its certificates have the same key, which exists only in this process.
package final class CertificateAuthority {
    private final class Leaf {
        let certificate: OpaquePointer
        /// When a new one must be issued, in seconds since 1970-01-01 00:00 UTC.
        let renewalSeconds: Int

        init(_ certificate: OpaquePointer, renewalSeconds: Int) {
            self.certificate = certificate
            self.renewalSeconds = renewalSeconds
        }

        deinit { X509_free(certificate) }
    }

    private let identity: TLSIdentity
    /// The authority's own certificate, which follows the leaf: Chromium looks for pinned keys in what the server sends.
    let chain = X509Stack()
    private let endSeconds: Int
    /// The key of all leaves.
    let leafKey: OpaquePointer
    private var leaves: [String: Leaf] = [:]

    /// The maximum number of leaves that are kept. Then all are discarded, because issuing one takes less than 1 ms.
    static let maximumLeaves = 1000
    private static let lifetimeDays = 5 * 365
    private static let leafDays = 90

    /// Generates the key and the certificate of an authority, valid from one day before now for 5 years.
    /// - Parameters:
    ///   - owner: The user and machine that it belongs to, as shown in lists of authorities.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``TLSConfigurationError/unavailable(reason:)``.
    package static func generate(
        owner: String, nowSeconds: Int
    ) throws(TLSConfigurationError) -> TLSCertificateSource {
        let day = CertificateContents.daySeconds
        // RFC 5280 §A.1: a common name has at most 64 characters.
        let name = String(String.UnicodeScalarView("wsx relay (\(owner))".unicodeScalars.prefix(64)))
        return try TLSCertificateSource(
            generating: CertificateContents(
                subject: [("CN", name), ("O", "wsx relay")],
                validity: nowSeconds - day...nowSeconds + lifetimeDays * day,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                    (NID_key_usage, "critical,keyCertSign,cRLSign"), (NID_subject_key_identifier, "hash"),
                ]))
    }

    /// Reads an authority.
    /// - Parameters:
    ///   - source: Its certificate and key in PEM.
    ///   - files: The names of the files with the certificate and the key, for errors.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``TLSConfigurationError``.
    package init(
        _ source: TLSCertificateSource, files: (certificate: String, key: String), nowSeconds: Int
    ) throws(TLSConfigurationError) {
        identity = try source.identity(certificateOption: files.certificate, keyOption: files.key)
        endSeconds = X509Text.seconds(X509_get0_notAfter(identity.leaf)) ?? 0
        guard let leafKey = wsx_make_p256_key() else { throw .unavailable(reason: OpenSSLErrors.takeWords()) }
        self.leafKey = leafKey
        let leaf = identity.leaf
        X509_up_ref(leaf)
        chain.append(leaf)
        // RFC 5280 §4.2.1.3, §4.2.1.9: basic constraints and, if present, key usage must permit it.
        guard X509_check_ca(leaf) == 1, X509_get_key_usage(leaf) & UInt32(KU_KEY_CERT_SIGN) != 0 else {
            throw .notAnAuthority(file: files.certificate)
        }
        guard X509_check_private_key(leaf, identity.key) == 1 else {
            OpenSSLErrors.clear()
            throw .keyDoesNotFit(certificateOption: files.certificate, keyOption: files.key)
        }
        guard nowSeconds >= X509Text.seconds(X509_get0_notBefore(leaf)) ?? .max else {
            throw .authorityNotYetValid(file: files.certificate, from: X509Text.time(X509_get0_notBefore(leaf)))
        }
        guard nowSeconds < endSeconds else {
            throw .authorityExpired(
                file: files.certificate, key: files.key, at: X509Text.time(X509_get0_notAfter(leaf)))
        }
    }

    deinit { EVP_PKEY_free(leafKey) }

    /// The certificate alone, in PEM.
    package var certificate: [UInt8] { X509Text.written { PEM_write_bio_X509($0, identity.leaf) } }

    /// The pin of the authority's key.
    package var pin: TLSPin? { TLSPin(certificate: identity.leaf) }

    /// The certificate for a server. It belongs to the authority and is valid until the next call.
    /// - Parameters:
    ///   - host: A host name in ASCII, or an IP address with or without brackets.
    ///   - nowSeconds: The current time in seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``TLSConfigurationError/invalidName(_:)``, or ``TLSConfigurationError/unavailable(reason:)``.
    func leaf(for host: String, nowSeconds: Int) throws(TLSConfigurationError) -> OpaquePointer {
        let name = ASCII.lowercased(TLSServerName(host: host).verifiedText)
        if let leaf = leaves[name], nowSeconds < leaf.renewalSeconds { return leaf.certificate }
        guard Self.isExactHost(name) else { throw .invalidName(host) }
        let leaf = try issue(for: name, nowSeconds: nowSeconds)
        if leaves.count >= Self.maximumLeaves { leaves = [:] }
        leaves[name] = leaf
        return leaf.certificate
    }

    private func issue(for name: String, nowSeconds: Int) throws(TLSConfigurationError) -> Leaf {
        let day = CertificateContents.daySeconds
        let end = min(nowSeconds + Self.leafDays * day, endSeconds)
        var extensions = CertificateContents.serverExtensions
        if X509_get0_subject_key_id(identity.leaf) != nil { extensions.append((NID_authority_key_identifier, "keyid")) }
        let contents = CertificateContents(
            subject: (name.utf8.count <= 64 ? [("CN", name)] : []) + [("O", "wsx relay")], names: [name],
            validity: min(nowSeconds - day, end)...end, extensions: extensions)
        let certificate = try contents.certificate(of: leafKey, issuedBy: (identity.leaf, identity.key))
        return Leaf(certificate, renewalSeconds: end - day)
    }

    /// Whether a name is an address, or has labels of 1 to 63 characters and no wildcard (RFC 1034 §3.1).
    private static func isExactHost(_ name: String) -> Bool {
        if IPLiteral.ipv4(name) != nil || IPLiteral.ipv6(name) != nil { return true }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { (1...63).contains($0.count) && !$0.contains(UInt8(ascii: "*")) }
    }
}
