import COpenSSL

/// Verifies the certificates that a peer has sent.
struct CertificateVerifier {
    /// Whether to verify the chain and the name. Pins are checked in any case.
    let verifies: Bool
    let pins: [TLSPin]
    /// The name that the certificate must contain, or `nil` for a client's certificate.
    let name: TLSServerName?

    /// Returns the problem, or `nil` if the certificates are acceptable. OpenSSL derives its alert from the error left
    /// in `store`.
    func judge(_ store: OpaquePointer) -> TLSCertificateProblem? {
        // RFC 8446 §4.4.2: the certificates after the first may have any order, with any version of TLS.
        if verifies, X509_verify_cert(store) != 1 {
            let problem = problem(store)
            // The error would offer the pin of an interceptor.
            if case .selfSigned(_, let pin?) = problem, !pins.isEmpty, !pins.contains(pin) {
                return .wrongPin(pin: pin)
            }
            return problem
        }
        if !pins.isEmpty {
            let pin = X509_STORE_CTX_get0_cert(store).flatMap(TLSPin.init(certificate:))
            guard let pin, pins.contains(pin) else {
                X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
                return .wrongPin(pin: pin)
            }
        }
        X509_STORE_CTX_set_error(store, X509_V_OK)
        return nil
    }

    /// Translates OpenSSL's error, with the certificate at the depth where it occurred.
    private func problem(_ store: OpaquePointer) -> TLSCertificateProblem {
        let error = X509_STORE_CTX_get_error(store)
        guard let certificate = X509_STORE_CTX_get_current_cert(store) ?? X509_STORE_CTX_get0_cert(store) else {
            return .rejected(subject: "(no name)", reason: Self.words(of: error))
        }
        let depth = Int(X509_STORE_CTX_get_error_depth(store))
        let subject = X509Text.subject(of: certificate)
        switch error {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return .expired(subject: subject, depth: depth, at: X509Text.time(X509_get0_notAfter(certificate)))
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(subject: subject, depth: depth, from: X509Text.time(X509_get0_notBefore(certificate)))
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return .selfSigned(subject: subject, pin: TLSPin(certificate: certificate))
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return .unknownAuthority(authority: subject)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            let issuer = X509Text.issuer(of: certificate)
            return depth == 0 ? .missingIssuer(subject: subject, issuer: issuer) : .unknownAuthority(authority: issuer)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return Self.nameProblem(certificate, name: name)
        case X509_V_ERR_INVALID_PURPOSE: return .wrongPurpose(subject: subject, depth: depth)
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
            // OpenSSL also reports a key that it cannot read as too weak.
            guard let key = X509_get0_pubkey(certificate) else {
                return .rejected(subject: subject, reason: "its key cannot be read")
            }
            return .weakKey(
                subject: subject, depth: depth, algorithm: Self.algorithm(of: key), bits: Int(EVP_PKEY_get_bits(key)))
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return .weakDigest(subject: subject, depth: depth, algorithm: Self.signatureAlgorithm(certificate))
        default: return Self.rarerProblem(error, subject: subject)
        }
    }

    private static func rarerProblem(_ error: Int32, subject: String) -> TLSCertificateProblem {
        switch error {
        case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_INVALID_NON_CA:
            .notAnAuthority(subject: subject)
        case X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathLengthExceeded(subject: subject)
        case X509_V_ERR_CERT_REVOKED: .revoked(subject: subject)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
            .badSignature(subject: subject)
        case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION: .nameNotPermitted(subject: subject)
        case X509_V_ERR_CERT_CHAIN_TOO_LONG: .chainTooLong
        default: .rejected(subject: subject, reason: words(of: error))
        }
    }

    private static func words(of error: Int32) -> String {
        X509_verify_cert_error_string(Int(error)).map { escapingControls(String(cString: $0)) } ?? "error \(error)"
    }

    private static func algorithm(of key: OpaquePointer) -> String {
        EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
    }

    private static func signatureAlgorithm(_ certificate: OpaquePointer) -> String {
        OBJ_nid2sn(X509_get_signature_nid(certificate)).map { String(cString: $0) } ?? "unknown"
    }
}

extension CertificateVerifier {
    /// The reason a certificate does not match `name`, after OpenSSL has found that it does not.
    private static func nameProblem(_ certificate: OpaquePointer, name: TLSServerName?) -> TLSCertificateProblem {
        let names = X509Text.alternativeNames(of: certificate)
        let wanted = name?.verifiedText ?? ""
        guard !names.all.isEmpty else {
            return .noAlternativeName(host: wanted, commonName: X509Text.commonName(of: certificate))
        }
        guard case .name = name else { return .wrongAddress(address: escapingControls(wanted), names: names.all) }
        for pattern in names.hosts where pattern.hasPrefix("*.") {
            let suffix = pattern.dropFirst()
            guard ASCII.areEqualIgnoringCase(String(wanted.suffix(suffix.count)), String(suffix)) else { continue }
            let isAcrossLabels = wanted.dropLast(suffix.count).contains(".")
            return isAcrossLabels
                ? .wildcardAcrossLabels(host: wanted, pattern: pattern)
                : .wildcardTooWide(host: wanted, pattern: pattern)
        }
        return .wrongHost(host: wanted, names: names.all)
    }

    /// Finds a certificate that is not followed by its issuer, although the issuer was sent. Some clients reject such a
    /// chain.
    ///
    /// Ignores repeated certificates, and those after the last one whose issuer was sent.
    /// - Returns: In words, safe to print, or `nil` if the order is right.
    internal static func chainOrderNote(_ sent: OpaquePointer?) -> String? {
        var chain: [OpaquePointer] = []
        for index in 0..<wsx_certificate_count(sent) {
            guard let certificate = wsx_certificate(sent, index) else { continue }
            if !chain.contains(where: { X509_cmp($0, certificate) == 0 }) { chain.append(certificate) }
        }
        var index = 0
        // RFC 5246 §7.4.2, RFC 8446 §4.4.2: each following certificate should directly certify the one preceding it.
        while index + 1 < chain.count, !issued(chain[index], by: chain[index]) {
            guard issued(chain[index], by: chain[index + 1]) else {
                guard let issuer = chain.first(where: { issued(chain[index], by: $0) }) else { return nil }
                return "\(X509Text.subject(of: chain[index])) is not followed by its issuer "
                    + X509Text.subject(of: issuer)
            }
            index += 1
        }
        return nil
    }

    private static func issued(_ certificate: OpaquePointer, by issuer: OpaquePointer) -> Bool {
        X509_check_issued(issuer, certificate) == X509_V_OK
    }
}
