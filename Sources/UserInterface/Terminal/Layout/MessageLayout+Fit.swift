import Formats
import WSCore

// The style `fit`: as few lines as possible.
extension MessageLayout {
    /// The message in at most `rows` lines.
    func lines(of payload: RawSpan, _ message: Message, rows: Int) -> (lines: [StyledText], isFolded: Bool) {
        // A long error has its own line.
        guard message.lead.isEmpty || message.lead.columns * 2 < message.columns else {
            var rest = message
            rest.lead = StyledText(palette)
            let (lines, isFolded) = lines(of: payload, rest, rows: max(1, rows - 1))
            return ([message.lead] + lines, isFolded)
        }
        guard message.kind == .text else { return binary(payload, message) }
        guard let json = JSONFit(payload, palette: palette, highlighting: message.matches) else {
            return text(payload, message, rows: rows)
        }
        let result = json.lines(of: payload, columns: message.columns, rows: rows, after: message.lead)
        return (message.isNotification ? result.lines.map { $0.recolored(.quiet) } : result.lines, result.isFolded)
    }

    /// All of a message in at most `rows` lines, or `nil` if it takes more.
    func unfolded(_ payload: RawSpan, _ message: Message, rows: Int) -> [StyledText]? {
        // A column has at most four bytes, unless much of the text is whitespace between tokens.
        // A binary message is always one line.
        guard payload.byteCount <= message.columns * rows * 8, message.kind == .text else { return nil }
        let (lines, isFolded) = lines(of: payload, message, rows: rows)
        if !isFolded, lines.count <= rows { return lines }
        guard let json = JSONFit(payload, palette: palette, highlighting: message.matches) else { return nil }
        let line = json.lines(of: payload, columns: .max, rows: 1, after: message.lead).lines[0]
        let wrapped = line.wrapped(columns: message.columns, rows: rows)
        return message.isNotification ? wrapped?.map { $0.recolored(.quiet) } : wrapped
    }

    /// Text that is not JSON.
    private func text(
        _ payload: RawSpan, _ message: Message, rows: Int
    ) -> (lines: [StyledText], isFolded: Bool) {
        // Four bytes are at most one character, and an escaped character is longer.
        let beginning = payload.extracting(first: message.columns * rows * 4)
        var text = ""
        var shownMatches: [Range<Int>] = []
        for (range, isMatch) in message.matches.pieces(of: 0..<beginning.byteCount) {
            let piece = beginning.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            let start = text.utf8.count
            text += Self.expandingTabs(escapingControls(piece, keepingLayout: true))
            if isMatch { shownMatches.append(start..<text.utf8.count) }
        }
        let isCut = beginning.byteCount < payload.byteCount
        // The end may be in the middle of a character.
        if isCut, text.last == "\u{FFFD}" { text.removeLast() }
        let (ranges, isComplete) = WrappedText.ranges(
            of: text, columns: message.columns, firstColumns: message.columns - message.lead.columns, rows: rows)
        let style = message.isNotification ? Palette.Style.quiet : nil
        var lines = ranges.map { styled($0, of: text, as: style, highlighting: TextMatches(shownMatches)) }
        if !message.lead.isEmpty {
            var first = message.lead
            first.append(lines[0])
            lines[0] = first
        }
        return (lines, isCut || !isComplete)
    }

    /// A line of a text, with the matches highlighted.
    /// - Parameter matches: Their locations in the UTF-8 form of the text.
    private func styled(
        _ line: Range<String.Index>, of text: String, as style: Palette.Style?, highlighting matches: TextMatches
    ) -> StyledText {
        var styled = StyledText(palette)
        let start = text.utf8.distance(from: text.startIndex, to: line.lowerBound)
        let bytes = text.utf8[line]
        for (range, isMatch) in matches.pieces(of: start..<start + bytes.count) {
            let piece = bytes.dropFirst(range.lowerBound - start).prefix(range.count)
            styled.append(String(decoding: piece, as: UTF8.self), as: style, isMatch: isMatch)
        }
        return styled
    }

    private func binary(_ payload: RawSpan, _ message: Message) -> (lines: [StyledText], isFolded: Bool) {
        var line = message.lead
        line.append("binary", as: .binary)
        line.append(" \(TrafficReport.size(payload.byteCount))  ")
        // Each byte takes two digits, a space, and a character. A narrow window shows more bytes without characters.
        let available = message.columns - line.columns
        let showsText = available > Self.minimumBytesWithText * 4
        let room = max(1, showsText ? (available - 1) / 4 : (available + 1) / 3)
        let shown = payload.extracting(first: payload.byteCount <= room ? room : max(1, room - 1))
        let isFolded = shown.byteCount < payload.byteCount
        line.append(HexDump.digits(shown) + (isFolded ? " " + Glyphs.ellipsis : ""))
        if showsText {
            line.append("  ")
            line.append(HexDump.text(shown) + (isFolded ? Glyphs.ellipsis : ""), as: .string)
        }
        return ([line], isFolded)
    }

    /// The number of bytes below which a line of a binary message has no characters.
    private static let minimumBytesWithText = 4

    private static func expandingTabs(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\t")) else { return text }
        return text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }
}
