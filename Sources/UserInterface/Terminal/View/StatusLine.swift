import Formats
import WSCore

/// The line above a prompt with the state of the connection, updated four times per second.
///
///     wss://api.example.com/feed · ↑ 12 (1 waiting, 2 unconfirmed) ↓ 1,830 (214/s) · ● session.jsonl · filter /error/ · 41.2 ms · TLS 1.3
package final class StatusLine {
    /// The facts on the line.
    package struct Facts: Equatable {
        /// The address, and other facts that rarely change.
        package var place: [String]
        package var roundTrip: Duration?
        /// The file of the recording, or `nil` if there is none.
        package var recording: String?
        package var sentMessages = 0
        /// The messages that wait to be sent. They are not among the sent ones.
        package var waitingMessages = 0
        /// The sent messages that the peer has not confirmed.
        package var unconfirmedMessages = 0
        package var receivedMessages = 0
        /// The pings and pongs that were not shown.
        var hiddenPings = 0
        /// The filters, such as `filter /error/`, or `nil` if there are none.
        var filters: String?

        package init(
            place: [String], roundTrip: Duration? = nil, recording: String? = nil, sentMessages: Int = 0,
            waitingMessages: Int = 0, unconfirmedMessages: Int = 0, receivedMessages: Int = 0, hiddenPings: Int = 0,
            filters: String? = nil
        ) {
            self.place = place
            self.roundTrip = roundTrip
            self.recording = recording
            self.sentMessages = sentMessages
            self.waitingMessages = waitingMessages
            self.unconfirmedMessages = unconfirmedMessages
            self.receivedMessages = receivedMessages
            self.hiddenPings = hiddenPings
            self.filters = filters
        }
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
    private lazy var timer = Timer(on: loop) { [unowned self] in intervalPassed() }
    private var previous: (messages: Int, time: Duration)?
    /// The messages per second in both directions.
    private var rate = 0

    private static let interval = Duration.milliseconds(250)
    private static let rateInterval = Duration.seconds(1)
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
    package func update() {
        guard isOn, let columns = screenSize()?.columns else {
            editor?.statusLine = nil
            return
        }
        editor?.statusLine = Self.text(facts(), rate: rate, columns: columns - 1, palette: palette)
    }

    private func intervalPassed() {
        measureRate(at: loop.now)
        update()
    }

    private func measureRate(at now: Duration) {
        let facts = facts()
        let messages = facts.sentMessages + facts.receivedMessages
        if let previous {
            let time = now - previous.time
            guard time >= Self.rateInterval else { return }
            // The counters start again with another connection.
            let count = max(0, messages - previous.messages)
            rate = Int((Double(count) / (time / .seconds(1))).rounded())
        }
        previous = (messages, now)
    }

    /// The line, without the last facts if there is not enough room for all.
    static func text(_ facts: Facts, rate: Int, columns: Int, palette: Palette) -> StyledText {
        let remarks = [(facts.waitingMessages, "waiting"), (facts.unconfirmedMessages, "unconfirmed")]
            .filter { $0.0 > 0 }.map { "\(Phrase.grouped($0.0)) \($0.1)" }
        let waiting = remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
        let traffic =
            "\(Glyphs.up) \(Phrase.grouped(facts.sentMessages))\(waiting) \(Glyphs.down) \(Phrase.grouped(facts.receivedMessages))"
        // From the most to the least important, each in its long and its short form.
        var parts = [[rate > 0 ? "\(traffic) (\(Phrase.grouped(rate))/s)" : traffic, traffic]]
        if let recording = facts.recording { parts.append(["\(recordingMark) \(recording)", recordingMark]) }
        if let filters = facts.filters { parts.append([filters]) }
        if let roundTrip = facts.roundTrip { parts.append([Phrase.latency(roundTrip)]) }
        if facts.hiddenPings > 0 {
            parts.append(["\(Phrase.grouped(facts.hiddenPings)) ping\(facts.hiddenPings == 1 ? "" : "s")"])
        }
        parts += facts.place.dropFirst().map { [$0] }
        // A recording is never left out.
        let reserve = facts.recording == nil ? 0 : separator.count + recordingMark.count
        // The traffic is worth more than the end of a long address.
        let others = separator.count + traffic.count + reserve
        var line = StyledText(palette)
        line.append(
            facts.place[0], as: .quiet, cutTo: max(1, columns / 3, min(columns - others, columns * 2 / 3)))
        for (index, forms) in parts.enumerated() {
            let room = columns - line.columns - separator.count - (index == 0 ? reserve : 0)
            guard let form = forms.first(where: { DisplayWidth.of(escapingControls($0)) <= room }) else { continue }
            line.append(separator + form, as: .quiet)
        }
        return line
    }

    static let separator = " \(Glyphs.separator) "
    private static let recordingMark = Glyphs.recording
}
