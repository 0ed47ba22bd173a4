extension TLSCertificateProblem: CustomStringConvertible {
    /// The reason and the remedy, for a server's certificate.
    package var description: String { "the server's certificate \(reason); \(remedy)" }

    /// A predicate that follows "the certificate".
    internal var reason: String {
        switch self {
        case .expired(let subject, let depth, let time):
            Self.said("expired on \(time)", of: subject, depth)
        case .notYetValid(let subject, let depth, let time):
            Self.said("is not yet valid, only from \(time) on", of: subject, depth)
        case .selfSigned(let subject, _): "is self-signed and not trusted (\(Self.cut(subject)))"
        case .unknownAuthority(let authority): "was issued by an untrusted authority: \(Self.cut(authority))"
        case .missingIssuer(_, let issuer):
            "was issued by \(Self.cut(issuer)), which is not trusted and which the server did not send: "
                + "an intermediate certificate is missing, or the authority is unknown"
        case .wrongHost(let host, let names): "is not for \(quoted(host)) but for \(Self.list(names))"
        // The names that match are of the wrong type: RFC 9525 §6.2 compares an address only with addresses.
        case .wrongAddress(let address, let names) where names.contains(address):
            "has \(address) only as a DNS name, not as an IP address"
        case .wrongAddress(let address, let names): "is not for the address \(address) but for \(Self.list(names))"
        case .wildcardAcrossLabels(let host, let pattern):
            "is for \(quoted(pattern)), not for \(quoted(host)): a wildcard matches only one label"
        case .wildcardTooWide(let host, let pattern):
            "is for \(quoted(pattern)), not for \(quoted(host)): a wildcard needs two labels after it"
        case .noAlternativeName(let host, let commonName):
            "has no subject alternative name and so is not valid for \(quoted(host))"
                + (commonName.map { ": its common name \(quoted($0)) is ignored" } ?? "")
        case .wrongPurpose(let subject, let depth):
            Self.said("is not for this purpose, according to its key usage", of: subject, depth)
        case .wrongPin(let pin): "does not have the pinned key but \(pin?.description ?? "an unreadable one")"
        case .weakKey(let subject, let depth, let algorithm, let bits):
            Self.said("has a weak key: \(algorithm) with \(bits) bits", of: subject, depth)
        case .weakDigest(let subject, let depth, let algorithm):
            Self.said("has a weak signature: \(algorithm)", of: subject, depth)
        case .notAnAuthority(let subject): "was signed by \(Self.cut(subject)), which is not a certificate authority"
        case .pathLengthExceeded(let subject):
            "has a longer chain than the authority \(Self.cut(subject)) allows"
        case .revoked(let subject): "was revoked (\(Self.cut(subject)))"
        case .badSignature(let subject): "has a chain with an invalid signature on \(Self.cut(subject))"
        case .nameNotPermitted(let subject): "is for names that its authority may not certify (\(Self.cut(subject)))"
        case .chainTooLong: "has a chain of issuers that is too long"
        case .rejected(let subject, let reason): "was rejected: \(reason) (\(Self.cut(subject)))"
        }
    }

    private var remedy: String {
        switch self {
        case .expired: "renew it on the server, check this machine's clock, or skip verification with --insecure"
        case .notYetValid: "check the clocks of both machines, or skip verification with --insecure"
        case .selfSigned(_, let pin):
            "trust it with --ca FILE, or compare its pin with the server's, and use --insecure --pin "
                + "\(pin?.description ?? "PIN")"
        case .unknownAuthority: "trust the authority with --ca FILE, or skip verification with --insecure"
        case .missingIssuer: "make the server send its whole chain, or trust the issuer with --ca FILE"
        case .wrongAddress(let address, let names) where names.contains(address):
            "reissue it with the alternative name IP:\(address), or skip verification with --insecure"
        case .wrongHost, .wrongAddress: "check the URL, or set the expected name with --tls-server-name"
        // No name matches the pattern, so --tls-server-name cannot help.
        case .wildcardTooWide(let host, _):
            "reissue it for \(quoted(host)), or skip verification with --insecure"
        case .wildcardAcrossLabels(let host, _):
            "reissue it for \(quoted(host)), or set a name that it covers with --tls-server-name"
        case .noAlternativeName(let host, _):
            "reissue it with \(quoted(host)) as an alternative name, or skip verification with --insecure"
        case .wrongPin:
            "if that key is right, use it with --pin; otherwise, someone may be intercepting the connection"
        case .weakKey: "reissue it with \(Self.strongKey), or skip verification with --insecure"
        case .weakDigest: "reissue it with a SHA-256 signature, or skip verification with --insecure"
        case .revoked: "do not trust this server until it has a new certificate"
        case .wrongPurpose: "reissue it for servers (serverAuth), or skip verification with --insecure"
        case .notAnAuthority, .pathLengthExceeded, .badSignature, .nameNotPermitted, .chainTooLong, .rejected:
            "check the server's chain with 'openssl verify', or skip verification with --insecure"
        }
    }

    /// The keys that OpenSSL accepts at security level 2.
    static let strongKey = "an RSA key of 2048 bits or more, or an EC key of 224 bits or more"

    /// Adds the issuer's name if the certificate is not the peer's own.
    private static func said(_ words: String, of subject: String, _ depth: Int) -> String {
        depth == 0 ? words : "has an issuer, \(cut(subject)), that \(words)"
    }

    /// Truncates a name, which the peer chooses and which may be long.
    private static func cut(_ name: String) -> String {
        let maximumCharacterCount = 120
        return name.count > maximumCharacterCount ? name.prefix(maximumCharacterCount) + "…" : name
    }

    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "no name" }
        let shownCount = 6
        let shown = names.prefix(shownCount).map { quoted($0) }.joined(separator: ", ")
        return names.count > shownCount ? "\(shown) and \(names.count - shownCount) more" : shown
    }
}
