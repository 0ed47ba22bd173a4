import Formats
import WSCore

/// Formats messages and frames for a prompt. Messages have numbers and take as few lines as possible.
///
///      #1 → {"op":"subscribe","channel":"trades"}
///      #2 ← {"type":"snapshot","bids":[[1.5,2],[1.4,3],… 48 more],
///            "sequence":1234567} … 4.2 KiB, /2 shows all
///      #3 ← binary 3 B  01 02 ff  ...
///         ← ping "abc"
final class PromptTranscript: Transcript {
    /// The lines of a message.
    struct Message {
        /// Each line ends with a newline.
        let text: String
        /// Whether the lines show only part of the message.
        let isFolded: Bool
    }

    /// What a message is to the user.
    enum Role: Equatable {
        case plain
        /// A reply to the request with a message number, after a round trip.
        /// - `error`: The error that it reports, or `nil` if it reports success.
        case reply(to: Int?, roundTrip: Duration, error: String?)
        /// An unmatched message in a session with requests.
        case notification

        /// Whether the message reports an error.
        var isError: Bool {
            if case .reply(_, _, error: _?) = self { true } else { false }
        }
    }

    /// The layout of messages.
    var style = PrettyStyle.fit {
        didSet { layout.isPretty = style == .full }
    }

    /// The maximum number of lines of a message in the style `fit`, in a high window.
    private static let maximumRows = 10
    /// Windows that are narrower use the space of the number column.
    private static let narrowColumns = 50
    /// The columns of a number: `#123`.
    private static let numberColumns = 4
    /// The size to format for if the window's is unknown.
    private static let usualSize = ScreenSize(columns: 80, rows: 24)

    private var size: ScreenSize { screenSize() ?? Self.usualSize }
    /// The columns of a line. The last one stays free: some terminals already wrap a line that fills it.
    private var columns: Int { max(Self.minimumColumns, size.columns - 1) }
    private static let minimumColumns = 20

    // MARK: Messages

    /// Formats a message.
    /// - Parameters:
    ///   - number: The message's number, or `nil` if it has none yet.
    ///   - highlight: Shows the surroundings of this match, in bytes, instead of the whole message.
    func lines(
        of payload: RawSpan, as kind: MessageKind, _ direction: Direction, number: Int?, client: Int? = nil,
        role: Role = .plain, at moment: TranscriptClock.Moment, highlighting match: Range<Int>? = nil
    ) -> Message {
        var gutter = gutter(direction, number: number, client: client, at: moment)
        let margin = String(repeating: " ", count: gutter.columns)
        let lead = lead(role, columns: room(after: gutter))
        let byteCount = kind == .text ? "\(TrafficReport.size(payload.byteCount)), " : ""
        let hint = number.map { "… \(byteCount)/\($0) shows all" } ?? "…"
        guard payload.byteCount > 0 else {
            gutter.append(lead)
            gutter.append(kind == .text ? "(empty)" : "(empty binary message)", as: .quiet)
            return Message(text: gutter.text + "\n", isFolded: false)
        }
        if let match {
            let room = max(1, room(after: gutter) - lead.columns - 2)
            let excerpt = Excerpt.text(of: payload, around: match, byteCount: room, palette: palette)
            return Message(text: gutter.text + lead.text + excerpt + "\n", isFolded: payload.byteCount > room)
        }
        guard style == .fit else {
            let limit = LayoutLimit.fold(for: size, column: gutter.columns)
            let result =
                kind == .text
                ? layout.text(payload, limit: limit, column: gutter.columns)
                : layout.dump(payload, limit: limit, column: gutter.columns)
            let rest = result.isFolded ? "\n" + margin + palette.quiet(hint) : ""
            return Message(text: gutter.text + lead.text + result.text + rest + "\n", isFolded: result.isFolded)
        }
        var (lines, isFolded) = fit(payload, as: kind, after: lead, columns: room(after: gutter), role)
        if isFolded {
            let last = lines.count - 1
            var hint = hint
            // In a narrow window, the number is enough.
            if let number, hint.count > room(after: gutter) { hint = "… /\(number)" }
            if lines[last].columns + 1 + hint.count <= room(after: gutter) {
                lines[last].append(" ")
            } else {
                lines.append(StyledText(palette))
            }
            lines[lines.count - 1].append(hint, as: .quiet)
        }
        return Message(
            text: gutter.text + lines.map(\.text).joined(separator: "\n" + margin) + "\n", isFolded: isFolded)
    }

