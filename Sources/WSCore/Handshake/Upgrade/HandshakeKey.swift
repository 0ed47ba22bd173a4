/// `Sec-WebSocket-Key` and the matching `Sec-WebSocket-Accept` (RFC 6455 §1.3).
enum HandshakeKey {
    /// The number of random bytes in a key.
    static let nonceByteCount = 16

    /// The key for a nonce.
    static func key(nonce: [UInt8]) -> String {
        Digest.base64(nonce)
    }

    /// The Sec-WebSocket-Accept value for a key.
    static func accept(key: String) -> String {
        // RFC 6455 §4.2.2: the Base64 encoding of the SHA-1 hash of the key concatenated with this GUID.
        Digest.base64(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Whether the key is the Base64 encoding of 16 bytes.
    static func isWellFormed(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        // 16 bytes encode to 22 digits and two padding characters.
        guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return false }
        return bytes[..<22].allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        }
    }
}
