import Formats

/// Lays JSON out, one member or element a line, and changes nothing but the space between tokens: numbers, escapes,
/// the order of keys and keys that come twice stay what they are.
///
///     {"user":7,"tags":[]} →  {
///                               "user": 7,
///                               "tags": []
///                             }
struct JSONLayout {
    /// Above this, a message is not read whole before it is shown, and its lines are not counted. In a pipe it stays
    /// as it is: deep levels make the layout many times as large as the message.
    static let maximumCheckedBytes = 1 << 20
    /// From this level on, lines are not moved further to the right.
    static let maximumIndentedLevel = 32
    private static let spacesPerLevel = 2

    private var level = 0
    /// Whether nothing has come yet of the object or array that was opened last.
    private var isEmpty = true
    private var followsKey = false

    /// Whether a text looks like an object or an array: what is neither is not laid out.
    static func mayBe(_ text: RawSpan) -> Bool {
        for index in 0..<text.byteCount {
            switch text.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): return true
            default: return false
            }
        }
        return false
    }

    /// The lines that an object or array takes; nil: the text is neither.
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

    /// Lays a text out until the target is full.
    /// - Throws: ``JSONError`` when it comes to what is not JSON.
    static func write(_ text: RawSpan, to target: inout some (LayoutTarget & ~Copyable)) throws(JSONError) {
        var reader = JSONReader()
        var layout = JSONLayout()
        while !target.isFull, let token = try reader.next(in: text) {
            layout.write(token, text.extracting(token.range), to: &target)
        }
    }

    private mutating func write(
        _ token: JSONToken, _ bytes: RawSpan, to target: inout some (LayoutTarget & ~Copyable)
    ) {
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
            if !isEmpty { target.append(",") }
            beginLine(in: &target)
        }
        isEmpty = false
        target.append(bytes, as: Self.style(of: token.kind))
        switch token.kind {
        case .key:
            target.append(": ")
            followsKey = true
        case .beginObject, .beginArray:
            level += 1
            isEmpty = true
        default: break
        }
    }

    private func beginLine(in target: inout some (LayoutTarget & ~Copyable)) {
        target.beginLine(indentedBy: min(level, Self.maximumIndentedLevel) * Self.spacesPerLevel)
    }

    private static func style(of kind: JSONToken.Kind) -> Palette.Style? {
        switch kind {
        case .key: .key
        case .string: .string
        case .number: .number
        case .literal: .literal
        case .beginObject, .endObject, .beginArray, .endArray: nil
        }
    }
}