    /// Formats a kept message in full, below a line with its facts, up to the limit for very large ones.
    func whole(_ entry: MessageLog.Entry) -> String {
        var heading = gutter(entry.direction, number: entry.number, client: entry.client, at: entry.moment)
        heading.append("\(entry.kind), \(TrafficReport.size(entry.byteCount))", as: .quiet)
        if clock.style == .off {
            heading.append(", \(TranscriptClock.text(of: entry.moment.wallTime))", as: .quiet)
        }
        let limit = LayoutLimit(rows: .max, columns: nil, bytes: MessageLog.maximumShownBytes)
        var full = layout
        if style == .fit { full.isPretty = true }
        let result = entry.payload.withUnsafeBytes { payload in
            entry.kind == .text
                ? full.text(payload.bytes, limit: limit, column: 0) : full.dump(payload.bytes, limit: limit, column: 0)
        }
        let rest = result.isFolded ? palette.quiet("… /save FILE \(entry.number) saves all of it") + "\n" : ""
        return heading.text + "\n" + (result.text.isEmpty ? "" : result.text + "\n") + rest
    }

    /// Formats a message found by a search.
    /// - Parameter match: The first match, in bytes.
    func found(_ entry: MessageLog.Entry, at match: Range<Int>) -> String {
        lines(of: entry, highlighting: match).text
    }

    /// Formats a kept message.
    func lines(of entry: MessageLog.Entry, highlighting match: Range<Int>? = nil) -> Message {
        entry.payload.withUnsafeBytes { payload in
            lines(
                of: payload.bytes, as: entry.kind, entry.direction, number: entry.number, client: entry.client,
                at: entry.moment, highlighting: match)
        }
    }

    private func fit(
        _ payload: RawSpan, as kind: MessageKind, after lead: StyledText, columns: Int, _ role: Role
    ) -> (lines: [StyledText], isFolded: Bool) {
        let rows = min(Self.maximumRows, max(3, size.rows / 4))
        // A long error has its own line.
        guard lead.isEmpty || lead.columns * 2 < columns else {
            let (lines, isFolded) = fit(payload, as: kind, after: StyledText(palette), columns: columns, role)
            return ([lead] + lines, isFolded)
        }
        guard kind == .text else { return binary(payload, after: lead, columns: columns) }
        // A notification has one color.
        let palette = role == .notification ? Palette(isEnabled: false) : self.palette
        let color: Palette.Style? = role == .notification ? .quiet : nil
        if let json = JSONFit(payload, palette: palette) {
            let result = json.lines(
                of: payload, columns: columns, rows: rows, after: color == nil ? lead : StyledText(palette))
            guard let color else { return (result.lines, result.isFolded) }
            return (result.lines.map { StyledText($0.text, as: color, self.palette) }, result.isFolded)
        }
        // Four bytes are at most one character, and an escaped character is longer.
        let beginning = payload.extracting(first: columns * rows * 4)
        var text = beginning.withUnsafeBytes {
            escapingControls(String(decoding: $0, as: UTF8.self), keepingLayout: true)
        }
        let isCut = beginning.byteCount < payload.byteCount
        // The end may be in the middle of a character.
        if isCut, text.last == "\u{FFFD}" { text.removeLast() }
        let (wrapped, isComplete) = WrappedText.lines(
            of: Self.expandingTabs(text), columns: columns, firstColumns: columns - lead.columns, rows: rows)
        var lines = wrapped.map { StyledText($0, as: color, self.palette) }
        if !lead.isEmpty {
            var first = lead
            first.append(lines[0])
            lines[0] = first
        }
        return (lines, isCut || !isComplete)
    }

