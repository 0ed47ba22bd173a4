/// The beginning of HTTP/2 (RFC 9113 §3.4).
enum HTTP2Preface {
    /// Whether the bytes begin with a frame that a server sends first: SETTINGS or GOAWAY, of the connection itself.
    static func isFrame(_ bytes: [UInt8]) -> Bool {
        // RFC 9113 §4.1: the length in 3 bytes, the type, the flags, and the stream's number in 4 bytes.
        bytes.count >= 9 && bytes[0] == 0 && [4, 7].contains(bytes[3]) && bytes[5..<9].allSatisfy { $0 == 0 }
    }

    /// The first bytes of a client.
    static let client = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The version that a client speaks; nil if more bytes are needed.
    /// - Parameters:
    ///   - bytes: All bytes received so far.
    ///   - selected: The protocol that TLS has selected; nil for none.
    static func version(of bytes: [UInt8], selected: String?) -> HTTPVersion? {
        // RFC 7301 §3.2: the selected protocol is final.
        if let selected { return selected == HTTPVersion.http2.protocolName ? .http2 : .http1 }
        guard client.starts(with: bytes.prefix(client.count)) else { return .http1 }
        return bytes.count >= client.count ? .http2 : nil
    }
}
