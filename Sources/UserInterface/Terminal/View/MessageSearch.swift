import Formats
import WSCore

/// The incremental search through messages at the prompt, modeled on readline's Ctrl-R.
///
///     (find) 'subs' 3 of 17  #123 → {"op":"subscribe"…
final class MessageSearch: ModalLine {
    var didChange: () -> Void = {}
    unowned let view: MessageView
    private let loop: EventLoop
    private var query = ""
    private var matches: SearchMatches?
    /// The number of the message that the user has moved to, or nil for the newest match.
    private var chosen: Int?
    /// The number of the message that is shown.
    private var shown: Int?
    /// The last excerpt, because finding matches in a large message takes time.
    private var excerpt: (number: Int, columns: Int, text: StyledText)?
    private lazy var timer = Timer(on: loop) { [unowned self] in
        isDue = false
        search()
        didChange()
    }
    /// Whether the search is about to go on.
    private var isDue = false

    /// How long a search may delay everything else.
    private static let sliceTime = Duration.milliseconds(10)
    /// A narrower excerpt would say nothing.
    private static let minimumExcerptColumns = 10
    /// The time until messages that have arrived are searched.
    private static let arrivalTime = Duration.milliseconds(16)

    /// Opens a search without a text.
    init(in view: MessageView, on loop: EventLoop) {
        self.view = view
        self.loop = loop
    }

    // MARK: Keys

    func press(_ key: PromptKey) -> Bool {
        switch key {
        case .text(let text), .pasted(let text): replaceQuery(with: query + text)
        case .backspace: replaceQuery(with: String(query.dropLast()))
        case .control("F") where query.isEmpty: replaceQuery(with: view.finding.lastQuery)
        case .control("F"), .control("P"), .up: move(by: 1)
        case .control("N"), .down: move(by: -1)
        case .enter:
            view.endSearch(for: query, showing: shown.flatMap { number in matches.map { (number, $0.pattern) } })
            return false
        case .escape, .control, .other:
            view.endSearch(for: query, showing: nil)
            return false
        }
        return true
    }

    private func replaceQuery(with text: String) {
        let earlier = text.utf8.starts(with: query.utf8) && !query.isEmpty ? matches : nil
        query = text
        matches = query.isEmpty ? nil : SearchMatches(of: query, upTo: view.log.lastNumber)
        if let earlier { matches?.narrow(earlier) }
        (shown, excerpt) = (nil, nil)
        if query.isEmpty { chosen = nil }
        search()
    }

    /// Moves to an older match, or to a newer one if `step` is negative.
    private func move(by step: Int) {
        guard let matches, let position = shown.flatMap({ matches.position(atOrBefore: $0) }) else { return }
        let target = position + step
        guard 0..<matches.count ~= target else { return }
        (chosen, shown) = (matches[target], matches[target])
    }

    // MARK: Searching

    /// Whether messages are still to be searched.
    var isSearching: Bool { matches?.progress == .searching }

    /// Searches messages that have just arrived, a moment later.
    func messagesArrived() {
        scheduleStep(after: Self.arrivalTime)
    }

    private func scheduleStep(after delay: Duration) {
        guard matches != nil, !isDue else { return }
        isDue = true
        timer.start(after: delay)
    }

    /// Searches for a moment. The rest follows after other work.
    private func search() {
        let end = loop.now + Self.sliceTime
        matches?.advance(in: view.log) { loop.now >= end }
        if isSearching { scheduleStep(after: .zero) }
        selectMatch()
    }

    /// Keeps the match that is shown, or else selects the newest one, but none after the one that the user moved to.
    private func selectMatch() {
        guard let matches else { return }
        let kept = shown.flatMap { matches.position(atOrBefore: $0) }
        if let kept, matches[kept] == shown { return }
        if let position = matches.position(atOrBefore: chosen ?? .max) {
            shown = matches[position]
        } else {
            shown = matches.progress == .searching || matches.count == 0 ? nil : matches[matches.count - 1]
        }
    }

    // MARK: The line

    func line(columns: Int) -> (text: StyledText, cursor: Int) {
        let palette = view.transcript.palette
        var line = StyledText("(find) '", palette)
        line.append(Self.end(of: escapingControls(query), columns: max(1, columns / 2 - line.columns)))
        let cursor = line.columns
        line.append("'")
        if let words { line.append(" " + words, as: .quiet) }
        if let entry = shown.flatMap({ view.log.entry($0) }), let matches {
            line.append("  ")
            line.append(view.transcript.label(of: entry))
            let room = columns - line.columns
            if room >= Self.minimumExcerptColumns { line.append(excerpt(of: entry, matches.pattern, columns: room)) }
        }
        var shown = StyledText(palette)
        shown.append(line, cutTo: columns)
        return (shown, min(cursor, columns))
    }

    /// The position of the match that is shown and the number of matches so far.
    private var words: String? {
        guard let matches else {
            return view.finding.lastQuery.isEmpty ? nil : "Ctrl-F repeats '\(view.finding.lastQuery)'"
        }
        let position = shown.flatMap { matches.position(atOrBefore: $0) }
        let found = position.map { "\(Phrase.grouped($0 + 1)) of \(Phrase.grouped(matches.count))" }
        return switch matches.progress {
        case .searching: (found ?? "") + Glyphs.ellipsis
        case .complete: found ?? "no match"
        case .stopped: (found.map { $0 + ", " } ?? "") + "too many steps"
        }
    }

    private func excerpt(of entry: MessageLog.Entry, _ pattern: Pattern, columns: Int) -> StyledText {
        if let excerpt, excerpt.number == entry.number, excerpt.columns == columns { return excerpt.text }
        let text = view.transcript.excerpt(of: entry, around: pattern, columns: columns)
        excerpt = (entry.number, columns, text)
        return text
    }

    /// The end of a text that fits, after an ellipsis for the rest.
    private static func end(of text: String, columns: Int) -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        // The ellipsis takes a column.
        var left = columns - 1
        let end = text.reversed().prefix {
            left -= DisplayWidth.of(String($0))
            return left >= 0
        }
        return Glyphs.ellipsis + String(end.reversed())
    }
}
