import Formats
import WSCore

/// What becomes of a message on its way out where it does not go there byte for byte: on a terminal, and
/// with `--pretty`.
struct OutputStyle {
    /// Whether nothing of a peer's may act on what reads the output.
    let isTerminal: Bool
    /// Whether JSON is indented.
    let isPretty: Bool
    let palette: Palette

    /// The style of a descriptor; nil: byte for byte.
    init?(_ arguments: some ConversationArguments, to descriptor: Int32, palette: Palette) {
        isTerminal = StandardDescriptors.isTerminal(descriptor)
        isPretty = arguments.format.output == .text && (arguments.transcript.isPretty ?? isTerminal)
        self.palette = palette
        guard isTerminal || isPretty else { return nil }
    }

    /// Makes a style.
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
            // It has been read: it is JSON.
            do throws(JSONError) { try JSONLayout.write(payload, to: &lines) } catch { return buffer.append(payload) }
            lines.bytes.withReadableBytes { buffer.append($0) }
        } else {
            buffer.append(payload)
        }
    }
}
