import WSCore

/// A string, a number, true or false in a JSON text, to be compared with others.
///
/// Strings are compared decoded, numbers by their text: 1 and 1.0 differ, and "1" and 1 do, too.
public struct JSONScalar: Hashable {
    private let isString: Bool
    /// What a string stands for, or the text of anything else.
    private let bytes: [UInt8]

    /// Takes a value of a text; nil for null, for what is no single value, and for a string that stands for no text.
    public init?(_ token: JSONToken, in text: RawSpan) {
        let literal = text.extracting(token.range)
        switch token.kind {
        case .string:
            var decoded = ByteBuffer()
            guard JSONString.appendDecoded(literal, to: &decoded) else { return nil }
            isString = true
            bytes = decoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        case .number, .literal:
            let copy = literal.withUnsafeBytes { Array($0) }
            guard copy != Array("null".utf8) else { return nil }
            isString = false
            bytes = copy
        case .beginObject, .endObject, .beginArray, .endArray, .key: return nil
        }
    }
}

extension JSONScalar: CustomStringConvertible {
    /// The most of a value that is shown, in characters.
    private static let longestShown = 60

    /// As JSON has it, made safe, and cut where it is long.
    public var description: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let shown = escapingControls(String(text.prefix(Self.longestShown)))
        let whole = shown + (text.count > Self.longestShown ? "…" : "")
        return isString ? "\"\(whole)\"" : whole
    }
}
