import COpenSSL

/// Reads certificates and keys in PEM format (RFC 7468).
enum PEM {
    /// Reads all certificates in order. The result may be empty.
    static func certificates(
        _ bytes: [UInt8], option: String
    ) throws(TLSConfigurationError) -> X509Stack {
        let stack = X509Stack()
        var request = PassphraseRequest(passphrase: nil)
        let errors = withBIO(bytes) { bio in
            withUnsafeMutablePointer(to: &request) { request in
                OpenSSLErrors.clear()
                while let certificate = PEM_read_bio_X509(bio, nil, answerPassphrase, request) {
                    stack.append(certificate)
                }
                return OpenSSLErrors.takeAll()
            }
        }
        // The end of the file appears as a missing start line.
        guard let error = errors.first, !isEnd(error) else {
            if stack.isEmpty { try checkForm(of: bytes, option: option) }
            return stack
        }
        throw .invalidCertificate(option: option, reason: error.words)
    }

    /// Reads the first private key. The caller must free it.
    static func key(
        _ bytes: [UInt8], passphrase: String?, option: String
    ) throws(TLSConfigurationError) -> OpaquePointer {
        var request = PassphraseRequest(passphrase: passphrase)
        let (key, errors) = withBIO(bytes) { bio in
            withUnsafeMutablePointer(to: &request) { request in
                OpenSSLErrors.clear()
                return (PEM_read_bio_PrivateKey(bio, nil, answerPassphrase, request), OpenSSLErrors.takeAll())
            }
        }
        if let key { return key }
        if request.wasMade { throw passphrase == nil ? .passphraseNeeded : .wrongPassphrase }
        guard let error = errors.last, !isEnd(error), hasKey(bytes) else {
            try checkForm(of: bytes, option: option)
            throw .noKey(option: option)
        }
        throw .invalidKey(option: option, reason: error.words)
    }

    /// Throws an error if the bytes are in a binary format.
    private static func checkForm(of bytes: [UInt8], option: String) throws(TLSConfigurationError) {
        if DER.sequenceContent(of: bytes) != nil { throw .notPEM(option: option) }
    }

    private static func isEnd(_ error: OpenSSLError) -> Bool {
        error.library == ERR_LIB_PEM && error.reason == PEM_R_NO_START_LINE
    }

    /// Whether there is a private key, readable or not.
    static func hasKey(_ bytes: [UInt8]) -> Bool {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return zip(words, words.dropFirst()).contains { $0 == "PRIVATE" && $1 == "KEY-----" }
    }

    static func withBIO<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { BIO_free(bio) }
            return body(bio)
        }
    }
}

/// OpenSSL's request for a passphrase. Without our callback, OpenSSL would ask on the terminal.
private struct PassphraseRequest {
    let passphrase: String?
    var wasMade = false
}

private func answerPassphrase(
    target: UnsafeMutablePointer<CChar>?, room: Int32, isForWriting: Int32, data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let target, let request = data?.assumingMemoryBound(to: PassphraseRequest.self) else { return -1 }
    request.pointee.wasMade = true
    guard let passphrase = request.pointee.passphrase, passphrase.utf8.count <= room else { return -1 }
    for (index, byte) in passphrase.utf8.enumerated() { target[index] = CChar(bitPattern: byte) }
    return Int32(truncatingIfNeeded: passphrase.utf8.count)
}

/// A list of certificates that it owns. Closures can borrow them, so no reference outlives the list.
final class X509Stack {
    private let handle: OpaquePointer?

    init() { handle = wsx_certificates_new() }

    /// Takes ownership of OpenSSL's list. `nil` is an empty one, to which nothing can be appended.
    init(owning handle: OpaquePointer?) { self.handle = handle }

    deinit { wsx_certificates_free(handle) }

    var isEmpty: Bool { wsx_certificate_count(handle) == 0 }

    /// Borrows the list.
    func withHandle<Result>(_ body: (OpaquePointer?) -> Result) -> Result { body(handle) }

    /// Borrows the first certificate, or `nil` if the list is empty.
    func withFirst<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        body(isEmpty ? nil : wsx_certificate(handle, 0))
    }

    /// Borrows each certificate.
    func forEach(_ body: (OpaquePointer) -> Void) {
        for index in 0..<wsx_certificate_count(handle) { wsx_certificate(handle, index).map(body) }
    }

    /// The certificates that lead from `leaf` to an authority, each followed by that of its issuer (RFC 5246 §7.4.2).
    func issuers(of leaf: OpaquePointer) -> X509Stack {
        let chain = X509Stack()
        var last = leaf
        // A self-signed certificate ends the chain. The limit ends a circle.
        for _ in 0..<wsx_certificate_count(handle) where X509_check_issued(last, last) != X509_V_OK {
            var issuer: OpaquePointer?
            forEach { if issuer == nil, X509_check_issued($0, last) == X509_V_OK { issuer = $0 } }
            guard let issuer else { break }
            X509_up_ref(issuer)
            chain.append(issuer)
            last = issuer
        }
        return chain
    }

    /// Appends a certificate and takes ownership of it.
    func append(_ certificate: OpaquePointer) {
        if wsx_certificates_push(handle, certificate) <= 0 { X509_free(certificate) }
    }

    /// Removes the first certificate and transfers ownership to the caller.
    func takeFirst() -> OpaquePointer? { wsx_certificates_shift(handle) }
}
