import COpenSSL

/// Hashes and Base64. All use OpenSSL.
package enum Digest {
    /// Appends the Base64 encoding (28 bytes) of the SHA-1 hash of two texts.
    static func appendBase64SHA1(of text: Span<UInt8>, followedBy suffix: StaticString, to bytes: inout [UInt8]) {
        // OpenSSL appends a NUL.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 29) { encoded in
            guard let start = encoded.baseAddress else { return }
            text.withUnsafeBytes {
                wsx_base64_sha1($0.baseAddress, $0.count, suffix.utf8Start, suffix.utf8CodeUnitCount, start)
            }
            bytes.append(contentsOf: encoded[..<28])
        }
    }

    /// The SHA-256 hash of `bytes` (32 bytes).
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes, by: sha256Algorithm, byteCount: Int(SHA256_DIGEST_LENGTH))
    }

    /// The HMAC-SHA256 of `bytes` (RFC 2104, 32 bytes).
    static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        hmac(bytes, key: key, by: sha256Algorithm, byteCount: Int(SHA256_DIGEST_LENGTH))
    }

    /// The algorithms of templates. The raw values are names of OpenSSL.
    package enum Algorithm: String, Sendable {
        case md5, sha1, sha256, sha512
    }

    /// The hash of `bytes`, or `nil` if OpenSSL's configuration excludes the algorithm, as FIPS mode excludes MD5.
    package static func hash(_ bytes: [UInt8], by algorithm: Algorithm) -> [UInt8]? {
        withAlgorithm(algorithm.rawValue) { hash(bytes, by: $0, byteCount: $1) }
    }

    /// The HMAC of `bytes` (RFC 2104), or `nil` if OpenSSL's configuration excludes the algorithm.
    package static func hmac(_ bytes: [UInt8], by algorithm: Algorithm, key: [UInt8]) -> [UInt8]? {
        withAlgorithm(algorithm.rawValue) { hmac(bytes, key: key, by: $0, byteCount: $1) }
    }

    private static func hmac(
        _ bytes: [UInt8], key: [UInt8], by algorithm: OpaquePointer?, byteCount: Int
    ) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: byteCount)
        let result = HMAC(algorithm, key, Int32(clamping: key.count), bytes, bytes.count, &code, nil)
        if result == nil { endProcess(noDigest) }
        return code
    }

    private static func hash(_ bytes: [UInt8], by algorithm: OpaquePointer?, byteCount: Int) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let result = EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
        if result != 1 { endProcess(noDigest) }
        return digest
    }

    private static let noDigest =
        "OpenSSL cannot compute a digest: there is no memory, or its configuration excludes the algorithm"

    // Fetched once: a fetch takes longer than hashing a password. Algorithms do not change and may be shared by threads.
    nonisolated(unsafe) private static let sha256Algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// The hash of `bytes` in lower-case hexadecimal digits.
    /// - Parameter name: The name of the algorithm in OpenSSL.
    /// - Returns: Nil if OpenSSL's configuration excludes the algorithm, as FIPS mode excludes MD5.
    static func hexadecimal(_ bytes: [UInt8], by name: String) -> String? {
        withAlgorithm(name) { hexadecimal(hash(bytes, by: $0, byteCount: $1)) }
    }

    /// Calls `body` with an algorithm and the size of its digests. Returns `nil` if there is no such algorithm.
    private static func withAlgorithm<R>(_ name: String, _ body: (OpaquePointer, Int) -> R) -> R? {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else {
            // The next call of TLS must not find the error.
            ERR_clear_error()
            return nil
        }
        defer { EVP_MD_free(algorithm) }
        return body(algorithm, Int(EVP_MD_get_size(algorithm)))
    }

    /// The bytes in lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Compares two digests in constant time.
    static func areEqual(_ digest: [UInt8], _ other: [UInt8]) -> Bool {
        digest.count == other.count && CRYPTO_memcmp(digest, other, digest.count) == 0
    }

    /// The source expression for an inline script or style in Content-Security-Policy: `sha256-` and the Base64 hash
    /// (CSP3 §2.3.1).
    package static func sha256Source(of text: String) -> String {
        "sha256-" + base64(sha256(Array(text.utf8)))
    }

    /// Appends the Base64 encoding of `bytes` with padding (RFC 4648 §4).
    package static func appendBase64(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        var offset = 0
        while offset < bytes.byteCount {
            let piece = bytes.extracting(offset..<min(bytes.byteCount, offset + base64PieceBytes))
            let encodedByteCount = (piece.byteCount + 2) / 3 * 4
            // EVP_EncodeBlock appends a NUL.
            let target = buffer.reserve(encodedByteCount + 1)
            piece.withUnsafeBytes { source in
                _ = EVP_EncodeBlock(
                    target.assumingMemoryBound(to: UInt8.self), source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    Int32(truncatingIfNeeded: source.count))
            }
            buffer.commit(encodedByteCount)
            offset += piece.byteCount
        }
    }

    /// A multiple of three, so only the last piece is padded, and far below the maximum of `int`.
    private static let base64PieceBytes = 3 << 20

    /// The Base64 encoding of `bytes` with padding (RFC 4648 §4).
    static func base64(_ bytes: [UInt8]) -> String {
        let encodedByteCount = (bytes.count + 2) / 3 * 4
        // EVP_EncodeBlock appends a NUL.
        var encoded = [UInt8](repeating: 0, count: encodedByteCount + 1)
        _ = EVP_EncodeBlock(&encoded, bytes, Int32(clamping: bytes.count))
        return String(decoding: encoded[..<encodedByteCount], as: UTF8.self)
    }
}
