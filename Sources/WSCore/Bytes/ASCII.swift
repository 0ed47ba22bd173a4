import Glibc

/// Character classes of HTTP and URIs, and case-insensitive comparison limited to ASCII.
///
/// Swift's `lowercased()` covers all of Unicode. It maps U+212A KELVIN SIGN to `k`, so the name of another protocol
/// could become `websocket`.
package enum ASCII {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let tab: UInt8 = 0x09
    static let space: UInt8 = 0x20
    static let colon = UInt8(ascii: ":")

    /// Whether the byte is a decimal digit.
    package static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// Whether the byte is a letter, in either case.
    package static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    /// The value of a hexadecimal digit, or nil for other bytes.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether the byte is optional whitespace: SP or HTAB (RFC 9110 §5.6.3).
    static func isOptionalWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    /// Whether the byte is an ASCII control character: C0 or DEL.
    static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// The number of bytes before the first control character.
    static func countBeforeControl(_ bytes: RawSpan) -> Int {
        var count = 0
        // Eight bytes at once. The lowest high bit that is set belongs to the first control character.
        while count + 8 <= bytes.byteCount {
            let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: count, as: UInt64.self))
            let withoutDEL = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let borrows = (word &- 0x2020_2020_2020_2020) & ~word | (withoutDEL &- 0x0101_0101_0101_0101) & ~withoutDEL
            let controls = borrows & 0x8080_8080_8080_8080
            if controls != 0 { return count + controls.trailingZeroBitCount / 8 }
            count += 8
        }
        while count < bytes.byteCount, !isControl(bytes.unsafeLoad(fromByteOffset: count, as: UInt8.self)) {
            count += 1
        }
        return count
    }

    /// Whether the byte is a token character (RFC 9110 §5.6.2).
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default:
            return false
        }
    }

    /// Whether the text is a token: one or more token characters.
    static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenCharacter)
    }

    /// Whether the byte is an unreserved character or a sub-delimiter of a URI (RFC 3986 §2.2, §2.3).
    static func isUnreservedOrSubDelimiter(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            return true
        default:
            return false
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    static func lowercased(_ text: some StringProtocol) -> String {
        let text = String(text)
        if allSatisfy(text, { lowercased($0) == $0 }) { return text }
        return String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }

    /// Whether all bytes of a text satisfy a condition.
    @inline(__always)
    static func allSatisfy(_ text: String, _ condition: (UInt8) -> Bool) -> Bool {
        let utf8 = text.utf8
        let bytes = utf8.span
        for index in bytes.indices where !condition(bytes[index]) { return false }
        return true
    }

    /// Whether two strings are equal except for the case of ASCII letters.
    static func areEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && areEqualIgnoringCase(left.utf8.span, right.utf8.span)
    }

    /// Whether two texts are equal except for the case of ASCII letters.
    static func areEqualIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        // Most texts have the same case.
        let areSame = left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let start = left.baseAddress, let other = right.baseAddress else { return true }
                return memcmp(start, other, left.count) == 0
            }
        }
        if areSame { return true }
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    /// The text without leading and trailing SP and HTAB.
    static func trimmed(_ text: some StringProtocol) -> String {
        String(Substring(trimmed(Substring(text).utf8)))
    }

    /// The bytes without leading and trailing SP and HTAB.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
        let start = bytes.drop(while: isOptionalWhitespace)
        guard let last = start.lastIndex(where: { !isOptionalWhitespace($0) }) else { return start[start.endIndex...] }
        return start[...last]
    }
}

extension [UInt8] {
    /// Appends a text. Appending the view of its bytes takes four times as many instructions.
    mutating func append(_ text: String) {
        text.utf8.span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Appends the end of a line of HTTP.
    mutating func appendLineEnd() {
        append(ASCII.carriageReturn)
        append(ASCII.lineFeed)
    }
}

/// Scans the value of an HTTP field from left to right.
struct FieldScanner {
    let bytes: [UInt8]
    var index = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }
    /// The next byte, or nil at the end.
    var next: UInt8? { isAtEnd ? nil : bytes[index] }

    /// Skips the next byte if it equals `byte`. Returns whether it did.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Skips optional whitespace (RFC 9110 §5.6.3).
    mutating func skipWhitespace() {
        while let next, ASCII.isOptionalWhitespace(next) { index += 1 }
    }

    /// Scans a token (RFC 9110 §5.6.2). Returns nil if there is none.
    mutating func scanToken() -> String? {
        let start = index
        while let next, ASCII.isTokenCharacter(next) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Scans the rest of a quoted string after its opening quote (RFC 9110 §5.6.4). An unterminated string extends to
    /// the end.
    mutating func scanRestOfQuotedString() -> (value: [UInt8], isTerminated: Bool) {
        var value: [UInt8] = []
        while var byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { return (value, true) }
            if byte == UInt8(ascii: "\\"), let escaped = next {
                byte = escaped
                index += 1
            }
            value.append(byte)
        }
        return (value, false)
    }
}
