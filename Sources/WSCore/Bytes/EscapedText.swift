/// The text with everything that could drive a terminal, or hide in one, written as `\u{XX}`.
///
/// Escaped are C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width and other
/// invisible format characters, blank fillers, tags and the byte order mark; of the marks that stand on one character,
/// those beyond the eighth, which would grow over the lines around it; and of variation selectors, which show nothing
/// themselves, those that follow another, where text can hide. Everything else stays as it is.
/// - Parameter keepingLayout: Whether line feeds and tabs stay as they are, too.
public func escapingControls(_ text: String, keepingLayout: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { $0.isInvisible || $0.mayBeMark }) else { return text }
    var escaped = ""
    var marks = 0
    var lastWasSelector = false
    for scalar in text.unicodeScalars {
        let isMark = scalar.isMark
        marks = isMark ? marks + 1 : 0
        let isSelector = isMark && scalar.properties.isVariationSelector
        let isExcess = marks > maximumMarks || (isSelector && lastWasSelector)
        lastWasSelector = isSelector
        if isExcess || (scalar.isInvisible && !(keepingLayout && (scalar == "\n" || scalar == "\t"))) {
            escaped += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// The most marks that one character may carry: twice what any script puts there.
private let maximumMarks = 8

/// A peer's or user's text in double quotes, cut to a length that suits a one-line message. Quotes and backslashes in it
/// are escaped as well: where the text ends cannot be feigned.
public func quoted(_ text: String) -> String {
    let maximumScalarCount = 120
    let start = text.unicodeScalars.prefix(maximumScalarCount)
    var escaped = ""
    for scalar in start {
        if scalar == "\"" || scalar == "\\" { escaped += "\\" }
        escaped.unicodeScalars.append(scalar)
    }
    let isCut = start.endIndex < text.unicodeScalars.endIndex
    return "\"" + escapingControls(escaped) + (isCut ? "…\"" : "\"")
}

extension Unicode.Scalar {
    /// Whether the scalar could drive a terminal, reorder text or hide in it: what Unicode calls controls, and what it
    /// lets a display ignore, but for variation selectors, which belong to emoji and to Chinese characters.
    public var isInvisible: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0xAD, 0x034F: true  // soft hyphen, combining grapheme joiner
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E: true  // bidirectional marks, embeddings and overrides
        case 0x115F...0x1160, 0x3164, 0xFFA0, 0x17B4...0x17B5: true  // Hangul fillers, inherent vowels of Khmer
        case 0x200B...0x200D, 0x180E: true  // zero-width space, non-joiner, joiner; Mongolian vowel separator
        case 0x2028...0x2029: true  // line and paragraph separators
        case 0x2060...0x206F: true  // word joiner, invisible operators, bidirectional isolates, deprecated controls
        case 0xFEFF, 0xFFF0...0xFFFB: true  // byte order mark, unassigned, interlinear annotation
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A: true  // controls of shorthand and of musical notation
        case 0xE0000...0xE00FF, 0xE01F0...0xE0FFF: true  // invisible tags, unassigned
        default: false
        }
    }

    /// Whether the scalar lies beyond those of which none is a mark.
    fileprivate var mayBeMark: Bool { value >= 0x300 }

    /// Whether the scalar stands on the one before it.
    fileprivate var isMark: Bool {
        guard mayBeMark else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