    private func binary(
        _ payload: RawSpan, after lead: StyledText, columns: Int
    ) -> (lines: [StyledText], isFolded: Bool) {
        var line = lead
        line.append("binary", as: .binary)
        line.append(" \(TrafficReport.size(payload.byteCount))  ")
        // Each byte takes two digits, a space, and a character. A narrow window shows more bytes without characters.
        let available = columns - line.columns
        let showsText = available > Self.minimumBytesWithText * 4
        let room = max(1, showsText ? (available - 1) / 4 : (available + 1) / 3)
        let shown = payload.extracting(first: payload.byteCount <= room ? room : max(1, room - 1))
        let isFolded = shown.byteCount < payload.byteCount
        line.append(HexDump.digits(shown) + (isFolded ? " …" : ""))
        if showsText {
            line.append("  ")
            line.append(HexDump.text(shown) + (isFolded ? "…" : ""), as: .string)
        }
        return ([line], isFolded)
    }

    /// The number of bytes below which a line of a binary message has no characters.
    private static let minimumBytesWithText = 4

    private static func expandingTabs(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\t")) else { return text }
        return text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }

    /// The text before the content: the request that a reply answers, its round trip, and its error.
    private func lead(_ role: Role, columns: Int) -> StyledText {
        var lead = StyledText(palette)
        guard case .reply(let number, let roundTrip, let error) = role else { return lead }
        let request = number.map { "#\($0) " } ?? ""
        lead.append("\(request)\(Phrase.milliseconds(roundTrip)) ms ", as: .quiet)
        if let error {
            lead.append(error, as: .failure, cutTo: max(1, columns - lead.columns - 1))
            lead.append(" ")
        }
        return lead
    }

    // MARK: Frames

    override func control(
        _ opcode: Opcode, _ payload: RawSpan, _ direction: Direction, client: Int? = nil, note: String = ""
    ) -> String {
        var line = gutter(direction, client: client, at: clock.now)
        line.append("\(opcode)", as: .quiet)
        if payload.byteCount > 0 {
            let text = payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            line.append(" ")
            line.append(
                UTF8Validator.isValid(payload) ? "\"\(text)\"" : HexDump.digits(payload),
                cutTo: max(8, columns - line.columns - note.count - 1))
        }
        if !note.isEmpty { line.append(" " + note, as: .quiet) }
        return line.text + "\n"
    }

    override func close(_ frame: CloseFrame, _ direction: Direction, client: Int? = nil) -> String {
        var line = gutter(direction, client: client, at: clock.now)
        line.append("close", as: .close)
        let words = [frame.code.map { "\($0.rawValue)" } ?? "without a code", frame.code?.meaning]
        line.append(" " + words.compactMap { $0 }.joined(separator: " "))
        if !frame.reason.isEmpty { line.append(": \"\(frame.reason)\"") }
        return line.text + "\n"
    }

    override func header(_ header: FrameHeader, _ direction: Direction, client: Int? = nil) -> String {
        var line = gutter(direction, client: client, at: clock.now)
        line.append("frame \(Self.fields(of: header))", as: .quiet)
        return line.text + "\n"
    }

    override func head(_ text: String, _ direction: Direction, client: Int? = nil, isPast: Bool = false) -> String {
        var line = StyledText(direction.arrow, as: direction.style, palette)
        line.append(" ")
        return (client.map { palette.quiet("@\($0) ") } ?? "") + line.text + text + "\n"
    }

    // MARK: The left edge

    /// The columns beside the left edge. In a very narrow window, the terminal wraps lines.
    private func room(after gutter: StyledText) -> Int {
        max(Self.minimumRoom, columns - gutter.columns)
    }

    private static let minimumRoom = 12

    /// The time, the number, the client, and the arrow.
    private func gutter(
        _ direction: Direction, number: Int? = nil, client: Int? = nil, at moment: TranscriptClock.Moment
    ) -> StyledText {
        let time = clock.text(of: moment)
        var gutter = StyledText(palette)
        if !time.isEmpty { gutter.append(time + " ", as: .quiet) }
        let name = number.map { "#\($0)" } ?? ""
        let isNarrow = size.columns < Self.narrowColumns
        let column = isNarrow ? name : rightAligned(name, max(name.count, Self.numberColumns))
        if !column.isEmpty { gutter.append(column + " ", as: .quiet) }
        if let client { gutter.append("@\(client) ", as: .quiet) }
        gutter.append(direction.arrow, as: direction.style)
        gutter.append(" ")
        return gutter
    }
}
