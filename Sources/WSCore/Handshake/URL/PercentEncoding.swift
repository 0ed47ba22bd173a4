extension WebSocketURL {
    /// Appends bytes as one component of a path or query: everything but unreserved characters is percent-encoded.
    package static func appendComponent(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        let encoded = bytes.withUnsafeBytes { PercentEncoding.encode($0, where: PercentEncoding.isUnreserved) }
        buffer.append(encoded)
    }
}

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Decodes the percent escapes of a text.
    /// - Throws: ``URLError/malformedPercentEscape(_:)``, or ``URLError/invalidUTF8`` if the result is not UTF-8.
    package static func decode(_ text: some StringProtocol) throws(URLError) -> String {
        let text = String(text)
        if ASCII.allSatisfy(text, { $0 != percent }) { return text }
        guard let result = String(validating: try decodeBytes(text), as: UTF8.self) else { throw .invalidUTF8 }
        return result
    }

    /// Decodes the percent escapes of a text to bytes.
    /// - Throws: ``URLError/malformedPercentEscape(_:)``.
    package static func decodeBytes(_ text: some StringProtocol) throws(URLError) -> [UInt8] {
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

    /// Normalizes a path, so equivalent paths become equal (RFC 3986 §6.2.2). Invalid characters are escaped,
    /// unreserved characters are not, and escapes use upper-case digits. Reserved characters stay as they are: `%2F` is
    /// not a slash.
    /// - Throws: ``URLError/malformedPercentEscape(_:)``.
    static func normalize(_ path: some StringProtocol) throws(URLError) -> String {
        // Most paths are in this form.
        let path = String(path)
        if ASCII.allSatisfy(path, { isUnreserved($0) || $0 == UInt8(ascii: "/") }) { return path }
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
            // RFC 3986 §6.2.2.2: decode escapes of unreserved characters. §6.2.2.1: write other escapes in upper case.
            if isUnreserved(byte) { normalized.append(byte) } else { append(escapeOf: byte, to: &normalized) }
            index += 3
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// Escapes every byte for which `isAllowed` returns false. Existing escapes are kept.
    /// - Throws: ``URLError/malformedPercentEscape(_:)``.
    static func encode(
        keepingEscapesOf text: some StringProtocol, where isAllowed: (UInt8) -> Bool
    ) throws(URLError) -> String {
        let bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == percent { _ = try escapedByte(in: bytes, at: index) }
        return encode(bytes) { $0 == percent || isAllowed($0) }
    }

    /// Escapes every byte for which `isAllowed` returns false, and every non-ASCII byte.
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

    /// RFC 3986 §2.3: unreserved characters.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
        return switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
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
