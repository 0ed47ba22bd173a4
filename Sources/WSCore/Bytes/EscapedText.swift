/// Escapes everything that could control a terminal or hide in it, as `\u{XX}`.
///
/// This covers C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width and other
/// invisible format characters, blank fillers, tags, and the byte order mark. It also covers combining marks after the
/// eighth on one character, which would overlap other lines. Variation selectors that follow another are escaped as
/// well, because sequences of them can hide text. Everything else is unchanged.
/// - Parameter keepingLayout: Whether line feeds and tabs are left unchanged, too. Defaults to false.
package func escapingControls(_ text: String, keepingLayout: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { $0.isInvisible || $0.mayBeMark }) else { return text }
    var escaped = ""
    var marks = MarkRun()
    for scalar in text.unicodeScalars {
        let isExcess = marks.exceedsLimit(with: scalar)
        if isExcess || (scalar.isInvisible && !(keepingLayout && (scalar == "\n" || scalar == "\t"))) {
            escaped += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// Truncates a text, and escapes everything in it that could control a terminal or hide in it, as `\u{XX}`. An ellipsis
/// marks a truncated text.
/// - Parameter longest: The maximum length in characters, before escaping.
package func escapingControls(_ text: String, longest: Int) -> String {
    let beginning = text.prefix(longest)
    return escapingControls(String(beginning)) + (beginning.endIndex < text.endIndex ? "…" : "")
}

/// A run of combining marks. Too many of them overlap other lines, and sequences of variation selectors can hide text.
package struct MarkRun {
    private var count = 0
    private var endsWithSelector = false

    /// The maximum number of marks on one character, twice the number that any script uses.
    private static let maximumCount = 8

    /// Begins after a character without marks.
    package init() {}

    /// Continues with the next scalar. Returns whether it is a mark that should be escaped.
    package mutating func exceedsLimit(with scalar: Unicode.Scalar) -> Bool {
        let isMark = scalar.isMark
        count = isMark ? count + 1 : 0
        let isSelector = isMark && scalar.properties.isVariationSelector
        defer { endsWithSelector = isSelector }
        return count > Self.maximumCount || (isSelector && endsWithSelector)
    }
}

/// Escapes text for the content and the quoted attributes of HTML and XML. Characters that XML 1.0 does not have become
/// U+FFFD.
package func escapingMarkup(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "'": escaped += "&#39;"
        // XML 1.0 §2.2: control characters, U+FFFE, and U+FFFF are not allowed.
        case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// Quotes text from a peer or user for a one-line message, truncated to 120 Unicode scalars.
///
/// Quotes and backslashes are escaped, so the text cannot fake its end.
package func quoted(_ text: String) -> String {
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
    /// Whether the scalar could control a terminal, reorder text, or be invisible: Unicode's control characters and
    /// default-ignorable characters, except variation selectors, which emoji and Chinese characters use.
    package var isInvisible: Bool {
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

    /// Whether the scalar is at or after the first combining mark.
    fileprivate var mayBeMark: Bool { value >= 0x300 }

    /// Whether the scalar combines with the one before it.
    package var isMark: Bool {
        guard mayBeMark else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
