import WSCore

extension JSONString {
    /// Appends what a string stands for, as UTF-8.
    /// - Parameter literal: The string with its quotes, as ``JSONReader`` has found it.
    /// - Returns: Whether there is such a text: an escaped half of a surrogate pair stands for none (RFC 8259 §8.2).
    static func appendDecoded(_ literal: RawSpan, to buffer: inout ByteBuffer) -> Bool {
        let end = literal.byteCount - 1
        var index = 1
        while index < end {
            let runEnd = indexOfBackslash(in: literal, from: index, to: end)
            buffer.append(literal.extracting(index..<runEnd))
            guard runEnd < end else { return true }
            guard let (scalar, length) = decodeEscape(literal, at: runEnd) else { return false }
            UTF8.encode(scalar) { buffer.append(byte: $0) }
            index = runEnd + length
        }
        return true
    }

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
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        // The other half of the pair, which has to follow as an escape of its own.
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
