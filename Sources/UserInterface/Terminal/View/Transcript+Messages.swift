import Formats
import WSCore

// The messages of a prompt.
extension Transcript {
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
        let json = layout.json(in: payload, kind)
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
        let message = MessageLayout.Message(
            kind: kind, isNotification: role == .notification || role == .hidden, lead: lead, matches: matches,
            columns: columns, indentation: gutter.columns)
        return json.withText(or: payload) { shown in
            let content = layout.content(of: shown, message, in: size, hint: hint, isListed: isListed)
            let margin = "\n" + String(repeating: " ", count: gutter.columns)
            guard let match = matches.ranges.first, !content.showsMatch else {
                return Message(
                    text: gutter.text + content.lines.joined(separator: margin) + "\n", isFolded: content.isFolded)
            }
            let excerpt = Excerpt(of: shown, around: match, columns: max(1, columns - lead.columns), palette: palette)
            return Message(text: gutter.text + lead.text + excerpt.text.text + "\n", isFolded: excerpt.isCut)
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

    /// Formats a kept message in full, below a line with its facts, up to the limit for very large ones.
    func whole(_ entry: MessageLog.Entry, highlighting pattern: Pattern? = nil) -> String {
        var heading = facts(of: entry)
        let limit = LayoutLimit(rows: .max, columns: nil, bytes: MessageLog.maximumShownBytes)
        let payload = entry.payload.span.bytes
        let json = layout.json(in: payload, entry.kind)
        let matches = pattern.map { TextMatches(of: $0, in: payload, shownAs: json) } ?? .none
        let result = json.withText(or: payload) {
            layout.block($0, entry.kind, limit: limit, column: 0, highlighting: matches)
        }
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
        let json = layout.json(in: payload, entry.kind)
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
}
