/// `Sec-WebSocket-Key` and the matching `Sec-WebSocket-Accept` (RFC 6455 §1.3).
enum HandshakeKey {
    static let fieldName = "Sec-WebSocket-Key"
    /// The number of random bytes in a key.
    static let nonceByteCount = 16

    /// The key for a nonce.
    static func key(nonce: [UInt8]) -> String {
        Digest.base64(nonce)
    }

    /// The Sec-WebSocket-Accept value for a key.
    static func accept(key: String) -> [UInt8] {
        var value: [UInt8] = []
        appendAccept(key: key.utf8.span, to: &value)
        return value
    }

    /// Appends the Sec-WebSocket-Accept value for a key.
    static func appendAccept(key: Span<UInt8>, to bytes: inout [UInt8]) {
        // RFC 6455 §4.2.2: the Base64 encoding of the SHA-1 hash of the key concatenated with this GUID.
        Digest.appendBase64SHA1(of: key, followedBy: "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", to: &bytes)
    }

    /// Whether the key is the Base64 encoding of 16 bytes.
    static func isWellFormed(_ key: Span<UInt8>) -> Bool {
        // 16 bytes encode to 22 digits and two padding characters.
        guard key.count == 24, key[22] == UInt8(ascii: "="), key[23] == UInt8(ascii: "=") else { return false }
        for index in 0..<22 where !isBase64Digit(key[index]) { return false }
        return true
    }

    private static func isBase64Digit(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
    }
}
