import Formats
import WSCore

/// The style of a layout.
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

/// Formats payloads: JSON in a style, other text unchanged, and binary data as a hex dump.
package struct MessageLayout {
    /// A payload on lines of its own.
    package struct Block: Equatable {
        /// The lines, without a final line feed.
        package let text: String
        /// Whether lines are missing.
        let isFolded: Bool
        /// The number of missing lines; nil: unknown or none.
        let hiddenLines: Int?
        /// Whether a match is highlighted.
        var hasMatch = false
    }

    /// A message of a prompt, and its place.
    struct Message {
        let kind: MessageKind
        /// Whether the message has one color, as notifications do.
        let isNotification: Bool
        /// The text before the content.
        var lead: StyledText
        /// The parts to highlight.
        let matches: TextMatches
        /// The width of a line.
        let columns: Int
        /// The indentation of all lines but the first.
        let indentation: Int
    }

    /// The lines of a message at a prompt.
    struct Content {
        let lines: [String]
        let isFolded: Bool
        /// Whether a match is highlighted, if there is one. A match in whitespace between tokens of JSON cannot be.
        let showsMatch: Bool

        fileprivate init(_ lines: [StyledText], isFolded: Bool, of message: Message) {
            self.lines = lines.map(\.text)
            self.isFolded = isFolded
            showsMatch = message.kind == .text && !isFolded || lines.contains(where: \.hasMatch)
        }

        fileprivate init(lines: [String], isFolded: Bool, showsMatch: Bool) {
            (self.lines, self.isFolded, self.showsMatch) = (lines, isFolded, showsMatch)
        }
    }

    package let palette: Palette
    package var style: PrettyStyle

    package init(palette: Palette, style: PrettyStyle) {
        self.palette = palette
        self.style = style
    }

    /// The form in which JSON is shown; nil: the payload is shown as it is.
    package func json(in payload: RawSpan, _ kind: MessageKind) -> ShownJSON? {
        kind == .text && style != .off ? ShownJSON(payload) : nil
    }

    // MARK: Messages of a prompt

    /// The maximum number of lines of a message in the style `fit`, in a high window.
    private static let maximumRows = 10

    /// Formats a message, or the beginning of a long one.
    /// - Parameters:
    ///   - payload: The message as it is shown; not empty.
    ///   - size: The size of the window.
    ///   - hint: The text after the beginning of a long message.
    ///   - isListed: Whether to show at most one line, as in a list of matches.
    func content(
        of payload: RawSpan, _ message: Message, in size: ScreenSize, hint: String, isListed: Bool
    ) -> Content {
        if isListed {
            let (lines, isFolded) = lines(of: payload, message, rows: 1)
            return Content(Array(lines.prefix(1)), isFolded: isFolded, of: message)
        }
        switch style {
        case .fit: return fitted(payload, message, in: size, hint)
        case .full, .off: return folded(payload, message, in: size, hint)
        }
    }

    /// As few lines as possible.
    private func fitted(_ payload: RawSpan, _ message: Message, in size: ScreenSize, _ hint: String) -> Content {
        var (lines, isFolded) = lines(
            of: payload, message, rows: min(Self.maximumRows, max(3, size.rows / 4)))
        guard isFolded else { return Content(lines, isFolded: false, of: message) }
        let last = lines.count - 1
        let hintFits = lines[last].columns + 1 + hint.count <= message.columns
        // Folding must save at least one line.
        if let lines = unfolded(payload, message, rows: lines.count + (hintFits ? 0 : 1)) {
            return Content(lines, isFolded: false, of: message)
        }
        if hintFits { lines[last].append(" ") } else { lines.append(StyledText(palette)) }
        lines[lines.count - 1].append(hint, as: .quiet)
        return Content(lines, isFolded: true, of: message)
    }

    /// A block of about half of the window.
    private func folded(_ payload: RawSpan, _ message: Message, in size: ScreenSize, _ hint: String) -> Content {
        func block(_ limit: LayoutLimit) -> Block {
            self.block(
                payload, message.kind, limit: limit, column: message.indentation, highlighting: message.matches)
        }
        let limit = LayoutLimit.fold(for: size, column: message.indentation)
        var shown = block(limit)
        if shown.isFolded {
            // The line with the hint may as well be the last line of the message.
            let longer = block(limit.withOneMoreRow)
            if !longer.isFolded { shown = longer }
        }
        return Content(
            lines: [message.lead.text + shown.text] + (shown.isFolded ? [palette.quiet(hint)] : []),
            isFolded: shown.isFolded, showsMatch: shown.hasMatch || message.kind == .text && !shown.isFolded)
    }

    // MARK: Blocks

    /// Formats a payload with one member of JSON per line, unless the style is `off`.
    /// - Parameters:
    ///   - payload: The message as it is shown.
    ///   - column: The indentation of all lines but the first.
    ///   - matches: The parts to highlight in a text.
    package func block(
        _ payload: RawSpan, _ kind: MessageKind, limit: LayoutLimit, column: Int,
        highlighting matches: TextMatches = .none
    ) -> Block {
        kind == .text
            ? text(payload, limit: limit, column: column, highlighting: matches)
            : dump(payload, limit: limit, column: column)
    }

    /// Formats a text.
    /// - Parameters:
    ///   - column: The indentation of all lines but the first.
    ///   - matches: The parts to highlight.
    func text(
        _ payload: RawSpan, limit: LayoutLimit, column: Int, highlighting matches: TextMatches = .none
    ) -> Block {
        var lines = ScreenLines(
            limit: limit, column: column, palette: palette, highlighting: matches, in: payload)
        if style != .off, let json = json(payload, in: lines) { return json }
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
    func dump(_ payload: RawSpan, limit: LayoutLimit, column: Int) -> Block {
        var lines = ScreenLines(limit: limit, column: column, palette: palette)
        HexDump.write(payload, to: &lines)
        return result(lines) { (payload.byteCount + HexDump.lineBytes - 1) / HexDump.lineBytes }
    }

    /// Appends JSON without escaping control characters, for pipes and files.
    package func append(_ json: ShownJSON, to buffer: inout ByteBuffer) {
        var lines = PlainLines(palette: palette)
        // Cannot fail: the text has been parsed.
        do throws(JSONError) { try JSONLayout.write(json.bytes.span.bytes, to: &lines) } catch {}
        lines.bytes.withReadableBytes { buffer.append($0) }
    }

    /// Formats an object or array; nil: the text is neither.
    /// - Parameter lines: Empty lines.
    private func json(_ payload: RawSpan, in lines: ScreenLines) -> Block? {
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

    private func result(_ lines: ScreenLines, lineCount: () -> Int?) -> Block {
        let hidden = lines.isFull ? lineCount().map { $0 - lines.lineCount } : nil
        return Block(
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
