/// A list of terms and their meanings in two columns. Meanings are wrapped at words. In a narrow window, those that do not
/// fit beside their terms are below them.
///
///     /ping [TEXT]  Send a ping
///     /quit         Close the connection and exit
package enum TermList {
    /// The minimum width of a column of meanings. URLs, and most names of extensions, fit into it.
    private static let minimumMeaningColumns = 20
    /// The indentation of a meaning below its term.
    private static let hangingColumns = 2

    /// The lines of the list, each ending with a newline.
    /// - Parameters:
    ///   - rows: Each term with its meaning, which may have several lines.
    ///   - columns: The width of a line; nil: unlimited.
    ///   - indentation: The indentation of the terms.
    ///   - gap: The number of spaces between the columns.
    ///   - style: Colors a term and the spaces after it.
    package static func text(
        of rows: [(String, String)], columns: Int?, indentation: Int = 0, gap: Int = 2,
        style: (String) -> String = { $0 }
    ) -> String {
        let columns = columns ?? .max
        let longest = rows.map { DisplayWidth.of($0.0) }.max() ?? 0
        let column = indentation + longest + gap
        let isNarrow = columns - column < minimumMeaningColumns
        let below = indentation + hangingColumns
        return rows.map { term, meaning in
            let width = DisplayWidth.of(term)
            let isOneLine = !meaning.utf8.contains(UInt8(ascii: "\n"))
            let fits = isOneLine && indentation + width + gap + DisplayWidth.of(meaning) <= columns
            guard isNarrow, !fits else {
                let padding = spaces(isNarrow ? gap : longest - width + gap)
                return spaces(indentation) + style(term + padding)
                    + lines(of: meaning, columns: columns, indentation: isNarrow ? below : column) + "\n"
            }
            return spaces(indentation) + style(term) + "\n" + spaces(below)
                + lines(of: meaning, columns: columns, indentation: below) + "\n"
        }.joined()
    }

    private static func lines(of text: String, columns: Int, indentation: Int) -> String {
        WrappedText.lines(of: text, columns: columns - indentation).lines.joined(separator: "\n" + spaces(indentation))
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: count)
    }
}
