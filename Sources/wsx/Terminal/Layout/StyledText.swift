import CReadline
import Formats
import WSCore

/// Text for one line of a terminal, with colors and its width.
struct StyledText: Equatable {
    /// The text with escape sequences for its colors. It contains no other control characters.
    private(set) var text = ""
    /// The number of columns it takes.
    private(set) var columns = 0

    private let palette: Palette

    /// Creates an empty text.
    init(_ palette: Palette) {
        self.palette = palette
    }

    /// Creates a text in one style.
    init(_ text: String, as style: Palette.Style? = nil, _ palette: Palette) {
        self.init(palette)
        append(text, as: style)
    }

    static func == (left: StyledText, right: StyledText) -> Bool {
        left.text == right.text
    }

    var isEmpty: Bool { text.isEmpty }

    /// Appends text, with control characters escaped.
    mutating func append(_ text: String, as style: Palette.Style? = nil) {
        guard !text.isEmpty else { return }
        let safe = escapingControls(text)
        self.text += palette.styled(safe, style)
        columns += DisplayWidth.of(safe)
    }

    mutating func append(_ other: StyledText) {
        text += other.text
        columns += other.columns
    }

    /// Appends the beginning of a text that fits, with an ellipsis for the rest.
    mutating func append(_ text: String, as style: Palette.Style? = nil, cutTo columns: Int) {
        let safe = escapingControls(text)
        guard DisplayWidth.of(safe) > columns else { return append(safe, as: style) }
        append(DisplayWidth.prefix(of: safe, columns: columns - 1) + "…", as: style)
    }
}

/// The number of columns that text takes on a terminal.
enum DisplayWidth {
    /// `wcwidth` needs a UTF-8 locale.
    private static let hasLocale: Bool = {
        wsx_readline_set_locale()
        return true
    }()

    /// The columns of one scalar: 0, 1, or 2.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        guard !scalar.isASCII, hasLocale else { return 1 }
        return max(0, Int(wsx_character_width(scalar.value)))
    }

    /// The columns of text without control characters.
    static func of(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// The columns of a part of a text after its control characters have been escaped.
    static func ofEscaped(_ bytes: RawSpan) -> Int {
        let isPlain = bytes.withUnsafeBytes { $0.allSatisfy { 0x20...0x7E ~= $0 } }
        guard !isPlain else { return bytes.byteCount }
        return of(bytes.withUnsafeBytes { escapingControls(String(decoding: $0, as: UTF8.self)) })
    }

    /// The columns of the character at an index, and the index after it. An escaped control character, such as `\u{1B}`,
    /// is one character.
    static func ofCharacter<Text: Collection<Unicode.Scalar>>(
        in text: Text, at index: Text.Index
    ) -> (columns: Int, end: Text.Index) {
        guard text[index] == "\\" else { return (of(text[index]), text.index(after: index)) }
        // The longest escape is `\u{10FFFF}`.
        let beginning = text[index...].prefix(10)
        guard beginning.starts(with: "\\u{".unicodeScalars), let end = beginning.firstIndex(of: "}"),
            beginning[..<end].dropFirst(3).allSatisfy({ $0.properties.isASCIIHexDigit })
        else { return (1, text.index(after: index)) }
        return (beginning[...end].count, text.index(after: end))
    }

    /// The longest beginning of a text that fits.
    static func prefix(of text: String, columns: Int) -> String {
        let scalars = text.unicodeScalars
        var left = columns
        var end = scalars.startIndex
        while end < scalars.endIndex {
            let (characterColumns, next) = ofCharacter(in: scalars, at: end)
            left -= characterColumns
            guard left >= 0 else { break }
            end = next
        }
        return String(scalars[..<end])
    }
}
