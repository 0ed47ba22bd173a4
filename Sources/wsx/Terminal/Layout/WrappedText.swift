import Formats
import WSCore

/// Breaks text into lines of limited width: at spaces where possible, else anywhere.
enum WrappedText {
    /// Text up to this share of a line may stay empty to break at a space.
    private static let maximumGap = 3

    /// Breaks a text into lines. Each line feed starts a new line.
    /// - Parameters:
    ///   - text: Text without control characters other than line feeds.
    ///   - columns: The width of a line; at least 1.
    ///   - firstColumns: The width of the first line.
    ///   - rows: The maximum number of lines.
    /// - Returns: The lines, and whether all of the text is in them.
    static func lines(
        of text: String, columns: Int, firstColumns: Int? = nil, rows: Int = .max
    ) -> (lines: [String], isComplete: Bool) {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var rest = paragraph.unicodeScalars[...]
            repeat {
                guard lines.count < rows else { return (lines, false) }
                let end = endOfLine(in: rest, columns: max(1, lines.isEmpty ? firstColumns ?? columns : columns))
                lines.append(String(rest[..<end]))
                rest = rest[end...]
                // A space at which a line breaks is not shown.
                if rest.first == " " { rest = rest.dropFirst() }
            } while !rest.isEmpty
        }
        return (lines, true)
    }

    private static func endOfLine(
        in text: Substring.UnicodeScalarView.SubSequence, columns: Int
    ) -> Substring.UnicodeScalarView.Index {
        var width = 0
        var end = text.startIndex
        var space: (index: Substring.UnicodeScalarView.Index, width: Int)?
        while end < text.endIndex {
            let scalar = text[end]
            if scalar == " " { space = (end, width) }
            width += DisplayWidth.of(scalar)
            if width > columns { break }
            end = text.index(after: end)
        }
        guard end < text.endIndex else { return end }
        if let space, space.width * maximumGap > columns * (maximumGap - 1) { return space.index }
        // A character wider than the line still makes progress.
        return end == text.startIndex ? text.index(after: end) : end
    }
}
