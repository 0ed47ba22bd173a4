/// Percent escapes (RFC 3986 §2.1).
enum PercentEncoding {
    /// The text with its escapes replaced by what they stand for.
    ///
    /// Throws ``URLError/malformedPercentEscape(_:)``, or ``URLError/invalidUTF8`` when the result is not text.
    static func decode(_ text: some StringProtocol) throws(URLError) -> String {
        guard let result = String(validating: try decodeBytes(text), as: UTF8.self) else { throw .invalidUTF8 }
        return result
    }

    /// The text's bytes with its escapes replaced by what they stand for.
    ///
    /// Throws ``URLError/malformedPercentEscape(_:)``.
    static func decodeBytes(_ text: some StringProtocol) throws(URLError) -> [UInt8] {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == percent {
                decoded.append(try escapedByte(in: bytes, at: index))
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// A path in the one form that all equivalent ones have (RFC 3986 §6.2.2): what a path cannot contain is escaped, what
    /// is unreserved is not, and the digits of escapes are capitals. What is reserved stays as it is, so that `%2F` is
    /// no slash.
    ///
    /// Throws ``URLError/malformedPercentEscape(_:)``.
    static func normalize(_ path: some StringProtocol) throws(URLError) -> String {
        let bytes = Array(try WebSocketURL.encodePathAndQuery(path).utf8)
        var normalized: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == percent else {
                normalized.append(bytes[index])
                index += 1
                continue
            }
            let byte = try escapedByte(in: bytes, at: index)
            // RFC 3986 §6.2.2.2: escapes of unreserved characters are decoded; §6.2.2.1: others are written in capitals.
            if isUnreserved(byte) { normalized.append(byte) } else { append(escapeOf: byte, to: &normalized) }
            index += 3
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// The text with every byte escaped that `isAllowed` does not allow; escapes that it contains are checked and kept.
    static func encode(
        keepingEscapesOf text: some StringProtocol, where isAllowed: (UInt8) -> Bool
    ) throws(URLError) -> String {
        let bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == percent { _ = try escapedByte(in: bytes, at: index) }
        return encode(bytes) { $0 == percent || isAllowed($0) }
    }

    /// The bytes as text, with every byte escaped that `isAllowed` does not allow.
    static func encode(_ bytes: some Sequence<UInt8>, where isAllowed: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if isAllowed(byte), byte < 0x80 {
                encoded.append(byte)
            } else {
                append(escapeOf: byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func append(escapeOf byte: UInt8, to text: inout [UInt8]) {
        text.append(contentsOf: [percent, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]])
    }

    /// RFC 3986 §2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
    }

    private static func escapedByte(in bytes: [UInt8], at index: Int) throws(URLError) -> UInt8 {
        // RFC 3986 §2.1: a percent sign is followed by two hexadecimal digits.
        guard index + 2 < bytes.count,
            let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else {
            throw .malformedPercentEscape(String(decoding: bytes[index...].prefix(3), as: UTF8.self))
        }
        return high << 4 | low
    }

    private static let percent = UInt8(ascii: "%")
    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
