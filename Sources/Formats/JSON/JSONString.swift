import WSCore

/// Writes JSON strings (RFC 8259 §7).
///
/// In addition to the required escapes, it escapes everything that could control a terminal or be invisible there, so
/// events are safe to view. Parsers see no difference.
package enum JSONString {
    /// Appends valid UTF-8 as a string with quotes.
    package static func append(_ text: RawSpan, to buffer: inout ByteBuffer) {
        buffer.append(byte: UInt8(ascii: "\""))
        var start = 0
        var index = 0
        let count = text.byteCount
        var marks = MarkRun()
        var marksEnd = 0
        while index < count {
            if index + wordBytes <= count,
                isPlain(text.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            {
                index += wordBytes
                continue
            }
            let byte = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard isSuspect(byte) else {
                index += 1
                continue
            }
            let (scalar, length) = decodeScalar(text, at: index)
            if index != marksEnd { marks = MarkRun() }
            marksEnd = index + length
            if marks.exceedsLimit(with: scalar) || scalar == "\"" || scalar == "\\" || scalar.isInvisible {
                buffer.append(text.extracting(start..<index))
                appendEscape(of: scalar, to: &buffer)
                start = index + length
            }
            index += length
        }
        buffer.append(text.extracting(start..<count))
        buffer.append(byte: UInt8(ascii: "\""))
    }

    private static let wordBytes = MemoryLayout<UInt64>.size

    /// Whether eight bytes are ASCII and need no escapes. The calculation works on whole words: the highest bit of a
    /// byte ends up set if it was set before, or if a subtraction borrowed.
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits = ones << 7
        let controls = word &- ones &* 0x20
        let quotes = (word ^ ones &* 0x22) &- ones
        let backslashes = (word ^ ones &* 0x5C) &- ones
        // Adding one to 0x7F sets the highest bit.
        let deletes = word &+ ones
        return (word | controls | quotes | backslashes | deletes) & highBits == 0
    }

    /// Whether a scalar that begins with this byte may need an escape: an ASCII character that does, or a lead byte of
    /// sequences that include invisible scalars or combining marks.
    private static func isSuspect(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E: false
        case 0x00...0x1F, 0x22, 0x5C, 0x7F: true
        case 0xC2, 0xCC...0xCD, 0xD2, 0xD6...0xDF, 0xE0...0xE3, 0xEA, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }

    private static func decodeScalar(_ text: RawSpan, at index: Int) -> (Unicode.Scalar, length: Int) {
        text.withUnsafeBytes { bytes in
            var decoder = Unicode.UTF8()
            var iterator = bytes[index..<min(bytes.count, index + 4)].makeIterator()
            guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return ("\u{FFFD}", 1) }
            return (scalar, Unicode.UTF8.width(scalar))
        }
    }

    private static func appendEscape(of scalar: Unicode.Scalar, to buffer: inout ByteBuffer) {
        switch scalar {
        case "\"": buffer.append("\\\"")
        case "\\": buffer.append("\\\\")
        case "\n": buffer.append("\\n")
        case "\r": buffer.append("\\r")
        case "\t": buffer.append("\\t")
        case "\u{8}": buffer.append("\\b")
        case "\u{C}": buffer.append("\\f")
        default:
            // RFC 8259 §7: a scalar beyond U+FFFF is escaped as a surrogate pair.
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                buffer.append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            }
        }
    }
}

// MARK: Reading

extension JSONString {
    /// Appends the decoded string as UTF-8.
    /// - Parameters:
    ///   - literal: The string with its quotes, as returned by ``JSONReader``.
    ///   - replacesSurrogates: Whether an escaped unpaired surrogate becomes U+FFFD.
    /// - Returns: Whether the string is valid; an escaped unpaired surrogate has no encoding in UTF-8 (RFC 8259 §8.2).
    package static func appendDecoded(
        _ literal: RawSpan, to buffer: inout ByteBuffer, replacingSurrogates replacesSurrogates: Bool = false
    ) -> Bool {
        let end = literal.byteCount - 1
        var index = 1
        while index < end {
            let runEnd = indexOfBackslash(in: literal, from: index, to: end)
            buffer.append(literal.extracting(index..<runEnd))
            guard runEnd < end else { return true }
            guard
                let (scalar, length) = decodeEscape(literal, at: runEnd)
                    ?? (replacesSurrogates ? ("\u{FFFD}", unitEscapeBytes) : nil)
            else { return false }
            UTF8.encode(scalar) { buffer.append(byte: $0) }
            index = runEnd + length
        }
        return true
    }

