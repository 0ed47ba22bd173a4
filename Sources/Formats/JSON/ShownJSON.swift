import WSCore

/// A JSON object or array in the form that is shown: without whitespace between tokens, and with text instead of escapes.
///
///     {"name": "Zo\u00eb", "url": "a\/b"}  →  {"name":"Zoë","url":"a/b"}
///
/// The value is the same. Controls, quotes, backslashes, bidirectional controls, and unpaired surrogates stay escaped.
package struct ShownJSON {
    package private(set) var bytes: [UInt8] = []
    /// The parts in order: copied text, and decoded escapes.
    private var parts: [Part] = []

    private struct Part {
        var original: Range<Int>
        var shown: Range<Int>
        let isCopy: Bool
    }

    /// A larger text is shown as it is.
    package static let maximumBytes = 1 << 20

    /// Converts a text. Returns `nil` if it is not a valid object or array, or is too large.
    /// - Parameter spacesColons: Whether a space follows each colon, as in a layout with one member per line.
    package init?(_ text: RawSpan, spacingColons spacesColons: Bool = false) {
        guard text.byteCount <= Self.maximumBytes else { return nil }
        bytes.reserveCapacity(text.byteCount)
        var reader = JSONReader()
        var end = 0
        var depth = 0
        do throws(JSONError) {
            while let token = try reader.next(in: text) {
                switch token.kind {
                case .beginObject, .beginArray: depth += 1
                case .endObject, .endArray: depth -= 1
                case .key, .string, .number, .literal: guard depth > 0 else { return nil }
                }
                copyPunctuation(of: text, end..<token.range.lowerBound, spacesColons: spacesColons)
                end = token.range.upperBound
                copy(token, of: text)
            }
        } catch {
            return nil
        }
    }

    /// Whether the text may differ from what is shown, without parsing it.
    package static func mayDiffer(from text: RawSpan) -> Bool {
        text.withUnsafeBytes { bytes in
            bytes.contains { $0 == UInt8(ascii: "\\") || $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        }
    }

    /// Copies the comma or colon between two tokens.
    private mutating func copyPunctuation(of text: RawSpan, _ range: Range<Int>, spacesColons: Bool) {
        for index in range {
            let byte = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") else { continue }
            copy(text, index..<index + 1)
            if spacesColons, byte == UInt8(ascii: ":") { bytes.append(UInt8(ascii: " ")) }
        }
    }

    private mutating func copy(_ token: JSONToken, of text: RawSpan) {
        let literal = text.extracting(token.range)
        guard token.kind == .string || token.kind == .key, JSONString.hasEscapes(literal) else {
            return copy(text, token.range)
        }
        // The end of the copied part.
        var start = token.range.lowerBound
        JSONString.forEachEscape(in: literal) { scalar, range in
            guard scalar != "\"", scalar != "\\", !scalar.isInvisible || Self.isText(scalar, at: range, in: literal)
            else { return }
            let escape = token.range.lowerBound + range.lowerBound..<token.range.lowerBound + range.upperBound
            copy(text, start..<escape.lowerBound)
            let shownStart = bytes.count
            UTF8.encode(scalar) { bytes.append($0) }
            parts.append(Part(original: escape, shown: shownStart..<bytes.count, isCopy: false))
            start = escape.upperBound
        }
        copy(text, start..<token.range.upperBound)
    }

    /// Whether an escaped joiner is a part of the text.
    private static func isText(_ joiner: Unicode.Scalar, at range: Range<Int>, in literal: RawSpan) -> Bool {
        guard joiner.isJoiner else { return false }
        // The last byte, which may not be a quote here, is not decoded.
        let before = JSONString.decoded(literal.extracting(0..<range.lowerBound + 1))
        let after = JSONString.decoded(literal.extracting(range.upperBound - 1..<literal.byteCount))
        var context = JoinerContext()
        for scalar in before.unicodeScalars { context.append(scalar) }
        return context.isText(joiner, before: after.unicodeScalars.first)
    }

    private mutating func copy(_ text: RawSpan, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if let last = parts.last, last.isCopy, last.original.upperBound == range.lowerBound,
            last.shown.upperBound == bytes.count
        {
            parts[parts.count - 1].original = last.original.lowerBound..<range.upperBound
            parts[parts.count - 1].shown = last.shown.lowerBound..<bytes.count + range.count
        } else {
            parts.append(Part(original: range, shown: bytes.count..<bytes.count + range.count, isCopy: true))
        }
        text.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    // MARK: Locations

    /// Where a range of the original is shown. A part of an escape becomes the whole character.
    package func shown(ofOriginal range: Range<Int>) -> Range<Int> {
        map(range, toOriginal: false)
    }

    /// Where a shown range is in the original.
    package func original(ofShown range: Range<Int>) -> Range<Int> {
        map(range, toOriginal: true)
    }

    private func map(_ range: Range<Int>, toOriginal: Bool) -> Range<Int> {
        var first: Int?
        var last = 0
        // The parts from the beginning to the end of the range.
        for part in parts {
            let (from, to) = toOriginal ? (part.shown, part.original) : (part.original, part.shown)
            guard from.upperBound > range.lowerBound else { continue }
            guard from.lowerBound < range.upperBound else { break }
            if first == nil {
                first = part.isCopy ? to.lowerBound + max(0, range.lowerBound - from.lowerBound) : to.lowerBound
            }
            last = part.isCopy ? to.lowerBound + min(range.upperBound - from.lowerBound, to.count) : to.upperBound
        }
        return first.map { $0..<last } ?? 0..<0
    }
}

extension ShownJSON? {
    /// Calls a function with what is shown of a message.
    /// - Parameter message: The message, which is shown as it is if it is not JSON.
    package func withText<Result>(or message: RawSpan, _ body: (RawSpan) -> Result) -> Result {
        if let json = self { body(json.bytes.span.bytes) } else { body(message) }
    }
}
