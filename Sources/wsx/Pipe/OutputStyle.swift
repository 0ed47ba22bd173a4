import Formats
import WSCore

/// The formatting of messages that are not written byte for byte: on a terminal and with `--pretty`.
struct OutputStyle {
    /// Whether to escape control characters.
    let isTerminal: Bool
    /// Whether to indent JSON.
    let isPretty: Bool
    let palette: Palette

    /// Creates the style for a descriptor, or returns `nil` for byte-for-byte output.
    init?(_ arguments: some ConversationArguments, to descriptor: Int32, palette: Palette) {
        isTerminal = StandardDescriptors.isTerminal(descriptor)
        isPretty = arguments.format.output == .text && (arguments.transcript.isPretty ?? isTerminal)
        self.palette = palette
        guard isTerminal || isPretty else { return nil }
    }

    /// Creates a style.
    init(isTerminal: Bool, isPretty: Bool, palette: Palette) {
        self.isTerminal = isTerminal
        self.isPretty = isPretty
        self.palette = palette
    }

    /// Appends a message in this style.
    func append(_ payload: RawSpan, as kind: MessageKind, to buffer: inout ByteBuffer) {
        let isJSON =
            isPretty && kind == .text && payload.byteCount <= JSONLayout.maximumCheckedBytes
            && JSONLayout.lineCount(of: payload) != nil
        if isTerminal {
            let layout = MessageLayout(palette: palette, isPretty: isJSON)
            buffer.append(layout.text(payload, limit: .none, column: 0).text)
        } else if isJSON {
            var lines = PlainLines(palette: palette)
            // Cannot fail: the payload has been parsed above.
            do throws(JSONError) { try JSONLayout.write(payload, to: &lines) } catch { return buffer.append(payload) }
            lines.bytes.withReadableBytes { buffer.append($0) }
        } else {
            buffer.append(payload)
        }
    }
}
