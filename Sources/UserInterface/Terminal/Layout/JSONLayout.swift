import Formats

/// Formats JSON with one member or element per line. Only the whitespace between tokens changes: numbers, the order of
/// keys, and repeated keys stay the same. ``ShownJSON`` decodes escapes before.
///
///     {"user":7,"tags":[]} →  {
///                               "user": 7,
///                               "tags": []
///                             }
struct JSONLayout {
    /// A larger message is not read completely before it is shown, and its lines are not counted. In a pipe it stays
    /// unchanged: deep nesting can make the formatted text many times larger than the message.
    static let maximumCheckedBytes = 1 << 20
    /// The depth from which indentation no longer grows.
    static let maximumIndentedLevel = 32
    private static let spacesPerLevel = 2

    private var level = 0
    /// Whether the innermost object or array is still empty.
    private var isEmpty = true
    private var followsKey = false
    /// The end of the last token in the text.
    private var end = 0

    /// Whether the text looks like an object or an array. Other texts are not formatted.
    static func mayBe(_ text: RawSpan) -> Bool {
        let index = indexAfterSpace(in: text, from: 0)
        guard index < text.byteCount else { return false }
        let byte = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        return byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    /// The index of the first byte that is not whitespace.
    static func indexAfterSpace(in text: RawSpan, from start: Int) -> Int {
        var index = start
        while index < text.byteCount {
            switch text.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return index
            }
        }
        return index
    }

    /// The number of lines of the formatted text; nil: not an object or array.
    static func lineCount(of text: RawSpan) -> Int? {
        guard mayBe(text) else { return nil }
        var lines = LineCount()
        do throws(JSONError) {
            try write(text, to: &lines)
        } catch {
            return nil
        }
        return lines.lines
    }

    /// Formats a text until the target is full.
    /// - Throws: ``JSONError`` at the first invalid token.
    static func write(_ text: RawSpan, to target: inout some (LayoutTarget & ~Copyable)) throws(JSONError) {
        var reader = JSONReader()
        var layout = JSONLayout()
        while !target.isFull, let token = try reader.next(in: text) {
            layout.write(token, of: text, to: &target)
            layout.end = token.range.upperBound
        }
    }

    private mutating func write(
        _ token: JSONToken, of text: RawSpan, to target: inout some (LayoutTarget & ~Copyable)
    ) {
        let bytes = text.extracting(token.range)
        switch token.kind {
        case .endObject, .endArray:
            level -= 1
            if !isEmpty { beginLine(in: &target) }
            isEmpty = false
            return target.append(bytes, as: nil)
        default: break
        }
        if followsKey {
            followsKey = false
        } else if level > 0 {
            if !isEmpty { Self.appendPunctuation(after: end, of: text, to: &target) }
            beginLine(in: &target)
        }
        isEmpty = false
        target.append(bytes, as: Self.style(of: token.kind))
        switch token.kind {
        case .key:
            Self.appendPunctuation(after: token.range.upperBound, of: text, to: &target)
            target.append(" ")
            followsKey = true
        case .beginObject, .beginArray:
            level += 1
            isEmpty = true
        default: break
        }
    }

    /// Appends the colon or comma after a token. As a part of the text, it can be highlighted.
    private static func appendPunctuation(
        after end: Int, of text: RawSpan, to target: inout some (LayoutTarget & ~Copyable)
    ) {
        let index = indexAfterSpace(in: text, from: end)
        target.append(text.extracting(index..<min(index + 1, text.byteCount)), as: nil)
    }

    private func beginLine(in target: inout some (LayoutTarget & ~Copyable)) {
        target.beginLine(indentedBy: min(level, Self.maximumIndentedLevel) * Self.spacesPerLevel)
    }

    /// The color of a token.
    static func style(of kind: JSONToken.Kind) -> Palette.Style? {
        switch kind {
        case .key: .key
        case .string: .string
        case .number: .number
        case .literal: .literal
        case .beginObject, .endObject, .beginArray, .endArray: nil
        }
    }
}

/// Counts the lines of a layout.
struct LineCount: LayoutTarget {
    /// The number of lines so far, starting at 1.
    private(set) var lines = 1

    let isFull = false

    mutating func append(_ bytes: RawSpan, as style: Palette.Style?) {}

    mutating func beginLine(indentedBy spaces: Int) {
        lines += 1
    }
}
