import WSCore

/// Compares bytes with text in which characters may be escaped.
enum EscapedByte {
    /// Matches the beginning of `bytes` with a character of a text, escaped or not.
    /// - Returns: The index after the character, and the number of bytes that it stands for.
    static func match(_ bytes: ArraySlice<UInt8>, in text: [UInt8], at index: Int) -> (end: Int, byteCount: Int)? {
        guard let first = bytes.first else { return nil }
        switch text[index] {
        case UInt8(ascii: "%"):
            if let byte = hexByte(in: text, at: index + 1), byte == first { return (index + 3, 1) }
            // Encoded twice.
            if text[index...].starts(with: "%25".utf8), let byte = hexByte(in: text, at: index + 3), byte == first {
                return (index + 5, 1)
            }
        case UInt8(ascii: "+") where first == UInt8(ascii: " "): return (index + 1, 1)
        case UInt8(ascii: "\\"):
            let next = index + 1 < text.count ? text[index + 1] : 0
            if next == UInt8(ascii: "u"), let match = unicodeEscape(bytes, in: text, at: index) { return match }
            if next == UInt8(ascii: "x"), let byte = hexByte(in: text, at: index + 2), byte == first {
                return (index + 4, 1)
            }
            if next == first, "\"\\/'".utf8.contains(next) { return (index + 2, 1) }
        case UInt8(ascii: "&"): if let match = reference(bytes, in: text, at: index) { return match }
        default: break
        }
        return text[index] == first ? (index + 1, 1) : nil
    }

    /// RFC 8259 §7: `\u00E9`. A surrogate pair has two of them.
    private static func unicodeEscape(
        _ bytes: ArraySlice<UInt8>, in text: [UInt8], at index: Int
    ) -> (end: Int, byteCount: Int)? {
        guard let unit = hexUnit(in: text, at: index + 2) else { return nil }
        var scalar = UInt32(unit)
        var end = index + 6
        if 0xD800...0xDBFF ~= unit, text[end...].starts(with: "\\u".utf8), let low = hexUnit(in: text, at: end + 2),
            0xDC00...0xDFFF ~= low
        {
            scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
            end += 6
        }
        return match(scalar, bytes, end: end)
    }

    /// HTML §13.5: the named references of the characters that HTML and XML escape, and numeric references.
    private static func reference(
        _ bytes: ArraySlice<UInt8>, in text: [UInt8], at index: Int
    ) -> (end: Int, byteCount: Int)? {
        let maximumBytes = 10
        guard let semicolon = text[index...].prefix(maximumBytes).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[(index + 1)..<semicolon], as: UTF8.self).lowercased()
        let scalar: UInt32? =
            switch name {
            case "amp": 0x26
            case "lt": 0x3C
            case "gt": 0x3E
            case "quot": 0x22
            case "apos": 0x27
            case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16)
            case _ where name.hasPrefix("#"): UInt32(name.dropFirst())
            default: nil
            }
        return scalar.flatMap { match($0, bytes, end: semicolon + 1) }
    }

    private static func match(_ value: UInt32, _ bytes: ArraySlice<UInt8>, end: Int) -> (end: Int, byteCount: Int)? {
        guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar), bytes.starts(with: encoded) else {
            return nil
        }
        return (end, encoded.count)
    }

    private static func hexUnit(in text: [UInt8], at index: Int) -> UInt16? {
        guard let high = hexByte(in: text, at: index), let low = hexByte(in: text, at: index + 2) else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    private static func hexByte(in text: [UInt8], at index: Int) -> UInt8? {
        guard index + 2 <= text.count, let high = ASCII.hexValue(text[index]),
            let low = ASCII.hexValue(text[index + 1])
        else { return nil }
        return high << 4 | low
    }
}
