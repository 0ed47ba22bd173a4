import WSCore

/// A JSON text parsed into values, for uses that need most of it. If several members have the same name, the last one
/// counts.
package indirect enum JSONValue: Equatable {
    case object([ExactString: JSONValue])
    case array([JSONValue])
    case string(String)
    /// A number as written in the text.
    case number(String)
    case bool(Bool)
    case null

    /// Parses a text, which must be valid UTF-8.
    /// - Throws: ``JSONError``.
    package init(parsing text: RawSpan) throws(JSONError) {
        var reader = JSONReader()
        guard let first = try reader.next(in: text) else { throw .truncated }
        self = try Self.value(from: first, of: text, &reader)
        // Check that nothing follows the value.
        _ = try reader.next(in: text)
    }

    /// Parses the value that begins with a token.
    private static func value(
        from token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONValue {
        switch token.kind {
        case .beginObject:
            var members: [ExactString: JSONValue] = [:]
            while let key = try reader.next(in: text), key.kind == .key, let token = try reader.next(in: text) {
                members[ExactString(string(key, in: text))] = try value(from: token, of: text, &reader)
            }
            return .object(members)
        case .beginArray:
            var elements: [JSONValue] = []
            while let token = try reader.next(in: text), token.kind != .endArray {
                elements.append(try value(from: token, of: text, &reader))
            }
            return .array(elements)
        case .string: return .string(string(token, in: text))
        case .number: return .number(literal(token, in: text))
        case .literal:
            let word = literal(token, in: text)
            return word == "null" ? .null : .bool(word == "true")
        case .key, .endObject, .endArray: return .null
        }
    }

    /// Decodes a string. A string with an unpaired surrogate becomes U+FFFD.
    private static func string(_ token: JSONToken, in text: RawSpan) -> String {
        var decoded = ByteBuffer()
        guard JSONString.appendDecoded(text.extracting(token.range), to: &decoded) else { return "\u{FFFD}" }
        return decoded.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }

    private static func literal(_ token: JSONToken, in text: RawSpan) -> String {
        text.extracting(token.range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
