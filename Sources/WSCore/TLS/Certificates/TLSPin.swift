import COpenSSL

/// A pin: the SHA-256 hash of a certificate's public key (SubjectPublicKeyInfo; RFC 7469 §2.4).
package struct TLSPin: Hashable, Sendable {
    internal let hash: [UInt8]

    private static let prefix = "sha256//"
    private static let hashBytes = Int(SHA256_DIGEST_LENGTH)

    /// Parses `sha256//` followed by 44 Base64 characters.
    /// - Throws: ``TLSPinError``.
    package init(_ text: String) throws(TLSPinError) {
        guard text.hasPrefix(Self.prefix) else { throw TLSPinError(text: text, isPrefixMissing: true) }
        let encoded = Array(text.dropFirst(Self.prefix.count).utf8)
        guard encoded.count == 44, encoded.last == UInt8(ascii: "="), encoded[42] != UInt8(ascii: "=") else {
            throw TLSPinError(text: text, isPrefixMissing: false)
        }
        // OpenSSL decodes the padding as a zero byte.
        var decoded = [UInt8](repeating: 0, count: Self.hashBytes + 1)
        let hash = EVP_DecodeBlock(&decoded, encoded, 44) == 33 ? Array(decoded.prefix(Self.hashBytes)) : []
        // Encoding it again detects skipped characters and excess bits in the last character.
        guard Digest.base64(hash) == text.dropFirst(Self.prefix.count) else {
            throw TLSPinError(text: text, isPrefixMissing: false)
        }
        self.hash = hash
    }

    /// The pin of a certificate's key, or `nil` if the key cannot be encoded.
    internal init?(certificate: OpaquePointer) {
        guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
        self.init { i2d_X509_PUBKEY(key, $0) }
    }

    /// The pin of the SubjectPublicKeyInfo that `encode` allocates and writes in DER; `nil` if it fails.
    internal init?(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = encode(&encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        var hash = [UInt8](repeating: 0, count: Self.hashBytes)
        _ = SHA256(encoded, Int(count), &hash)
        self.hash = hash
    }
}

extension TLSPin: CustomStringConvertible {
    /// The form that ``init(_:)`` and curl accept.
    package var description: String { Self.prefix + Digest.base64(hash) }
}

/// The text is not a pin.
package struct TLSPinError: Error, Equatable, CustomStringConvertible {
    /// The invalid text.
    package let text: String
    /// Whether the text lacks the prefix `sha256//`.
    package let isPrefixMissing: Bool

    /// The reason and the remedy.
    package var description: String {
        isPrefixMissing
            ? "\(quoted(text)) is not a pin; write sha256//BASE64, as shown by -v"
            : "\(quoted(text)) is not a pin: sha256// must be followed by 44 characters of Base64; copy all of it"
    }
}
