import CReadline
import Formats
import WSCore

/// Text for one line of a terminal, with colors and its width.
package struct StyledText: Equatable {
    /// A part in one style, without control characters.
    private struct Run {
        var text: String
        let style: Palette.Style?
        /// Whether it is highlighted. Then the style does not show, but it still decides where lines break.
        let isMatch: Bool
    }

    /// The number of columns it takes.
    private(set) var columns = 0

    private var runs: [Run] = []
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

    package static func == (left: StyledText, right: StyledText) -> Bool {
        left.text == right.text
    }

    /// The text with escape sequences for its colors. It contains no other control characters.
    var text: String {
        var parts: [(text: String, style: Palette.Style?)] = []
        for run in runs {
            let style = run.isMatch ? .match : run.style
            if let last = parts.last, last.style == style {
                parts[parts.count - 1].text += run.text
            } else {
                parts.append((run.text, style))
            }
        }
        return parts.map { palette.styled($0.text, $0.style) }.joined()
    }

    var isEmpty: Bool { runs.isEmpty }

    /// Whether a part is highlighted as a match.
    var hasMatch: Bool { runs.contains(where: \.isMatch) }

    /// Appends text, with control characters escaped.
    mutating func append(_ text: String, as style: Palette.Style? = nil, isMatch: Bool = false) {
        guard !text.isEmpty else { return }
        append(Run(text: escapingControls(text), style: style, isMatch: isMatch))
    }

    mutating func append(_ other: StyledText) {
        for run in other.runs { append(run) }
    }

    private mutating func append(_ run: Run) {
        guard !run.text.isEmpty else { return }
        columns += DisplayWidth.of(run.text)
        if let last = runs.last, last.style == run.style, last.isMatch == run.isMatch {
            runs[runs.count - 1].text += run.text
        } else {
            runs.append(run)
        }
    }

    /// Appends the beginning of a text that fits, with an ellipsis for the rest.
    mutating func append(_ other: StyledText, cutTo columns: Int) {
        guard other.columns > columns else { return append(other) }
        // The last column is for the ellipsis.
        let end = self.columns + columns - 1
        for run in other.runs {
            let room = end - self.columns
            guard DisplayWidth.of(run.text) > room else {
                append(run)
                continue
            }
            let beginning = DisplayWidth.prefix(of: run.text, columns: room)
            return append(Run(text: beginning + Glyphs.ellipsis, style: run.style, isMatch: run.isMatch))
        }
    }

    /// Appends the beginning of a text that fits, with an ellipsis for the rest.
    mutating func append(_ text: String, as style: Palette.Style? = nil, cutTo columns: Int) {
        let safe = escapingControls(text)
        guard DisplayWidth.of(safe) > columns else { return append(safe, as: style) }
        append(DisplayWidth.prefix(of: safe, columns: columns - 1) + Glyphs.ellipsis, as: style)
    }

    /// The text in one color, except for matches.
    func recolored(_ style: Palette.Style) -> StyledText {
        var text = StyledText(palette)
        for run in runs { text.append(Run(text: run.text, style: style, isMatch: run.isMatch)) }
        return text
    }

    /// The text in lines of limited width, or `nil` if it takes more than `rows` lines. A part in one style, and the
    /// unstyled punctuation after it, stay together if they fit on a line. Highlighting does not change the lines.
    func wrapped(columns: Int, rows: Int) -> [StyledText]? {
        guard self.columns <= columns.multipliedReportingOverflow(by: rows).partialValue else { return nil }
        var lines = [StyledText(palette)]
        var index = 0
        while index < runs.count {
            let style = runs[index].style
            let afterStyle = runs[index...].firstIndex { $0.style != style } ?? runs.count
            let end = style == nil ? afterStyle : runs[afterStyle...].firstIndex { $0.style != nil } ?? runs.count
            let piece = runs[index..<end]
            index = end
            let width = piece.reduce(0) { $0 + DisplayWidth.of($1.text) }
            let room = columns - lines[lines.count - 1].columns
            if width > room, width <= columns { lines.append(StyledText(palette)) }
            for run in piece {
                guard Self.append(run, to: &lines, columns: columns, rows: rows, palette) else { return nil }
            }
        }
        return lines
    }

    /// Appends a part to the last line and, as far as necessary, to new ones.
    /// - Returns: Whether it fits on the lines.
    private static func append(
        _ run: Run, to lines: inout [StyledText], columns: Int, rows: Int, _ palette: Palette
    ) -> Bool {
        var rest = run.text[...]
        while true {
            let last = lines.count - 1
            let beginning = DisplayWidth.prefix(of: String(rest), columns: columns - lines[last].columns)
            lines[last].append(Run(text: beginning, style: run.style, isMatch: run.isMatch))
            // Not in characters: a character of several scalars may continue on the next line.
            rest = Substring(rest.unicodeScalars.dropFirst(beginning.unicodeScalars.count))
            guard !rest.isEmpty else { return lines.count <= rows }
            // A character that is wider than a line fits nowhere.
            guard !lines[last].isEmpty, lines.count < rows else { return false }
            lines.append(StyledText(palette))
        }
    }
}

/// The number of columns that text takes on a terminal.
package enum DisplayWidth {
    /// `wcwidth` needs a UTF-8 locale.
    private static let hasLocale: Bool = {
        Glyphs.setLocale()
        return true
    }()

    /// The columns of one scalar: 0, 1, or 2. A control character takes none: it can only be a mark that is removed.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        guard !scalar.isASCII, hasLocale else { return scalar.value < 0x20 ? 0 : 1 }
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
        guard text[index] == "\\" else { return sequence(in: text, at: index) }
        // The longest escape is `\u{10FFFF}`.
        let beginning = text[index...].prefix(10)
        guard beginning.starts(with: "\\u{".unicodeScalars), let end = beginning.firstIndex(of: "}"),
            beginning[..<end].dropFirst(3).allSatisfy({ $0.properties.isASCIIHexDigit })
        else { return (1, text.index(after: index)) }
        return (beginning[...end].count, text.index(after: end))
    }

    /// A scalar, and what joiners join to it.
    private static func sequence<Text: Collection<Unicode.Scalar>>(
        in text: Text, at index: Text.Index
    ) -> (columns: Int, end: Text.Index) {
        var columns = of(text[index])
        var end = text.index(after: index)
        var next = end
        while next < text.endIndex, columns <= maximumSequenceColumns {
            let scalar = text[next]
            text.formIndex(after: &next)
            if scalar.isJoiner, next < text.endIndex {
                columns += of(text[next])
                text.formIndex(after: &next)
                end = next
            } else if !scalar.isMark, !scalar.isEmojiModifier {
                break
            }
        }
        return (columns, end)
    }

    /// A sequence of emoji has at most four characters of two columns.
    private static let maximumSequenceColumns = 8

    /// The longest beginning of a text that fits.
    package static func prefix(of text: String, columns: Int) -> String {
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
