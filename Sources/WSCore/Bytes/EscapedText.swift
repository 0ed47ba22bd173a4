/// The text with everything that could drive a terminal, or hide in one, written as `\u{XX}`.
///
/// Escaped are C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width
/// and other invisible format characters, and the byte order mark. Everything else stays as it is.
/// - Parameter keepingLayout: Whether line feeds and tabs stay as they are, too.
public func escapingControls(_ text: String, keepingLayout: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: \.isInvisible) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
        if scalar.isInvisible, !(keepingLayout && (scalar == "\n" || scalar == "\t")) {
            escaped += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// A peer's or user's text in double quotes, escaped and cut to a length that suits a one-line message.
func quoted(_ text: String) -> String {
    let maximumScalarCount = 120
    let start = String(text.unicodeScalars.prefix(maximumScalarCount))
    let isCut = start.utf8.count < text.utf8.count
    return "\"" + escapingControls(start) + (isCut ? "…\"" : "\"")
}

extension Unicode.Scalar {
    /// Whether the scalar could drive a terminal, reorder text or hide in it.
    public var isInvisible: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E: true  // bidirectional marks, embeddings and overrides
        case 0x200B...0x200D, 0x180E: true  // zero-width space, non-joiner, joiner; Mongolian vowel separator
        case 0x2028...0x2029: true  // line and paragraph separators
        case 0x2060...0x206F: true  // word joiner, invisible operators, bidirectional isolates, deprecated controls
        case 0xFEFF, 0xFFF9...0xFFFB: true  // byte order mark, interlinear annotation
        case 0xE0000...0xE007F: true  // invisible tags
        default: false
        }
    }
}
