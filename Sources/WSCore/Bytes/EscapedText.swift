/// Escapes everything that could control a terminal or hide in it, as `\u{XX}`.
///
/// This covers C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width and other
/// invisible format characters, blank fillers, tags, and the byte order mark. It also covers combining marks after the
/// eighth on one character, which would overlap other lines. Variation selectors that follow another are escaped as
/// well, because sequences of them can hide text. Everything else is unchanged, including joiners where scripts and
/// emoji need them (``JoinerContext``).
/// - Parameter keepingLayout: Whether line feeds and tabs are left unchanged, too. Defaults to false.
package func escapingControls(_ text: String, keepingLayout: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { $0.isInvisible || $0.mayBeMark }) else { return text }
    let scalars = text.unicodeScalars
    var escaped = ""
    var marks = MarkRun()
    var joiners = JoinerContext()
    for index in scalars.indices {
        let scalar = scalars[index]
        let isExcess = marks.exceedsLimit(with: scalar)
        let isJoiner = joiners.isText(scalar, before: scalars[scalars.index(after: index)...].first)
        joiners.append(scalar)
        let isLayout = keepingLayout && (scalar == "\n" || scalar == "\t")
        if isExcess || scalar.isInvisible && !isLayout && !isJoiner {
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

/// The scalars before a zero-width joiner or non-joiner, which decide whether it is text: within sequences of emoji
/// (UTS #51 §2.3), after a virama, or between letters that would otherwise be joined (UAX #31 §2.3.1). A joiner anywhere
/// else is invisible.
package struct JoinerContext {
    private var last: Unicode.Scalar?
    /// The last scalar that is not a mark or an emoji modifier; `nil` after a joiner.
    private var base: Unicode.Scalar?
    /// The number of joiners that have joined characters up to here.
    private var joinedCount = 0
    /// The longest sequences of emoji have three joiners.
    private static let maximumJoinedCount = 4

    /// Begins at the start of a text.
    package init() {}

    /// Continues after a scalar.
    package mutating func append(_ scalar: Unicode.Scalar) {
        last = scalar
        if scalar.isJoiner {
            base = nil
            joinedCount += 1
        } else if !scalar.isMark, !scalar.isEmojiModifier {
            if base != nil { joinedCount = 0 }
            base = scalar
        }
    }

    /// Whether the next scalar is a joiner that is part of the text.
    /// - Parameter next: The scalar after it.
    package func isText(_ joiner: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        guard joiner.isJoiner, joinedCount < Self.maximumJoinedCount, let base, let last else { return false }
        let isZWJ = joiner.value == 0x200D
        if isZWJ, base.isPictographic, let next, next.isPictographic { return true }
        // Conjuncts of Indic scripts. At the end of a word, a joiner keeps a half form.
        if last.properties.canonicalCombiningClass == .virama, base.properties.isAlphabetic {
            return isZWJ || (next.map { !$0.isASCII && $0.properties.isAlphabetic } ?? false)
        }
        guard !isZWJ, let next else { return false }
        return base.isCursive && !base.joinsOnlyPrevious && next.isCursive
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

/// Quotes text from a peer or user for a one-line message, truncated to 123 Unicode scalars: the longest reason of a close
/// frame.
///
/// Quotes and backslashes are escaped, so the text cannot fake its end. Outputs hide secrets between the quotes, so text of
/// a peer is quoted in every line of ours.
package func quoted(_ text: String) -> String {
    let maximumScalarCount = 123
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

    /// Whether the scalar is a zero-width joiner or non-joiner.
    package var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Whether the scalar changes the skin color of an emoji.
    package var isEmojiModifier: Bool { 0x1F3FB...0x1F3FF ~= value }

    /// Whether the scalar can be a part of a sequence of emoji. Digits and signs of Latin-1 only look like emoji with a
    /// variation selector.
    fileprivate var isPictographic: Bool { value > 0xFF && properties.isEmoji }

    /// Whether the scalar is a letter of a script whose letters are joined.
    fileprivate var isCursive: Bool {
        switch value {
        case 0x0620...0x06FF, 0x0750...0x077F, 0x0870...0x08FF: properties.isAlphabetic  // Arabic
        case 0x0710...0x074F, 0x07CA...0x07EA, 0x0840...0x0858: properties.isAlphabetic  // Syriac, N’Ko, Mandaic
        case 0x1820...0x1878, 0x1E900...0x1E943: properties.isAlphabetic  // Mongolian, Adlam
        default: false
        }
    }

    /// Whether an Arabic letter never joins the next one (Joining_Type Right_Joining).
    fileprivate var joinsOnlyPrevious: Bool {
        switch value {
        case 0x0622...0x0625, 0x0627, 0x0629, 0x062F...0x0632, 0x0648, 0x0671...0x0673, 0x0675...0x0677: true
        case 0x0688...0x0699, 0x06C0, 0x06C3...0x06CB, 0x06CD, 0x06CF, 0x06D2...0x06D3, 0x06D5, 0x06EE...0x06EF: true
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
