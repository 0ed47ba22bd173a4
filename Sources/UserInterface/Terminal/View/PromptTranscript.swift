import Formats
import WSCore

/// Formats messages and frames for a prompt. Messages have numbers and take as few lines as possible.
///
///      #1 → {"op":"subscribe","channel":"trades"}
///      #2 ← {"type":"snapshot","bids":[[1.5,2],[1.4,3],… 48 more],
///            "sequence":1234567} … 4.2 KiB, /2 shows all
///      #3 ← binary 3 B  01 02 ff  ...
///         ← ping "abc"
package final class PromptTranscript: Transcript {
    /// The lines of a message.
    struct Message {
        /// Each line ends with a newline.
        let text: String
        /// Whether the lines show only part of the message.
        let isFolded: Bool
    }

    /// What a message is to the user.
    package enum Role: Equatable {
        case plain
        /// A reply to the request with a message number, after a round trip.
        /// - `error`: The error that it reports, or `nil` if it reports success.
        case reply(to: Int?, roundTrip: Duration, error: String?)
        /// An unmatched message in a session with requests.
        case notification
        /// `--hide` hides it. It is shown with `-v`.
        case hidden
        /// A binary message that could not be decoded, for a reason.
        case undecoded(String)

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
    var columns: Int { max(Self.minimumColumns, size.columns - 1) }
    private static let minimumColumns = 20

    // MARK: Messages

    /// Formats a message.
    /// - Parameters:
    ///   - number: The message's number, or `nil` if it has none yet.
    ///   - heading: The text before the message, or `nil` if there is none.
    ///   - pattern: What to highlight. If folding hides all matches, the surroundings of the first one are shown.
    ///   - isListed: Whether to show at most one line, as in a list of matches.
    func lines(
        of payload: RawSpan, as kind: MessageKind, _ direction: Direction, number: Int?, client: Int? = nil,
        heading: String? = nil, role: Role = .plain, at moment: TranscriptClock.Moment,
        highlighting pattern: Pattern? = nil, isListed: Bool = false
    ) -> Message {
        let json = kind == .text && style != .off ? ShownJSON(payload) : nil
        let matches = pattern.map { TextMatches(of: $0, in: payload, shownAs: json) } ?? .none
        var gutter = gutter(direction, number: number, client: client, at: moment)
        let columns = room(after: gutter)
        var lead = lead(role, columns: columns)
        if let heading { lead.append(heading + " ", as: .heading, cutTo: max(1, columns - lead.columns)) }
        guard payload.byteCount > 0 else {
            gutter.append(lead)
            guard heading == nil else { return Message(text: gutter.text + "\n", isFolded: false) }
            gutter.append(kind == .text ? "(empty)" : "(empty binary message)", as: .quiet)
            return Message(text: gutter.text + "\n", isFolded: false)
        }
        let hint = Self.hint(number, kind, byteCount: payload.byteCount, columns: columns)
        let fit = MessageFit(
            kind: kind, isNotification: role == .notification || role == .hidden, lead: lead, matches: matches,
            columns: columns,
            palette: palette)
        return json.withText(or: payload) { shown in
            let content =
                if isListed {
                    listed(shown, fit)
                } else if style == .fit {
                    fitted(shown, fit, hint)
                } else {
                    laidOut(shown, fit, hint, column: gutter.columns)
                }
            let margin = "\n" + String(repeating: " ", count: gutter.columns)
            guard let match = matches.ranges.first, !content.showsMatch else {
                return Message(
                    text: gutter.text + content.lines.joined(separator: margin) + "\n", isFolded: content.isFolded)
            }
            let excerpt = Excerpt(of: shown, around: match, columns: max(1, columns - lead.columns), palette: palette)
            return Message(text: gutter.text + lead.text + excerpt.text.text + "\n", isFolded: excerpt.isCut)
        }
    }

    /// The lines of a message without the left edge.
    private struct Content {
        let lines: [String]
        let isFolded: Bool
        /// Whether a match is highlighted, if there is one. A match in whitespace between tokens of JSON cannot be.
        let showsMatch: Bool

        init(_ lines: [StyledText], isFolded: Bool, isText: Bool) {
            self.lines = lines.map(\.text)
            self.isFolded = isFolded
            showsMatch = isText && !isFolded || lines.contains(where: \.hasMatch)
        }

        init(lines: [String], isFolded: Bool, showsMatch: Bool) {
            (self.lines, self.isFolded, self.showsMatch) = (lines, isFolded, showsMatch)
        }
    }

    /// The size of a folded message, and how to see all of it. In a narrow window, the number is enough.
    private static func hint(_ number: Int?, _ kind: MessageKind, byteCount: Int, columns: Int) -> String {
        guard let number else { return Glyphs.ellipsis }
        let size = kind == .text ? "\(TrafficReport.size(byteCount)), " : ""
        let hint =
            "\(Glyphs.ellipsis) \(size)/\(number) shows \(byteCount > MessageLog.maximumShownBytes ? "more" : "all")"
        return hint.count > columns ? "\(Glyphs.ellipsis) /\(number)" : hint
    }

    /// The style `fit`: as few lines as possible.
    private func fitted(_ payload: RawSpan, _ fit: MessageFit, _ hint: String) -> Content {
        var (lines, isFolded) = fit.lines(of: payload, rows: min(Self.maximumRows, max(3, size.rows / 4)))
        let isText = fit.kind == .text
        guard isFolded else { return Content(lines, isFolded: false, isText: isText) }
        let last = lines.count - 1
        let hintFits = lines[last].columns + 1 + hint.count <= fit.columns
        // Folding must save at least one line.
        if let lines = fit.unfolded(payload, rows: lines.count + (hintFits ? 0 : 1)) {
            return Content(lines, isFolded: false, isText: isText)
        }
        if hintFits { lines[last].append(" ") } else { lines.append(StyledText(palette)) }
        lines[lines.count - 1].append(hint, as: .quiet)
        return Content(lines, isFolded: true, isText: isText)
    }

    /// A line of a list of matches.
    private func listed(_ payload: RawSpan, _ fit: MessageFit) -> Content {
        let (lines, isFolded) = fit.lines(of: payload, rows: 1)
        return Content(Array(lines.prefix(1)), isFolded: isFolded, isText: fit.kind == .text)
    }

    /// The styles `full` and `off`.
    private func laidOut(_ payload: RawSpan, _ message: MessageFit, _ hint: String, column: Int) -> Content {
        func result(_ limit: LayoutLimit) -> MessageLayout.Result {
            message.kind == .text
                ? layout.text(payload, limit: limit, column: column, highlighting: message.matches)
                : layout.dump(payload, limit: limit, column: column)
        }
        let limit = LayoutLimit.fold(for: size, column: column)
        var shown = result(limit)
        if shown.isFolded {
            // The line with the hint may as well be the last line of the message.
            let longer = result(limit.withOneMoreRow)
            if !longer.isFolded { shown = longer }
        }
        return Content(
            lines: [message.lead.text + shown.text] + (shown.isFolded ? [palette.quiet(hint)] : []),
            isFolded: shown.isFolded, showsMatch: shown.hasMatch || message.kind == .text && !shown.isFolded)
    }

    /// Formats a kept message in full, below a line with its facts, up to the limit for very large ones.
    func whole(_ entry: MessageLog.Entry, highlighting pattern: Pattern? = nil) -> String {
        var heading = facts(of: entry)
        let limit = LayoutLimit(rows: .max, columns: nil, bytes: MessageLog.maximumShownBytes)
        var full = layout
        if style == .fit { full.isPretty = true }
        let payload = entry.payload.span.bytes
        let json = entry.kind == .text && full.isPretty ? ShownJSON(payload) : nil
        let matches = pattern.map { TextMatches(of: $0, in: payload, shownAs: json) } ?? .none
        let result =
            entry.kind == .text
            ? json.withText(or: payload) { full.text($0, limit: limit, column: 0, highlighting: matches) }
            : full.dump(payload, limit: limit, column: 0)
        // The heading is on the first page of a pager.
        if result.isFolded { heading.append(", only the beginning", as: .quiet) }
        let rest =
            result.isFolded
            ? palette.quiet(
                "\(Glyphs.ellipsis) only the beginning is shown; /save FILE \(entry.number) saves all of it") + "\n"
            : ""
        return heading.text + "\n" + (result.text.isEmpty ? "" : result.text + "\n") + rest
    }

    /// The facts of a kept message: its direction, kind, size, and time.
    func facts(of entry: MessageLog.Entry) -> StyledText {
        var facts = gutter(entry.direction, number: entry.number, client: entry.client, at: entry.moment)
        if let name = entry.heading { facts.append(name + " ", as: .heading) }
        facts.append("\(entry.kind), \(TrafficReport.size(entry.byteCount))", as: .quiet)
        if clock.style == .off {
            facts.append(", \(TranscriptClock.text(of: entry.moment.wallTime))", as: .quiet)
        }
        return facts
    }

    /// The beginning of a line about a kept message: its number and direction.
    func label(of entry: MessageLog.Entry) -> StyledText {
        var label = StyledText(palette)
        label.append("#\(entry.number) ", as: .quiet)
        if let client = entry.client { label.append("@\(client) ", as: .quiet) }
        label.append(entry.direction.arrow, as: entry.direction.style)
        label.append(" ")
        return label
    }

    /// Formats the surroundings of the first match in a kept message.
    /// - Parameter columns: The width; at least 1.
    func excerpt(of entry: MessageLog.Entry, around pattern: Pattern, columns: Int) -> StyledText {
        let payload = entry.payload.span.bytes
        let json = entry.kind == .text && style != .off ? ShownJSON(payload) : nil
        let match = TextMatches(of: pattern, in: payload, shownAs: json).ranges.first ?? 0..<0
        var excerpt = StyledText(palette)
        if let heading = entry.heading { excerpt.append(heading + " ", as: .heading, cutTo: (columns + 1) / 2) }
        let rest = columns - excerpt.columns
        guard rest > 0 else { return excerpt }
        json.withText(or: payload) {
            excerpt.append(Excerpt(of: $0, around: match, columns: rest, palette: palette).text)
        }
        return excerpt
    }

    /// Formats a message found by a search, in one line.
    func found(_ entry: MessageLog.Entry, by pattern: Pattern) -> String {
        lines(of: entry, highlighting: pattern, isListed: true).text
    }

    /// Formats a kept message.
    func lines(
        of entry: MessageLog.Entry, highlighting pattern: Pattern? = nil, isListed: Bool = false
    ) -> Message {
        entry.payload.withUnsafeBytes { payload in
            lines(
                of: payload.bytes, as: entry.kind, entry.direction, number: entry.number, client: entry.client,
                heading: entry.heading, at: entry.moment, highlighting: pattern, isListed: isListed)
        }
    }

    /// The text before the content: the request that a reply answers, its round trip, and its error.
    private func lead(_ role: Role, columns: Int) -> StyledText {
        var lead = StyledText(palette)
        if case .undecoded(let reason) = role {
            lead.append("(\(escapingControls(reason)))", as: .failure, cutTo: max(1, columns - 1))
            lead.append(" ")
        }
        guard case .reply(let number, let roundTrip, let error) = role else { return lead }
        let request = number.map { "#\($0) " } ?? ""
        lead.append("\(request)\(Phrase.latency(roundTrip)) ", as: .quiet)
        if let error {
            lead.append(error, as: .failure, cutTo: max(1, columns - lead.columns - 1))
            lead.append(" ")
        }
        return lead
    }

    // MARK: Frames

    package override func control(
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

    package override func close(_ frame: CloseFrame, _ direction: Direction, client: Int? = nil) -> String {
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

    package override func head(_ text: String, _ direction: Direction, client: Int? = nil, isPast: Bool = false)
        -> String
    {
        var line = StyledText(direction.arrow, as: direction.style, palette)
        line.append(" ")
        return (client.map { palette.quiet("@\($0) ") } ?? "") + line.text + text + "\n"
    }

    // MARK: The left edge

    /// The columns beside the left edge. In a very narrow window, the terminal wraps lines.
    private func room(after gutter: StyledText) -> Int {
        max(Self.minimumRoom, columns - gutter.columns)
    }

    private static let minimumRoom = 10

    /// The time, the number, the client, and the arrow.
    private func gutter(
        _ direction: Direction, number: Int? = nil, client: Int? = nil, at moment: TranscriptClock.Moment
    ) -> StyledText {
        let time = clock.text(of: moment)
        var gutter = StyledText(palette)
        let isNarrow = size.columns < Self.narrowColumns
        if !time.isEmpty { gutter.append((isNarrow ? String(time.drop { $0 == " " }) : time) + " ", as: .quiet) }
        let name = number.map { "#\($0)" } ?? ""
        let column = isNarrow ? name : rightAligned(name, max(name.count, Self.numberColumns))
        if !column.isEmpty { gutter.append(column + " ", as: .quiet) }
        if let client { gutter.append("@\(client) ", as: .quiet) }
        gutter.append(direction.arrow, as: direction.style)
        gutter.append(" ")
        return gutter
    }
}
