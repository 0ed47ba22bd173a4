import Formats
import WSCore

/// The layout of messages at a prompt.
package enum PrettyStyle: String {
    /// As few lines as possible, with long values folded.
    case fit
    /// One member or element of JSON per line.
    case full
    /// Unchanged.
    case off

    var summary: String {
        switch self {
        case .fit: "as few lines as possible"
        case .full: "one member per line"
        case .off: "unchanged"
        }
    }
}

/// Formats payloads for a terminal: indented JSON, other text unchanged, and binary data as a hex dump.
package struct MessageLayout {
    /// A formatted payload.
    package struct Result: Equatable {
        /// The lines, without a final line feed.
        package let text: String
        /// Whether lines are missing.
        let isFolded: Bool
        /// The number of missing lines; nil: unknown or none.
        let hiddenLines: Int?
        /// Whether a match is highlighted.
        var hasMatch = false
    }

    package let palette: Palette
    /// Whether JSON is indented.
    package var isPretty: Bool

    package init(palette: Palette, isPretty: Bool) {
        self.palette = palette
        self.isPretty = isPretty
    }

    /// Formats a text.
    /// - Parameters:
    ///   - column: The indentation of all lines but the first.
    ///   - matches: The parts to highlight.
    package func text(
        _ payload: RawSpan, limit: LayoutLimit, column: Int, highlighting matches: TextMatches = .none
    ) -> Result {
        var lines = ScreenLines(
            limit: limit, column: column, palette: palette, highlighting: matches, in: payload)
        if isPretty, let json = json(payload, in: lines) { return json }
        var start = 0
        while !lines.isFull {
            let end = Self.indexOfLineFeed(in: payload, from: start)
            lines.append(payload.extracting(start..<end), as: nil)
            guard end < payload.byteCount else { break }
            start = end + 1
            lines.beginLine(indentedBy: 0)
        }
        return result(lines) { Self.lineCount(of: payload) }
    }

    /// Formats bytes as a hex dump.
    func dump(_ payload: RawSpan, limit: LayoutLimit, column: Int) -> Result {
        var lines = ScreenLines(limit: limit, column: column, palette: palette)
        HexDump.write(payload, to: &lines)
        return result(lines) { (payload.byteCount + HexDump.lineBytes - 1) / HexDump.lineBytes }
    }

    /// Formats an object or array; nil: the text is neither.
    /// - Parameter lines: Empty lines.
    private func json(_ payload: RawSpan, in lines: ScreenLines) -> Result? {
        guard JSONLayout.mayBe(payload) else { return nil }
        var count: Int?
        if payload.byteCount <= JSONLayout.maximumCheckedBytes {
            count = JSONLayout.lineCount(of: payload)
            guard count != nil else { return nil }
        }
        var lines = lines
        do throws(JSONError) {
            try JSONLayout.write(payload, to: &lines)
        } catch {
            return nil
        }
        return result(lines) { count }
    }

    private func result(_ lines: ScreenLines, lineCount: () -> Int?) -> Result {
        let hidden = lines.isFull ? lineCount().map { $0 - lines.lineCount } : nil
        return Result(
            text: lines.text, isFolded: lines.isFull, hiddenLines: hidden == 0 ? nil : hidden, hasMatch: lines.hasMatch)
    }

    private static func indexOfLineFeed(in text: RawSpan, from start: Int) -> Int {
        text.withUnsafeBytes { bytes in
            bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        }
    }

    private static func lineCount(of text: RawSpan) -> Int? {
        guard text.byteCount <= JSONLayout.maximumCheckedBytes else { return nil }
        return text.withUnsafeBytes { bytes in bytes.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }
    }
}
