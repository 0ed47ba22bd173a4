import WSCore

/// Words and lays out the lines that show what travels on a connection.
///
///     15:04:05.123 → text      5 B  hello
///     15:04:05.164 ← binary   16 B  00 01 02 03 …
///     15:04:12.006 ← close  1000    normal closure: "bye"
///     15:04:13.250 … text      5 B  later
struct Transcript {
    /// Which way something went.
    enum Direction {
        case sent
        case received
        /// It is to be sent when there is a connection again.
        case queued

        var arrow: String {
            switch self {
            case .sent: "→"
            case .received: "←"
            case .queued: "…"
            }
        }
    }

    private let palette: Palette
    private let style: TimestampStyle
    private let start: Duration
    private let loop: EventLoop

    /// The most of a message that a line shows, in bytes of text and in bytes of a dump.
    private static let shownTextBytes = 16 << 10
    private static let shownBinaryBytes = 64

    /// Makes a transcript that starts now.
    init(palette: Palette, timestamps: TimestampStyle, on loop: EventLoop) {
        self.palette = palette
        self.loop = loop
        style = timestamps
        start = loop.now
    }

    /// The lines of a message; each ends with a newline.
    func message(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Direction, client: Int? = nil, note: String = ""
    )
        -> String
    {
        var content = kind == .text ? text(payload) : dump(payload)
        if !note.isEmpty { content += content.isEmpty ? note : "  \(note)" }
        return line(direction, kind == .text ? "text" : "binary", payload.byteCount, content, client: client)
    }

    /// The line of a ping or a pong.
    func control(_ opcode: Opcode, _ payload: RawSpan, _ direction: Direction, client: Int? = nil, note: String = "")
        -> String
    {
        var content = UTF8Validator.isValid(payload) ? text(payload) : dump(payload)
        if !note.isEmpty { content += content.isEmpty ? note : "  \(note)" }
        return line(direction, "\(opcode)", payload.byteCount, content, client: client)
    }

    /// The line of a close frame.
    func close(_ frame: CloseFrame, _ direction: Direction, client: Int? = nil) -> String {
        let number = frame.code.map { "\($0.rawValue)" } ?? ""
        var content = frame.code.map { $0.meaning ?? "" } ?? "no code"
        if !frame.reason.isEmpty {
            content += (content.isEmpty ? "" : ": ") + "\"\(escapingControls(frame.reason))\""
        }
        return compose(
            direction, "close", rightAligned(number, 5) + (content.isEmpty ? "" : "    " + content), client: client)
    }

    /// The line of a frame's header.
    func header(_ header: FrameHeader, _ direction: Direction, client: Int? = nil) -> String {
        let parts = [
            header.isFinal ? "FIN" : nil, header.isCompressed ? "RSV1" : nil, "\(header.opcode)",
            header.maskingKey == nil ? nil : "masked",
            "\(header.payloadBytes) B",
        ]
        return compose(
            direction, "frame", "         " + parts.compactMap { $0 }.joined(separator: " "), client: client)
    }

    /// A line of the head of a request or response.
    /// - Parameter isPast: Whether it is shown again, so that the present time says nothing.
    func head(_ text: String, _ direction: Direction, isPast: Bool = false) -> String {
        let time = isPast ? "" : timestamp()
        let arrow = direction == .sent ? palette.sent(direction.arrow) : palette.received(direction.arrow)
        return (time.isEmpty ? "" : palette.quiet(time) + " ") + "\(arrow) \(text)\n"
    }

    private func line(
        _ direction: Direction, _ name: String, _ byteCount: Int, _ content: String, client: Int?
    ) -> String {
        guard !content.isEmpty else {
            return compose(direction, name, rightAligned("\(byteCount)", 5) + " B", client: client)
        }
        let size = rightAligned("\(byteCount)", 5) + " B  "
        // A message of several lines continues under its beginning.
        let column = (style == .off ? 0 : 13) + (client.map { "#\($0) ".count } ?? 0) + 2 + 6 + size.count
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n" + String(repeating: " ", count: column))
        return compose(direction, name, size + lines, client: client)
    }

    private func compose(_ direction: Direction, _ name: String, _ rest: String, client: Int?) -> String {
        let time = timestamp()
        let prefix = (time.isEmpty ? "" : palette.quiet(time) + " ") + (client.map { "#\($0) " } ?? "")
        let padding = String(repeating: " ", count: max(0, 6 - name.count))
        let head = "\(direction.arrow) \(name)\(padding)"
        let colored =
            switch direction {
            case .sent: palette.sent(head)
            case .received: palette.received(head)
            case .queued: palette.quiet(head)
            }
        return prefix + colored + rest + "\n"
    }

    private func text(_ payload: RawSpan) -> String {
        var shownBytes = min(payload.byteCount, Self.shownTextBytes)
        // Not inside a scalar: its continuation bytes begin with the bits 10.
        while shownBytes > 0, shownBytes < payload.byteCount,
            payload.unsafeLoad(fromByteOffset: shownBytes, as: UInt8.self) & 0xC0 == 0x80
        {
            shownBytes -= 1
        }
        let shown = SafeText.text(payload.extracting(first: shownBytes))
        let left = payload.byteCount - shownBytes
        return left > 0 ? shown + " … (\(left) more bytes)" : shown
    }

    private func dump(_ payload: RawSpan) -> String {
        let shown = payload.extracting(first: Self.shownBinaryBytes)
        let digits = shown.withUnsafeBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        }
        return payload.byteCount > shown.byteCount ? digits + " …" : digits
    }

    private func timestamp() -> String {
        switch style {
        case .off: return ""
        case .relative:
            let milliseconds = (loop.now - start) / .milliseconds(1)
            let whole = Int(milliseconds)
            return rightAligned("+\(whole / 1000).\(padded(whole % 1000, to: 3))", 12)
        case .local, .utc:
            let now = WallTime.now
            let time = CalendarTime(now, in: style == .utc ? .utc : .local)
            let clock = "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
            return "\(clock).\(padded(now.microseconds / 1000, to: 3))"
        }
    }
}

private func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
