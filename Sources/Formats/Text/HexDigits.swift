import WSCore

/// Encodes and decodes hexadecimal digits.
package enum HexDigits {
    /// The value of an ASCII digit, 0 through 15, or `nil` for other characters.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The ASCII digit for a value from 0 through 15.
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// Appends two lowercase digits per byte, without separators.
    package static func append(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        let byteCount = bytes.byteCount
        let target = buffer.reserve(byteCount * 2)
        for index in 0..<byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            target.storeBytes(of: digit(byte >> 4), toByteOffset: index * 2, as: UInt8.self)
            target.storeBytes(of: digit(byte & 0xF), toByteOffset: index * 2 + 1, as: UInt8.self)
        }
        buffer.commit(byteCount * 2)
    }

    /// Appends the decoded bytes. Accepts digits of either case, with blanks between bytes.
    /// - Throws: ``EncodedTextError``. Some bytes may already have been appended.
    package static func appendDecoded(_ text: RawSpan, to buffer: inout ByteBuffer) throws(EncodedTextError) {
        var index = 0
        while index < text.byteCount {
            let first = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard !first.isBlank else {
                index += 1
                continue
            }
            guard let high = value(first) else { throw .unexpected(offset: index) }
            guard index + 1 < text.byteCount else { throw .truncated }
            guard let low = value(text.unsafeLoad(fromByteOffset: index + 1, as: UInt8.self)) else {
                throw .unexpected(offset: index + 1)
            }
            buffer.append(byte: high << 4 | low)
            index += 2
        }
    }
}

extension UInt8 {
    /// Whether the byte is a space, a tab, or the CR of a line end.
    package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without surrounding blanks.
    package func trimmingBlanks() -> SubSequence {
        let start = firstIndex { !$0.isBlank } ?? endIndex
        let end = self[start...].lastIndex { !$0.isBlank }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

/// Why a text is not valid hexadecimal or Base64.
package enum EncodedTextError: Error, Equatable {
    /// The byte at this offset is not allowed.
    case unexpected(offset: Int)
    /// The text ends within a byte.
    case truncated
    /// The padding does not match the number of characters.
    case badPadding
}