    /// The offset of a character in a string.
    /// - Parameters:
    ///   - decodedOffset: The offset of the character in the decoded string, in bytes of UTF-8.
    ///   - literal: The string with its quotes, as returned by ``JSONReader``.
    package static func offset(ofDecodedByte decodedOffset: Int, in literal: RawSpan) -> Int {
        let end = literal.byteCount - 1
        var (index, remaining) = (1, decodedOffset)
        while index < end {
            let runEnd = indexOfBackslash(in: literal, from: index, to: end)
            if remaining < runEnd - index { return index + remaining }
            remaining -= runEnd - index
            guard runEnd < end, remaining > 0 else { return runEnd }
            let (scalar, length) = decodeEscape(literal, at: runEnd) ?? ("\u{FFFD}", unitEscapeBytes)
            remaining -= UTF8.width(scalar)
            index = runEnd + length
        }
        return index
    }

    /// The offset of the first escaped unpaired surrogate, or `nil` if there is none.
    /// - Parameter text: Valid JSON, such as a string with its quotes, or an object.
    package static func offsetOfUnpairedSurrogate(in text: RawSpan) -> Int? {
        var index = 0
        while true {
            index = indexOfBackslash(in: text, from: index, to: text.byteCount)
            guard index < text.byteCount else { return nil }
            guard let (_, length) = decodeEscape(text, at: index) else { return index }
            index += length
        }
    }

    /// Decodes a string. An escaped unpaired surrogate becomes U+FFFD.
    /// - Parameter literal: The string with its quotes, as returned by ``JSONReader``.
    package static func decoded(_ literal: RawSpan) -> String {
        var decoded = ByteBuffer()
        _ = appendDecoded(literal, to: &decoded, replacingSurrogates: true)
        return decoded.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }

    /// Whether a string contains escapes.
    /// - Parameter literal: The string with its quotes, as returned by ``JSONReader``.
    package static func hasEscapes(_ literal: RawSpan) -> Bool {
        literal.withUnsafeBytes { $0.contains(UInt8(ascii: "\\")) }
    }

    /// Calls a function with each escape of a string and its location. Unpaired surrogates are skipped.
    /// - Parameter literal: The string with its quotes, as returned by ``JSONReader``.
    package static func forEachEscape(in literal: RawSpan, _ body: (Unicode.Scalar, Range<Int>) -> Void) {
        let end = literal.byteCount - 1
        var index = indexOfBackslash(in: literal, from: 1, to: end)
        while index < end {
            let escape = decodeEscape(literal, at: index)
            let length = escape?.length ?? unitEscapeBytes
            if let escape { body(escape.0, index..<index + length) }
            index = indexOfBackslash(in: literal, from: index + length, to: end)
        }
    }

    /// Whether a string stands for a text. A string with an unpaired surrogate stands for none.
    /// - Parameter literal: The string with its quotes, as returned by ``JSONReader``.
    package static func isEqual(_ literal: RawSpan, to text: RawSpan) -> Bool {
        // Escapes are longer than the characters they stand for.
        guard literal.byteCount >= text.byteCount + 2 else { return false }
        let contents = literal.extracting(1..<literal.byteCount - 1)
        guard hasEscapes(literal) else { return contents.isEqual(to: text) }
        var decoded = ByteBuffer()
        guard appendDecoded(literal, to: &decoded) else { return false }
        return decoded.withReadableBytes { $0.isEqual(to: text) }
    }

    /// The length of `\u0000`.
    private static let unitEscapeBytes = 6

    private static func indexOfBackslash(in literal: RawSpan, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, literal.unsafeLoad(fromByteOffset: index, as: UInt8.self) != UInt8(ascii: "\\") {
            index += 1
        }
        return index
    }

    private static func decodeEscape(_ literal: RawSpan, at index: Int) -> (Unicode.Scalar, length: Int)? {
        switch literal.unsafeLoad(fromByteOffset: index + 1, as: UInt8.self) {
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"): return decodeUnits(literal, at: index)
        case let byte: return (Unicode.Scalar(byte), 2)
        }
    }

    private static func decodeUnits(_ literal: RawSpan, at index: Int) -> (Unicode.Scalar, length: Int)? {
        let first = unit(literal, at: index + 2)
        if let scalar = Unicode.Scalar(first) { return (scalar, unitEscapeBytes) }
        // The trailing surrogate must follow as another escape.
        guard UTF16.isLeadSurrogate(first), index + 12 < literal.byteCount,
            literal.unsafeLoad(fromByteOffset: index + 6, as: UInt8.self) == UInt8(ascii: "\\"),
            literal.unsafeLoad(fromByteOffset: index + 7, as: UInt8.self) == UInt8(ascii: "u")
        else { return nil }
        let second = unit(literal, at: index + 8)
        guard UTF16.isTrailSurrogate(second) else { return nil }
        return (UTF16.decode(UTF16.EncodedScalar([first, second])), 12)
    }

    private static func unit(_ literal: RawSpan, at index: Int) -> UInt16 {
        (index..<index + 4).reduce(0) { value, index in
            value << 4 | UInt16(HexDigits.value(literal.unsafeLoad(fromByteOffset: index, as: UInt8.self)) ?? 0)
        }
    }
}
