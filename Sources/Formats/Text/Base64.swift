import WSCore

/// Encodes and decodes Base64 (RFC 4648 §4 and §5).
package enum Base64 {
    /// Appends the encoding in the standard alphabet, with padding.
    package static func append(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        Digest.appendBase64(bytes, to: &buffer)
    }

    /// Returns the encoding in the standard alphabet, with padding.
    package static func text(of bytes: RawSpan) -> String {
        var text = ByteBuffer()
        append(bytes, to: &text)
        return text.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }

    /// Returns the encoding in the URL-safe alphabet (RFC 4648 §5), without padding.
    package static func urlText(of bytes: RawSpan) -> String {
        let safe = text(of: bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }

    /// Appends the decoded bytes. Accepts the standard and the URL-safe alphabet, with or without padding, and
    /// surrounding blanks.
    /// - Throws: ``EncodedTextError``. Some bytes may already have been appended.
    package static func appendDecoded(_ text: RawSpan, to buffer: inout ByteBuffer) throws(EncodedTextError) {
        var start = 0
        var end = text.byteCount
        while start < end, text.unsafeLoad(fromByteOffset: start, as: UInt8.self).isBlank { start += 1 }
        while start < end, text.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self).isBlank { end -= 1 }
        var digitEnd = end
        while start < digitEnd, text.unsafeLoad(fromByteOffset: digitEnd - 1, as: UInt8.self) == UInt8(ascii: "=") {
            digitEnd -= 1
        }
        // RFC 4648 §4: with padding, each group of up to three bytes has four characters.
        let digitCount = digitEnd - start
        guard end == digitEnd || (end - digitEnd <= 2 && (end - start).isMultiple(of: 4)) else { throw .badPadding }

        let target = buffer.reserve(digitCount / 4 * 3 + 3)
        var count = 0
        var bits: UInt32 = 0
        for index in start..<digitEnd {
            let value = values[Int(text.unsafeLoad(fromByteOffset: index, as: UInt8.self))]
            guard value < 64 else { throw .unexpected(offset: index) }
            bits = bits << 6 | UInt32(value)
            guard (index - start) & 3 == 3 else { continue }
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 16), toByteOffset: count, as: UInt8.self)
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 8), toByteOffset: count + 1, as: UInt8.self)
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits), toByteOffset: count + 2, as: UInt8.self)
            count += 3
        }
        // RFC 4648 §3.5: the unused bits of the last character are zero.
        switch digitCount & 3 {
        case 0: break
        case 2 where bits & 0xF == 0:
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 4), toByteOffset: count, as: UInt8.self)
            count += 1
        case 3 where bits & 0x3 == 0:
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 10), toByteOffset: count, as: UInt8.self)
            target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 2), toByteOffset: count + 1, as: UInt8.self)
            count += 2
        default: throw .truncated
        }
        buffer.commit(count)
    }

    /// The value of each character, 0 through 63, or 255 if it is invalid.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        // RFC 4648 §5: the characters that differ in the URL-safe alphabet.
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()
}
