import Formats
import WSCore

/// Breaks text into lines of limited width: at spaces, and within words that are longer than a line. An escaped control
/// character, such as `\u{1B}`, stays in one piece.
package enum WrappedText {
    private typealias Scalars = Substring.UnicodeScalarView

    /// Breaks a text into lines. Each line feed starts a new line.
    /// - Parameters:
    ///   - text: Text without control characters other than line feeds.
    ///   - columns: The width of a line; at least 1.
    ///   - firstColumns: The width of the first line.
    ///   - rows: The maximum number of lines.
    /// - Returns: The lines, and whether all of the text is in them.
    package static func lines(
        of text: String, columns: Int, firstColumns: Int? = nil, rows: Int = .max
    ) -> (lines: [String], isComplete: Bool) {
        let (ranges, isComplete) = ranges(of: text, columns: columns, firstColumns: firstColumns, rows: rows)
        return (ranges.map { String(text.unicodeScalars[$0]) }, isComplete)
    }

    /// Breaks a text into lines, as ``lines(of:columns:firstColumns:rows:)`` does.
    /// - Returns: The locations of the lines, and whether all of the text is in them.
    static func ranges(
        of text: String, columns: Int, firstColumns: Int? = nil, rows: Int = .max
    ) -> (ranges: [Range<String.Index>], isComplete: Bool) {
        var lines: [Range<String.Index>] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var rest = paragraph.unicodeScalars
            repeat {
                guard lines.count < rows else { return (lines, false) }
                let room = lines.isEmpty ? firstColumns ?? columns : columns
                let end = endOfLine(in: rest, columns: max(1, room), nextColumns: columns)
                lines.append(rest.startIndex..<end)
                rest = rest[end...]
                // A space at which a line breaks is not shown.
                if rest.first == " " { rest = rest.dropFirst() }
            } while !rest.isEmpty
        }
        return (lines, true)
    }

    /// - Parameter nextColumns: The width of the next line.
    private static func endOfLine(in text: Scalars, columns: Int, nextColumns: Int) -> Scalars.Index {
        var width = 0
        var end = text.startIndex
        // The last space after a word.
        var space: Scalars.Index?
        var hasWord = false
        while end < text.endIndex {
            if text[end] != " " { hasWord = true } else if hasWord { space = end }
            let (characterWidth, next) = DisplayWidth.ofCharacter(in: text, at: end)
            width += characterWidth
            guard width <= columns else { break }
            end = next
        }
        guard end < text.endIndex else { return end }
        if let space { return space }
        if columns < nextColumns, text.first != " ", wordFits(text, columns: nextColumns) { return text.startIndex }
        // A character wider than the line still makes progress.
        return end == text.startIndex ? text.index(after: end) : end
    }

    /// Whether the first word of a text fits on a line.
    private static func wordFits(_ text: Scalars, columns: Int) -> Bool {
        var width = 0
        var end = text.startIndex
        while end < text.endIndex, text[end] != " ", width <= columns {
            let (characterWidth, next) = DisplayWidth.ofCharacter(in: text, at: end)
            width += characterWidth
            end = next
        }
        return width <= columns
    }
}
