/// A problem with a peer's certificate. Subjects and issuers are one line each and safe to print.
package enum TLSCertificateProblem: Error, Equatable, Sendable {
    /// The certificate has expired. `depth` is 0 for the peer's own certificate, 1 for its issuer's, and so on.
    case expired(subject: String, depth: Int, at: String)
    /// The certificate is not valid yet.
    case notYetValid(subject: String, depth: Int, from: String)
    /// The certificate is self-signed and not trusted. `pin` is that of its key, or `nil` if it cannot be encoded.
    case selfSigned(subject: String, pin: TLSPin?)
    /// The chain ends at an authority that is not trusted.
    case unknownAuthority(authority: String)
    /// The issuer's certificate was not sent and is not trusted.
    case missingIssuer(subject: String, issuer: String)
    /// The certificate is for other host names.
    case wrongHost(host: String, names: [String])
    /// The certificate is for other addresses.
    case wrongAddress(address: String, names: [String])
    /// The certificate is for `pattern`, and its wildcard would have to match several labels.
    case wildcardAcrossLabels(host: String, pattern: String)
    /// The certificate is for `pattern`, and only one label follows its wildcard.
    case wildcardTooWide(host: String, pattern: String)
    /// The certificate has no subject alternative name. A common name does not count.
    case noAlternativeName(host: String, commonName: String?)
    /// The certificate's key usage does not permit this use.
    case wrongPurpose(subject: String, depth: Int)
    /// The key matches none of the pins. `pin` is the key's own pin, or `nil` if the key is unreadable.
    case wrongPin(pin: TLSPin?)
    /// The key is too short.
    case weakKey(subject: String, depth: Int, algorithm: String, bits: Int)
    /// The certificate is signed with a digest that can be forged.
    case weakDigest(subject: String, depth: Int, algorithm: String)
    /// The certificate signed another but does not belong to an authority.
    case notAnAuthority(subject: String)
    /// The certificate signed a longer chain than its path length constraint allows.
    case pathLengthExceeded(subject: String)
    /// The issuer has revoked the certificate.
    case revoked(subject: String)
    /// The signature of the certificate is wrong.
    case badSignature(subject: String)
    /// An authority in the chain may not sign for the certificate's names.
    case nameNotPermitted(subject: String)
    /// The chain exceeds OpenSSL's maximum length.
    case chainTooLong
    /// Another problem, in OpenSSL's words.
    case rejected(subject: String, reason: String)
}

extension TLSCertificateProblem {
    /// A stable identifier for scripts and the manual.
    package var identifier: String {
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
