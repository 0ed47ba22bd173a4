import Formats
import WSCore

/// Formats the lines that show the messages and frames of a connection.
///
///     15:04:05.123 → text      5 B  hello
///     15:04:05.164 ← binary    3 B  01 02 ff  ...
///     15:04:12.006 ← close  1000    normal closure: "bye"
///     15:04:13.250 … text      5 B  later
final class Transcript {
    /// The direction of a message.
    enum Direction {
        case sent
        case received
        /// The message waits for a connection.
        case queued

        var arrow: String {
            switch self {
            case .sent: "→"
            case .received: "←"
            case .queued: "…"
            }
        }

        fileprivate var style: Palette.Style {
            switch self {
            case .sent: .sent
            case .received: .received
            case .queued: .quiet
            }
        }
    }

    /// The lines of a message.
    struct Message {
        /// Each line ends with a newline.
        let text: String
        /// Whether the lines show only part of the message.
        let isFolded: Bool
    }

    /// The timestamps of the lines.
    var clock: TranscriptClock
    /// The format of payloads.
    var layout: MessageLayout

    let palette: Palette
    private let screenSize: () -> ScreenSize?

    /// Creates a transcript that starts now.
    /// - Parameters:
    ///   - isPretty: Whether to indent JSON.
    ///   - screenSize: Returns the size of the window; nil: unlimited.
    init(
        palette: Palette, timestamps: TimestampStyle, isPretty: Bool = false, on loop: EventLoop,
        screenSize: @escaping () -> ScreenSize? = { nil }
    ) {
        self.palette = palette
        self.screenSize = screenSize
        clock = TranscriptClock(timestamps, on: loop)
        layout = MessageLayout(palette: palette, isPretty: isPretty)
    }

    // MARK: Messages

    /// Formats a message, or the beginning of a long one.
    /// - Parameters:
    ///   - number: The message's number for `/show`; nil: the message is not kept.
    ///   - note: A remark after the message.
    func message(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Direction, client: Int? = nil, number: Int? = nil,
        note: String = ""
    ) -> Message {
        let size = screenSize()
        return message(payload, as: kind, direction, client: client, note: note, at: clock.now, size: size) { column in
            .fold(for: size, column: column)
        } remark: { result in
            let lines = result.hiddenLines.map { " \(Phrase.count($0, "more line"))," } ?? ""
            let hint = number.map { "; /show \($0) shows all of it" } ?? ""
            return "…\(lines) \(TrafficReport.size(payload.byteCount)) in all\(hint)"
        }
    }

    /// Formats a kept message, up to the limit for very large ones.
    func whole(_ entry: MessageLog.Entry) -> String {
        let limit = LayoutLimit(rows: .max, columns: nil, bytes: MessageLog.maximumShownBytes)
        return entry.payload.withUnsafeBytes { payload in
            message(payload.bytes, as: entry.kind, entry.direction, at: entry.moment, size: screenSize()) { _ in
                limit
            } remark: { _ in
                "… \(TrafficReport.size(entry.byteCount)) in all; /save FILE \(entry.number) saves it"
            }.text
        }
    }

    /// Formats a message found by a search, with its number.
    /// - Parameter match: The first match, in bytes.
    func found(_ entry: MessageLog.Entry, at match: Range<Int>) -> String {
        let number = rightAligned("\(entry.number)", 5) + "  "
        let size = TrafficReport.column(entry.byteCount)
        let column = number.count + contentColumn(client: nil, size: size)
        // Leave room for an ellipsis on either side.
        let room = screenSize().map { max(1, $0.columns - column - 2) } ?? Excerpt.maximumBytes
        let excerpt = entry.payload.withUnsafeBytes {
            Excerpt.text(
                of: $0.bytes, around: match, byteCount: min(room, Excerpt.maximumBytes), palette: palette)
        }
        return palette.quiet(number)
            + compose(
                entry.direction, entry.kind == .text ? "text" : "binary", size + "  " + excerpt, at: entry.moment)
    }

    private func message(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Direction, client: Int? = nil, note: String = "",
        at moment: TranscriptClock.Moment, size: ScreenSize?, limit: (Int) -> LayoutLimit,
        remark: (MessageLayout.Result) -> String
    ) -> Message {
        let name = kind == .text ? "text" : "binary"
        let bytes = TrafficReport.column(payload.byteCount)
        guard payload.byteCount > 0 else {
            let rest = bytes + (note.isEmpty ? "" : "  " + note)
            return Message(text: compose(direction, name, rest, client: client, at: moment), isFolded: false)
        }
        var column = contentColumn(client: client, size: bytes)
        var separator = "  "
        let neededWidth = kind == .binary ? HexDump.width(ofBytes: payload.byteCount) : Self.minimumContentWidth
        if let size, column + neededWidth > size.columns {
            column = Self.narrowColumn
            separator = "\n" + String(repeating: " ", count: column)
        }
        let result =
            kind == .text
            ? layout.text(payload, limit: limit(column), column: column)
            : layout.dump(payload, limit: limit(column), column: column)
        var content = result.text
        if result.isFolded {
            content += "\n" + String(repeating: " ", count: column) + palette.quiet(remark(result))
        }
        if !note.isEmpty { content += "  " + note }
        return Message(
            text: compose(direction, name, bytes + separator + content, client: client, at: moment),
            isFolded: result.isFolded)
    }

    // MARK: Frames

    /// Formats a ping or pong.
    func control(_ opcode: Opcode, _ payload: RawSpan, _ direction: Direction, client: Int? = nil, note: String = "")
        -> String
    {
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
    func close(_ frame: CloseFrame, _ direction: Direction, client: Int? = nil) -> String {
        let number = frame.code.map { "\($0.rawValue)" } ?? ""
        var content = frame.code.map { $0.meaning ?? "" } ?? "no code"
        if !frame.reason.isEmpty {
            content += (content.isEmpty ? "" : ": ") + "\"\(escapingControls(frame.reason))\""
        }
        return compose(
            direction, "close", rightAligned(number, 5) + (content.isEmpty ? "" : "    " + content), client: client)
    }

    /// Formats a frame's header.
    func header(_ header: FrameHeader, _ direction: Direction, client: Int? = nil) -> String {
        let parts = [
            header.isFinal ? "FIN" : nil, header.isCompressed ? "RSV1" : nil, "\(header.opcode)",
            header.maskingKey.map { "masked \($0)" },
            "\(header.payloadBytes) B",
        ]
        return compose(
            direction, "frame", Self.noSize + parts.compactMap { $0 }.joined(separator: " "), client: client)
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
        return left == 0 ? lines : lines + margin + palette.quiet("… \(Phrase.count(left, "more byte"))") + "\n"
    }

    /// Formats a line of the head of a request or response.
    /// - Parameter isPast: Whether the line repeats an earlier one, for which the current time is meaningless.
    func head(_ text: String, _ direction: Direction, client: Int? = nil, isPast: Bool = false) -> String {
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

    private func compose(
        _ direction: Direction, _ name: String, _ rest: String, client: Int? = nil,
        at moment: TranscriptClock.Moment? = nil
    ) -> String {
        let time = clock.text(of: moment ?? clock.now)
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
}
