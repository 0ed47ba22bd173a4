import Formats
import WSCore

/// The lines that `/history` lists.
package enum HistoryQuery: Equatable {
    /// The latest lines.
    case latest(Int)
    /// The lines that match a regular expression.
    case matching(String)

    /// The default number of lines.
    static let usualCount = 20

    /// The matching lines and their numbers, oldest first.
    func lines(of history: History) -> [(number: Int, line: [UInt8])] {
        let numbered = history.lines.enumerated().map { (number: history.firstNumber + $0.offset, line: $0.element) }
        switch self {
        case .latest(let count): return Array(numbered.suffix(count))
        case .matching(let source):
            // The expression is valid: see `PromptArgument.historyQuery`.
            guard let pattern = try? Pattern(source) else { return [] }
            return numbered.filter { pattern.matches($0.line.span.bytes) }
        }
    }

    /// The list for display, each line ending with a newline.
    static func text(of lines: [(number: Int, line: [UInt8])]) -> String {
        let width = lines.last.map { "\($0.number)".count } ?? 0
        return lines.map { number, line in
            let shown = escapingControls(String(decoding: line, as: UTF8.self), keepingLayout: true)
            let padding = String(repeating: " ", count: width - "\(number)".count)
            let indentation = "\n" + String(repeating: " ", count: width + 2)
            return padding + "\(number)  "
                + shown.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: indentation) + "\n"
        }.joined()
    }
}
