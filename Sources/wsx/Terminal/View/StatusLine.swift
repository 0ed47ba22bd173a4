import Formats
import WSCore

/// The line above a prompt with the state of the connection, updated every second.
///
///     wss://api.example.com/feed · ↑ 12 ↓ 1,830 (214/s) · ● session.jsonl · filter /error/ · 41.2 ms · TLS 1.3
final class StatusLine {
    /// The facts on the line.
    struct Facts: Equatable {
        /// The address, and other facts that rarely change.
        var place: [String]
        var roundTrip: Duration?
        /// The file of the recording, or `nil` if there is none.
        var recording: String?
        /// The messages of the session, on all its connections.
        var sentMessages = 0
        var receivedMessages = 0
        /// The filters, or `nil` if there are none.
        var filters: String?
    }

    /// Whether the user wants the line; nil: if there is room, and no other program writes to the terminal.
    var choice: Bool? {
        didSet { update() }
    }

    private weak var editor: (any PromptEditor)?
    private let palette: Palette
    private let loop: EventLoop
    private let screenSize: () -> ScreenSize?
    /// Whether another program may write to the terminal, such as the reader of standard output. Its lines would be
    /// taken for this one.
    private let isTerminalShared: Bool
    private let facts: () -> Facts
    private lazy var timer = Timer(on: loop) { [unowned self] in secondPassed() }
    private var previous: (messages: Int, time: Duration)?
    /// The messages per second in both directions.
    private var rate = 0

    private static let interval = Duration.seconds(1)
    /// The minimum size of a window that shows the line by default.
    private static let minimumSize = ScreenSize(columns: 60, rows: 10)

    /// Starts showing the line.
    init(
        above editor: any PromptEditor, palette: Palette, isTerminalShared: Bool = false, on loop: EventLoop,
        screenSize: @escaping () -> ScreenSize? = { ScreenSize.current(isPrompt: true) },
        facts: @escaping () -> Facts
    ) {
        self.editor = editor
        self.palette = palette
        self.loop = loop
        self.screenSize = screenSize
        self.isTerminalShared = isTerminalShared
        self.facts = facts
        timer.start(after: Self.interval, every: Self.interval)
    }

    /// Whether the line is shown.
    var isOn: Bool {
        guard let size = screenSize() else { return false }
        return choice
            ?? (!isTerminalShared && size.columns >= Self.minimumSize.columns && size.rows >= Self.minimumSize.rows)
    }

    /// Shows or hides the line; nil toggles it.
    func toggle(_ choice: Bool?) {
        self.choice = choice ?? !isOn
    }

    /// Redraws the line if it has changed.
    func update() {
        guard isOn, let columns = screenSize()?.columns else {
            editor?.statusLine = nil
            return
        }
        editor?.statusLine = Self.text(facts(), rate: rate, columns: columns - 1, palette: palette)
    }

    private func secondPassed() {
        let (facts, now) = (facts(), loop.now)
        let messages = facts.sentMessages + facts.receivedMessages
        if let previous, now > previous.time {
            rate = Int((Double(messages - previous.messages) / ((now - previous.time) / .seconds(1))).rounded())
        } else {
            rate = 0
        }
        previous = (messages, now)
        update()
    }

    /// The line, without the last facts if there is not enough room for all.
    static func text(_ facts: Facts, rate: Int, columns: Int, palette: Palette) -> StyledText {
        var traffic = "↑ \(Phrase.grouped(facts.sentMessages)) ↓ \(Phrase.grouped(facts.receivedMessages))"
        if rate > 0 { traffic += " (\(Phrase.grouped(rate))/s)" }
        // From the most to the least important.
        var parts = [facts.place[0], traffic]
        if let recording = facts.recording { parts.append("● \(recording)") }
        if let filters = facts.filters { parts.append("filter \(filters)") }
        if let roundTrip = facts.roundTrip { parts.append("\(Phrase.milliseconds(roundTrip)) ms") }
        parts += facts.place.dropFirst()
        var line = StyledText(palette)
        for part in parts {
            let separator = line.isEmpty ? "" : " · "
            let room = columns - line.columns - separator.count
            if line.isEmpty {
                // The traffic is worth more than the end of a long address.
                line.append(part, as: .quiet, cutTo: max(1, min(room, columns * 2 / 3)))
            } else if DisplayWidth.of(escapingControls(part)) <= room {
                line.append(separator + part, as: .quiet)
            }
        }
        return line
    }
}
