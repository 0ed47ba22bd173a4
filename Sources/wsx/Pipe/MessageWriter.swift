import Conversation
import Formats
import WSCore

/// Writes received messages, or events, to standard output in the format asked for.
///
/// On a terminal nothing of a peer's is written raw: what could drive the terminal is shown as an escape.
final class MessageWriter {
    /// With more than this many bytes waiting, ``isFull`` says that the source is to pause: a megabyte keeps a fast
    /// reader busy and a slow one cheap.
    static let queueLimitBytes = 1 << 20

    /// Writes events, in the format that has them; nil in the others.
    let events: EventWriter?

    private let writer: DescriptorWriter
    private let format: OutputFormat
    /// What becomes of messages; nil: they are written byte for byte.
    private let style: OutputStyle?

    /// Makes a writer to standard output, or to another descriptor.
    /// - Parameter colors: Knows what is coloured there.
    init(
        _ arguments: some ConversationArguments, colors: Console, to descriptor: Int32 = StandardDescriptors.output,
        on loop: EventLoop
    ) throws(IOError) {
        format = arguments.format.output
        style = OutputStyle(arguments, to: descriptor, palette: colors.colors(on: descriptor))
        writer = try DescriptorWriter(descriptor: descriptor, on: loop)
        events = format == .json ? EventWriter(writer, on: loop) : nil
    }

    /// Whether the source of what is written is to pause until ``didDrain``.
    var isFull: Bool { writer.pendingBytes > Self.queueLimitBytes }
    /// Whether nothing waits to be written.
    var isDrained: Bool { writer.pendingBytes == 0 }

    /// Called whenever nothing is left to be written.
    var didDrain: (() -> Void)? {
        get { writer.didDrain }
        set { writer.didDrain = newValue }
    }
    /// Called once when writing fails or the reader has gone away.
    var didFail: ((IOError) -> Void)? {
        get { writer.didFail }
        set { writer.didFail = newValue }
    }

    /// Writes what can be written at once; ``didDrain`` tells when the rest is out.
    func flush() {
        writer.flush()
    }

    /// Writes a message.
    /// - Parameters:
    ///   - client: The number of the client that sent it, where there are several.
    ///   - reply: What it answers, if it does.
    func write(_ payload: RawSpan, as kind: MessageKind, client: Int? = nil, reply: Reply? = nil) {
        switch format {
        case .json:
            events?.writeMessage(payload, as: kind, client: client, reply: reply)
            return
        case .hex: HexDigits.append(payload, to: &writer.buffer)
        case .base64: Base64.append(payload, to: &writer.buffer)
        case .text, .nul, .raw:
            if let style {
                style.append(payload, as: kind, to: &writer.buffer)
            } else {
                writer.buffer.append(payload)
            }
        }
        switch format {
        case .text, .hex, .base64: writer.buffer.append(byte: UInt8(ascii: "\n"))
        case .nul: writer.buffer.append(byte: 0)
        case .raw, .json: break
        }
        writer.schedule()
    }
}
