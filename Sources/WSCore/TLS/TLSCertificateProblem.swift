/// What is wrong with a peer's certificate. Subjects and issuers are one line each and safe to print.
public enum TLSCertificateProblem: Error, Equatable, Sendable {
    /// It was valid until a moment; `depth` 0 is the peer's own certificate, 1 its issuer's, and so on.
    case expired(subject: String, depth: Int, at: String)
    /// It will be valid from a moment on.
    case notYetValid(subject: String, depth: Int, from: String)
    /// It is signed with its own key, and not trusted.
    case selfSigned(subject: String)
    /// It goes back to an authority that is not trusted.
    case unknownAuthority(authority: String)
    /// Its issuer was neither sent nor is trusted.
    case missingIssuer(subject: String, issuer: String)
    /// It is for other host names.
    case wrongHost(host: String, names: [String])
    /// It is for other addresses.
    case wrongAddress(address: String, names: [String])
    /// It is for `pattern`, whose asterisk would have to stand for several labels.
    case wildcardAcrossLabels(host: String, pattern: String)
    /// It is for `pattern`, in which a single label follows the asterisk.
    case wildcardTooWide(host: String, pattern: String)
    /// It has no subject alternative name, but at most a common name.
    case noAlternativeName(host: String, commonName: String?)
    /// It is not for what it is used for.
    case wrongPurpose(subject: String, depth: Int)
    /// Its key is none of those that are pinned.
    case wrongPin(pin: TLSPin?)
    /// Its key is too short.
    case weakKey(subject: String, depth: Int, algorithm: String, bits: Int)
    /// It is signed with a digest that can be forged.
    case weakDigest(subject: String, depth: Int, algorithm: String)
    /// What followed it is not its issuer, which was sent somewhere else.
    case badChainOrder(subject: String, issuer: String)
    /// It signed another, and may not.
    case notAnAuthority(subject: String)
    /// It signed a longer chain than it may.
    case pathLengthExceeded(subject: String)
    /// Its issuer has revoked it.
    case revoked(subject: String)
    /// The signature under it is wrong.
    case badSignature(subject: String)
    /// An authority above it may not sign for its names.
    case nameNotPermitted(subject: String)
    /// There are more certificates than are followed.
    case chainTooLong
    /// Something else, in OpenSSL's words.
    case rejected(subject: String, reason: String)
}

extension TLSCertificateProblem {
    /// A name for scripts and the manual, which stays the same.
    public var identifier: String {
        switch self {
        case .expired: "certificate-expired"
        case .notYetValid: "certificate-not-yet-valid"
        case .selfSigned: "certificate-self-signed"
        case .unknownAuthority: "certificate-unknown-authority"
        case .missingIssuer: "certificate-missing-issuer"
        case .wrongHost: "certificate-wrong-host"
        case .wrongAddress: "certificate-wrong-address"
        case .wildcardAcrossLabels: "certificate-wildcard-labels"
        case .wildcardTooWide: "certificate-wildcard-too-wide"
        case .noAlternativeName: "certificate-without-names"
        case .wrongPurpose: "certificate-wrong-purpose"
        case .wrongPin: "certificate-wrong-pin"
        case .weakKey: "certificate-weak-key"
        case .weakDigest: "certificate-weak-digest"
        case .badChainOrder: "certificate-chain-order"
        case .notAnAuthority: "certificate-issuer-not-authority"
        case .pathLengthExceeded: "certificate-path-too-long"
        case .revoked: "certificate-revoked"
        case .badSignature: "certificate-bad-signature"
        case .nameNotPermitted: "certificate-name-not-permitted"
        case .chainTooLong: "certificate-chain-too-long"
        case .rejected: "certificate-rejected"
        }
    }
}
