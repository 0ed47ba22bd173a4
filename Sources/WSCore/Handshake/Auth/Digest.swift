import COpenSSL

/// SHA-1 and Base64, which the opening handshake needs (RFC 6455 §1.3), and SHA-256, of OpenSSL.
public enum Digest {
    /// The 20-byte SHA-1 of `bytes`.
    static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        _ = SHA1(bytes, bytes.count, &digest)
        return digest
    }

    /// The 32-byte SHA-256 of `bytes`.
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        _ = SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// Whether two digests are equal, found out in a time that does not depend on where they differ.
    static func areEqual(_ digest: [UInt8], _ other: [UInt8]) -> Bool {
        digest.count == other.count && CRYPTO_memcmp(digest, other, digest.count) == 0
    }

    /// How Content-Security-Policy names a script or a style by its SHA-256: `sha256-` and Base64 (CSP3 §2.3.1).
    public static func sha256Source(of text: String) -> String {
        "sha256-" + base64(sha256(Array(text.utf8)))
    }

    /// Appends the Base64 form of `bytes` with padding (RFC 4648 §4).
    public static func appendBase64(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        var offset = 0
        while offset < bytes.byteCount {
            let piece = bytes.extracting(offset..<min(bytes.byteCount, offset + base64PieceBytes))
            let encodedByteCount = (piece.byteCount + 2) / 3 * 4
            // EVP_EncodeBlock ends what it writes with a NUL.
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

    /// A multiple of three, so that only the last piece has padding, and well below what an `int` holds.
    private static let base64PieceBytes = 3 << 20

    /// The Base64 form of `bytes` with padding (RFC 4648 §4).
    static func base64(_ bytes: [UInt8]) -> String {
        let encodedByteCount = (bytes.count + 2) / 3 * 4
        // EVP_EncodeBlock ends what it writes with a NUL.
        var encoded = [UInt8](repeating: 0, count: encodedByteCount + 1)
        _ = EVP_EncodeBlock(&encoded, bytes, Int32(clamping: bytes.count))
        return String(decoding: encoded[..<encodedByteCount], as: UTF8.self)
    }
}
