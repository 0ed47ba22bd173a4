extension TLSCertificateProblem: CustomStringConvertible {
    /// The reason and the remedy, for a server's certificate.
    public var description: String { "the server's certificate \(reason); \(remedy)" }

    /// A predicate that follows "the certificate".
    internal var reason: String {
        switch self {
        case .expired(let subject, let depth, let time):
            Self.said("expired on \(time)", of: subject, depth)
        case .notYetValid(let subject, let depth, let time):
            Self.said("is not yet valid, only from \(time) on", of: subject, depth)
        case .selfSigned(let subject): "is self-signed and not trusted (\(Self.cut(subject)))"
        case .unknownAuthority(let authority): "goes back to an authority that is not trusted: \(Self.cut(authority))"
        case .missingIssuer(_, let issuer):
            "was issued by \(Self.cut(issuer)), which the server did not send and which is not trusted: "
                + "an intermediate certificate is missing or the authority is unknown"
        case .wrongHost(let host, let names): "is not for \(quoted(host)) but for \(Self.list(names))"
        case .wrongAddress(let address, let names): "is not for the address \(address) but for \(Self.list(names))"
        case .wildcardAcrossLabels(let host, let pattern):
            "is for \(quoted(pattern)), not for \(quoted(host)): a wildcard stands for one label only"
        case .wildcardTooWide(let host, let pattern):
            "is for \(quoted(pattern)), not for \(quoted(host)): a wildcard needs two labels after it"
        case .noAlternativeName(let host, let commonName):
            "has no subject alternative name, so that it is not for \(quoted(host))"
                + (commonName.map { ": its common name \(quoted($0)) does not count" } ?? "")
        case .wrongPurpose(let subject, let depth):
            Self.said("may not be used for this: its key usage does not allow it", of: subject, depth)
        case .wrongPin(let pin): "has another key than the pinned one: \(pin?.description ?? "unreadable")"
        case .weakKey(let subject, let depth, let algorithm, let bits):
            Self.said("has a weak key: \(algorithm) with \(bits) bits", of: subject, depth)
        case .weakDigest(let subject, let depth, let algorithm):
            Self.said("has a weak signature: \(algorithm)", of: subject, depth)
        case .badChainOrder(let subject, let issuer):
            "is in a chain out of order: \(Self.cut(subject)) is not followed by its issuer \(Self.cut(issuer))"
        case .notAnAuthority(let subject): "was signed by \(Self.cut(subject)), which is not an authority"
        case .pathLengthExceeded(let subject):
            "has more certificates between than the authority \(Self.cut(subject)) allows"
        case .revoked(let subject): "was revoked (\(Self.cut(subject)))"
        case .badSignature(let subject): "has a chain with a wrong signature under \(Self.cut(subject))"
        case .nameNotPermitted(let subject): "is for names that its authority may not sign for (\(Self.cut(subject)))"
        case .chainTooLong: "has too long a chain of issuers"
        case .rejected(let subject, let reason): "was rejected: \(reason) (\(Self.cut(subject)))"
        }
    }

    private var remedy: String {
        switch self {
        case .expired: "renew it on the server, check this machine's clock, or connect anyway with --insecure"
        case .notYetValid: "check the clocks of both machines, or connect anyway with --insecure"
        case .selfSigned: "trust it with --ca FILE, or know it by --pin and --insecure"
        case .unknownAuthority: "give the authority's certificate with --ca, or connect anyway with --insecure"
        case .missingIssuer: "have the server send its whole chain, or give the issuer's certificate with --ca"
        case .wrongHost, .wrongAddress, .wildcardAcrossLabels, .wildcardTooWide:
            "check the URL, or give the name to expect with --tls-server-name"
        case .noAlternativeName: "have it issued anew with its names, or connect anyway with --insecure"
        case .wrongPin:
            "if that key is the right one, pin it with --pin; else someone may be between you and the server"
        case .weakKey, .weakDigest: "have it issued anew with a stronger one, or connect anyway with --insecure"
        case .badChainOrder: "put the server's chain in order, each certificate before its issuer's"
        case .revoked: "do not trust this server until it has another"
        case .wrongPurpose: "have it issued anew for servers (serverAuth), or connect anyway with --insecure"
        case .notAnAuthority, .pathLengthExceeded, .badSignature, .nameNotPermitted, .chainTooLong, .rejected:
            "check the server's chain with openssl verify, or connect anyway with --insecure"
        }
    }

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
        guard !names.isEmpty else { return "no name at all" }
        let shownCount = 6
        let shown = names.prefix(shownCount).map { quoted($0) }.joined(separator: ", ")
        return names.count > shownCount ? "\(shown) and \(names.count - shownCount) more" : shown
    }
}
