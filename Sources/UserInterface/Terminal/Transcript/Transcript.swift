import Conversation
import Formats
import WSCore

/// Formats the lines that show the messages and frames of a connection.
///
/// Without a prompt, in columns:
///
///     15:04:05.123 → text      5 B  hello
///     15:04:05.164 ← binary    3 B  01 02 ff  ...
///     15:04:12.006 ← close  1000    normal closure: "bye"
///     15:04:13.250 … text      5 B  later
///
/// At a prompt, messages have numbers, and their layout decides how many lines they take:
///
///      #1 → {"op":"subscribe","channel":"trades"}
///      #2 ← {"type":"snapshot","bids":[[1.5,2],[1.4,3],… 48 more],
///            "sequence":1234567} … 4.2 KiB, /2 shows all
///      #3 ← binary 3 B  01 02 ff  ...
///         ← ping "abc"
package final class Transcript {
    /// The direction of a message.
    package enum Direction {
        case sent
        case received
        /// The message waits for a connection or an earlier reply.
        case queued

        var arrow: String {
            switch self {
            case .sent: Glyphs.sent
            case .received: Glyphs.received
            case .queued: Glyphs.ellipsis
            }
        }

        var style: Palette.Style {
            switch self {
            case .sent: .sent
            case .received: .received
            case .queued: .quiet
            }
        }
    }

    /// The timestamps of the lines.
    var clock: TranscriptClock
    /// The format of payloads.
    var layout: MessageLayout

    let palette: Palette
    /// The secrets of the run, which a peer may repeat in a close frame.
    private let secrets: SecretRecord
    private let screenSize: () -> ScreenSize?
    /// Whether lines are those of a prompt, not in columns.
    private let isAtPrompt: Bool

    /// Creates a transcript that starts now.
    /// - Parameters:
    ///   - isAtPrompt: Whether lines are those of a prompt, not in columns.
    ///   - style: The style of messages.
    ///   - secrets: The secrets of the run.
    ///   - screenSize: Returns the size of the window; nil: unlimited.
    init(
        palette: Palette, timestamps: TimestampStyle, isAtPrompt: Bool = false, style: PrettyStyle,
        without secrets: SecretRecord = SecretRecord(), on loop: EventLoop,
        screenSize: @escaping () -> ScreenSize? = { nil }
    ) {
        self.palette = palette
        self.secrets = secrets
        self.screenSize = screenSize
        self.isAtPrompt = isAtPrompt
        clock = TranscriptClock(timestamps, on: loop)
        layout = MessageLayout(palette: palette, style: style)
    }

    /// Creates a transcript in columns that continues another one, without colors.
    private init(uncolored other: Transcript) {
        palette = Palette(isEnabled: false)
        secrets = other.secrets
        screenSize = other.screenSize
        isAtPrompt = false
        clock = other.clock
        layout = MessageLayout(palette: palette, style: other.layout.style)
    }

    // MARK: Messages

    /// Formats a message that `--hide` hides: as a whole, dimmed.
    package func hidden(_ payload: RawSpan, as kind: MessageKind, _ direction: Direction, client: Int? = nil) -> String
    {
        let text = Transcript(uncolored: self).message(payload, as: kind, direction, client: client)
        return palette.quiet(String(text.dropLast())) + "\n"
    }

    /// Formats a message, or the beginning of a long one.
    /// - Parameters:
    ///   - note: A remark after the message.
    package func message(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Direction, client: Int? = nil, note: String = ""
    ) -> String {
        let size = screenSize()
        let name = kind == .text ? "text" : "binary"
        let bytes = TrafficReport.column(payload.byteCount)
        guard payload.byteCount > 0 else {
            return compose(direction, name, bytes + (note.isEmpty ? "" : "  " + note), client: client)
        }
        var column = contentColumn(client: client, size: bytes)
        var separator = "  "
        let neededWidth = kind == .binary ? HexDump.width(ofBytes: payload.byteCount) : Self.minimumContentWidth
        if let size, column + neededWidth > size.columns {
            column = Self.narrowColumn
            separator = "\n" + String(repeating: " ", count: column)
        }
        let limit = LayoutLimit.fold(for: size, column: column)
        // The style `fit` has no blocks.
        let layout = MessageLayout(palette: palette, style: self.layout.style == .full ? .full : .off)
        let result = layout.json(in: payload, kind).withText(or: payload) {
            layout.block($0, kind, limit: limit, column: column)
        }
        var content = result.text
        if result.isFolded {
            let lines = result.hiddenLines.map { " \(Phrase.count($0, "more line"))," } ?? ""
            let remark = "\(Glyphs.ellipsis)\(lines) \(TrafficReport.size(payload.byteCount)) in all"
            content += "\n" + String(repeating: " ", count: column) + palette.quiet(remark)
        }
        if !note.isEmpty { content += "  " + note }
        return compose(direction, name, bytes + separator + content, client: client)
    }

    // MARK: Frames

    /// Formats a ping or pong.
    package func control(
        _ opcode: Opcode, _ payload: RawSpan, _ direction: Direction, client: Int? = nil, note: String = ""
    )
        -> String
    {
        if isAtPrompt {
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
        let size = TrafficReport.column(payload.byteCount)
        let column = contentColumn(client: client, size: size)
        var content =
            UTF8Validator.isValid(payload)
            ? payload.withUnsafeBytes { escapingControls(String(decoding: $0, as: UTF8.self)) }
            : layout.dump(payload, limit: .none, column: column).text
        if !note.isEmpty { content += content.isEmpty ? note : "  \(note)" }
        let isNarrow = screenSize().map { column + Self.minimumContentWidth > $0.columns } ?? false
        let separator = isNarrow ? "\n" + String(repeating: " ", count: Self.narrowColumn) : "  "
        return compose(direction, "\(opcode)", size + (content.isEmpty ? "" : separator + content), client: client)
    }

    /// Formats a close frame.
    package func close(_ frame: CloseFrame, _ direction: Direction, client: Int? = nil) -> String {
        if isAtPrompt {
            var line = gutter(direction, client: client, at: clock.now)
            line.append("close", as: .close)
            let words = [frame.code.map { "\($0.rawValue)" } ?? "without a code", frame.code?.meaning]
            line.append(" " + words.compactMap { $0 }.joined(separator: " "))
            if !frame.reason.isEmpty { line.append(": \"\(secrets.masking(frame.reason))\"") }
            return line.text + "\n"
        }
        let number = frame.code.map { "\($0.rawValue)" } ?? ""
        var content = frame.code.map { $0.meaning ?? "" } ?? "no code"
        if !frame.reason.isEmpty {
            content += (content.isEmpty ? "" : ": ") + quoted(secrets.masking(frame.reason))
        }
        return compose(
            direction, "close", rightAligned(number, 5) + (content.isEmpty ? "" : "    " + content), client: client)
    }

    /// Formats a frame's header.
    func header(_ header: FrameHeader, _ direction: Direction, client: Int? = nil) -> String {
        if isAtPrompt {
            var line = gutter(direction, client: client, at: clock.now)
            line.append("frame \(Self.fields(of: header))", as: .quiet)
            return line.text + "\n"
        }
        return compose(direction, "frame", Self.noSize + Self.fields(of: header), client: client)
    }

    /// The fields of a frame's header: `FIN text masked 0102ab04 5 B`.
    static func fields(of header: FrameHeader) -> String {
        let parts = [
            header.isFinal ? "FIN" : nil, header.isCompressed ? "RSV1" : nil, "\(header.opcode)",
            header.maskingKey.map { "masked \($0)" },
            "\(header.payloadBytes) B",
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    /// Formats a frame's payload, below its header.
    /// - Parameters:
    ///   - beginning: The shown part of the payload.
    ///   - payloadBytes: The size of the payload.
    func payload(_ beginning: RawSpan, of payloadBytes: Int, client: Int? = nil) -> String {
        var column = contentColumn(client: client, size: Self.noSize) - 2
        if let size = screenSize(), column + HexDump.width(ofBytes: beginning.byteCount) > size.columns {
            column = Self.narrowColumn
        }
        let margin = String(repeating: " ", count: column)
        let lines = margin + layout.dump(beginning, limit: .none, column: column).text + "\n"
        let left = payloadBytes - beginning.byteCount
        return left == 0
            ? lines : lines + margin + palette.quiet("\(Glyphs.ellipsis) \(Phrase.count(left, "more byte"))") + "\n"
    }

    /// Formats a line of the head of a request or response.
    /// - Parameter isPast: Whether the line repeats an earlier one, for which the current time is meaningless.
    package func head(_ text: String, _ direction: Direction, client: Int? = nil, isPast: Bool = false) -> String {
        if isAtPrompt {
            var line = StyledText(direction.arrow, as: direction.style, palette)
            line.append(" ")
            return (client.map { palette.quiet("@\($0) ") } ?? "") + line.text + text + "\n"
        }
        let time = isPast ? "" : clock.text(of: clock.now)
        let prefix = (time.isEmpty ? "" : palette.quiet(time) + " ") + (client.map { "#\($0) " } ?? "")
        return "\(prefix)\(palette.styled(direction.arrow, direction.style)) \(text)\n"
    }

    // MARK: Parts of a line

    /// Blanks instead of a size.
    private static let noSize = String(repeating: " ", count: 9)
    /// The column of content that is below its line because the window is too narrow.
    private static let narrowColumn = 2
    /// The minimum width for text beside the time and the size.
    private static let minimumContentWidth = 24
    /// The longest name is `binary`.
    private static let nameWidth = 6

    /// The column at which content begins and further lines of a message continue.
    private func contentColumn(client: Int?, size: String) -> Int {
        clock.width + (client.map { "#\($0) ".count } ?? 0) + 2 + Self.nameWidth + size.count + 2
    }

    private func compose(_ direction: Direction, _ name: String, _ rest: String, client: Int? = nil) -> String {
        let time = clock.text(of: clock.now)
        let prefix = (time.isEmpty ? "" : palette.quiet(time) + " ") + (client.map { "#\($0) " } ?? "")
        let padding = String(repeating: " ", count: max(0, Self.nameWidth - name.count))
        let arrow = palette.styled(direction.arrow, direction.style)
        let word = palette.styled(name, direction == .queued ? .quiet : Self.style(of: name) ?? direction.style)
        return "\(prefix)\(arrow) \(word)\(padding)\(rest)\n"
    }

    /// The style of content that is not text.
    private static func style(of name: String) -> Palette.Style? {
        switch name {
        case "binary": .binary
        case "close": .close
        case "ping", "pong", "frame": .quiet
        default: nil
        }
    }

    // MARK: The left edge of a prompt

    /// Windows that are narrower use the space of the number column.
    private static let narrowColumns = 50
    /// The columns of a number: `#123`.
    private static let numberColumns = 4
    /// The size to format for if the window's is unknown.
    private static let usualSize = ScreenSize(columns: 80, rows: 24)

    /// The size of the window of a prompt.
    var size: ScreenSize { screenSize() ?? Self.usualSize }
    /// The columns of a line of a prompt. The last one stays free: some terminals already wrap a line that fills it.
    var columns: Int { max(Self.minimumColumns, size.columns - 1) }
    private static let minimumColumns = 20

    /// The columns beside the left edge. In a very narrow window, the terminal wraps lines.
    func room(after gutter: StyledText) -> Int {
        max(Self.minimumRoom, columns - gutter.columns)
    }

    private static let minimumRoom = 10

    /// The time, the number, the client, and the arrow.
    func gutter(
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
