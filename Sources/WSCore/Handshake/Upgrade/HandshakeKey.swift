/// `Sec-WebSocket-Key` and the `Sec-WebSocket-Accept` that answers it (RFC 6455 §1.3).
enum HandshakeKey {
    /// The number of random bytes in a key.
    static let nonceByteCount = 16

    /// The key that carries a nonce.
    static func key(nonce: [UInt8]) -> String {
        Digest.base64(nonce)
    }

    /// The value of Sec-WebSocket-Accept that proves that the key was understood.
    static func accept(key: String) -> String {
        // RFC 6455 §4.2.2: base64 of the SHA-1 of the key joined with this GUID.
        Digest.base64(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Whether the text is the Base64 form of 16 bytes.
    static func isWellFormed(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        // 16 bytes are 22 digits of 6 bits and two of padding.
        guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return false }
        return bytes[..<22].allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        }
    }
}
