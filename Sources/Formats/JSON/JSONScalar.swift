import WSCore

/// A string, number, `true`, or `false` in a JSON text, for comparisons.
///
/// Strings are compared decoded, and numbers by their value: 1 and 1.0 are equal, and "1" and 1 differ.
package struct JSONScalar: Hashable {
    private let isString: Bool
    /// The decoded string, or the text of another value, which is the same for equal numbers.
    private let bytes: [UInt8]

    /// Creates a string.
    package init(_ string: String) {
        isString = true
        bytes = Array(string.utf8)
    }

    /// Creates a scalar from a token. Returns `nil` for null, objects, arrays, and strings with an unpaired surrogate.
    package init?(_ token: JSONToken, in text: RawSpan) {
        let literal = text.extracting(token.range)
        switch token.kind {
        case .string:
            var decoded = ByteBuffer()
            guard JSONString.appendDecoded(literal, to: &decoded) else { return nil }
            isString = true
            bytes = decoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        case .number:
            isString = false
            // A short integer is the same text already. A long one may have an exponent.
            let isShortInteger =
                literal.byteCount <= 20
                && (0..<literal.byteCount).allSatisfy {
                    UInt8(ascii: "0")...UInt8(ascii: "9") ~= literal.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                }
            let number = isShortInteger ? nil : JSONNumber(literal)
            bytes = number.map { Array("\($0)".utf8) } ?? literal.withUnsafeBytes { Array($0) }
        case .literal:
            let copy = literal.withUnsafeBytes { Array($0) }
            guard copy != Array("null".utf8) else { return nil }
            isString = false
            bytes = copy
        case .beginObject, .endObject, .beginArray, .endArray, .key: return nil
        }
    }
}

extension JSONScalar {
    /// The same JSON text for equal values: a string without escapes that it does not need, and a number as
    /// ``JSONNumber``.
    package var json: [UInt8] {
        guard isString else { return bytes }
        var buffer = ByteBuffer()
        JSONString.append(bytes.span.bytes, to: &buffer)
        return buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}

extension JSONScalar: CustomStringConvertible {
    /// The maximum length of a shown value, in characters.
    private static let longestShown = 60

    /// The value in JSON notation, escaped for terminals, and truncated if it is long.
    package var description: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let shown = escapingControls(String(text.prefix(Self.longestShown)))
        let whole = shown + (text.count > Self.longestShown ? "…" : "")
        return isString ? "\"\(whole)\"" : whole
    }
}
