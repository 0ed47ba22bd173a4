import Conversation
import Formats
import UserInterface
import WSCore

/// Writes received messages, the picked value of each, or events to standard output in the requested format.
///
/// On a terminal, control characters from the peer are escaped.
package final class MessageWriter {
    /// The backlog, in bytes, above which ``isFull`` asks the source to pause: 1 MiB keeps a fast reader busy and costs
    /// little memory with a slow one.
    static let queueLimitBytes = 1 << 20
    /// The size of the buffer for picked values that is kept between messages.
    private static let keptBytes = 64 << 10

    /// Writes events if the format is JSON; otherwise `nil`.
    package let events: EventWriter?

    private let writer: DescriptorWriter
    private let format: OutputFormat
    /// Formats messages, or `nil` to write them byte for byte.
    private let style: OutputStyle?
    /// The value to write of each message, or `nil` to write whole messages.
    private let pick: JSONPath?
    /// What to write of each message, or `nil` to write the message.
    private let messageFormat: MessageFormat?
    private var clock = EventClock()
    /// The value of the current message, or what is written of it.
    private var picked = ByteBuffer()
    /// The previous messages, or `nil` to write whole messages.
    private var changes: MessageChanges?
    private var unwritten = UnwrittenMessages()

    /// Creates a writer for standard output or another descriptor.
    /// - Parameter colors: Chooses the colors for the descriptor.
    package init(
        _ arguments: some ConversationArguments, colors: Diagnostics, to descriptor: Int32 = StandardDescriptors.output,
        on loop: EventLoop
    ) throws(IOError) {
        format = arguments.format.output
        pick = arguments.format.pick
        messageFormat = arguments.format.format
        changes = arguments.format.changes.map { MessageChanges(kinds: $0) }
        style = OutputStyle(arguments, to: descriptor, palette: colors.colors(on: descriptor))
        writer = try DescriptorWriter(descriptor: descriptor, on: loop)
        events = format == .json ? EventWriter(writer, without: colors.secrets, on: loop) : nil
    }

    /// Whether the source should pause until ``didDrain``.
    package var isFull: Bool { writer.pendingBytes > Self.queueLimitBytes }
    /// Whether no data is left to write.
    package var isDrained: Bool { writer.pendingBytes == 0 }
    /// What the output would lack if it ended now, or `nil`.
    package var loss: OutputLoss? { isDrained ? nil : .messages(unwritten.count(after: writer.writtenBytes)) }

    /// Called whenever the last byte has been written.
    package var didDrain: (() -> Void)? {
        get { writer.didDrain }
        set { writer.didDrain = newValue }
    }
    /// Called once when writing fails, including when the reader closes the pipe.
    package var didFail: ((IOError) -> Void)? {
        get { writer.didFail }
        set { writer.didFail = newValue }
    }

    /// Writes as much as the descriptor accepts now. ``didDrain`` reports when the rest has been written.
    package func flush() {
        writer.flush()
    }

    /// Stops writing.
    package func close() {
        writer.close()
    }

    /// Writes a message, or its picked value.
    /// - Parameters:
    ///   - client: The number of the client that sent it, if there are several.
    ///   - reply: The request it answers and its round trip, or `nil` if it is not a reply.
    ///   - decoding: How it was decoded, or `nil` if it is as received.
    /// - Returns: Whether anything was written: messages without the value to pick are omitted.
    @discardableResult
    package func write(
        _ payload: RawSpan, as kind: MessageKind, client: Int? = nil, reply: Reply? = nil, decoding: Decoding? = nil
    ) -> Bool {
        if let messageFormat {
            writeFormatted(payload, as: kind, messageFormat, reply: reply, size: decoding?.byteCount)
            return true
        }
        guard let pick else {
            if case .changes(let line)? = changes?.receive(payload, from: client) {
                writeWhole(Array(line.utf8).span.bytes, as: .text, client: client, reply: reply, nil)
            } else if let original = decoding?.original, format.keepsOriginals {
                writeWhole(original.span.bytes, as: .binary, client: client, reply: reply, decoding)
            } else {
                writeWhole(payload, as: kind, client: client, reply: reply, decoding)
            }
            return true
        }
        guard kind == .text || UTF8Validator.isValid(payload), pick.appendValue(of: payload, to: &picked) else {
            return false
        }
        var decoding = decoding
        decoding?.byteCount = picked.count
        picked.withReadableBytes { writeWhole($0, as: kind, client: client, reply: reply, decoding) }
        picked.removeAll()
        picked.releaseStorage(above: Self.keptBytes)
        return true
    }

    /// Writes an event of an application protocol, or the picked value of its payload. Text is written as a line in the
    /// notation of the protocol. Other formats contain only the payload.
    /// - Parameters:
    ///   - name: The name of the protocol.
    ///   - reply: The request it answers and its round trip, or `nil` if it is not a reply.
    /// - Returns: Whether anything was written: events without the value to pick are omitted.
    package func write(_ event: ProtocolEvent, of name: String, reply: Reply? = nil) -> Bool {
        let payload = event.payload.span.bytes
        let kind: MessageKind = event.isText ? .text : .binary
        guard pick == nil, messageFormat == nil else { return write(payload, as: kind, reply: reply) }
        let heading = event.heading
        let label = heading.isEmpty ? nil : escapingControls(String(decoding: heading, as: UTF8.self))
        if case .changes(let line)? = changes?.receive(payload, kind: label) {
            writeWhole(Array(line.utf8).span.bytes, as: .text, client: nil, reply: reply, nil)
            return true
        }
        switch format {
        case .json:
            events?.writeMessage(event, of: name, reply: reply)
            didAppendMessage()
        case .text, .nul:
            if !heading.isEmpty {
                // The heading is not JSON, so its style is that of plain text.
                if let style {
                    style.append(heading.span.bytes, as: .text, to: &writer.buffer)
                } else {
                    writer.buffer.append(heading.span.bytes)
                }
                if !event.payload.isEmpty { writer.buffer.append(byte: UInt8(ascii: " ")) }
            }
            writeWhole(payload, as: kind, client: nil, reply: nil, nil)
        case .hex, .base64, .raw: writeWhole(payload, as: kind, client: nil, reply: nil, nil)
        }
        return true
    }

    /// Writes what `--format` requests as a line.
    /// - Parameter size: The number of bytes received, if the message was decoded.
    private func writeFormatted(
        _ payload: RawSpan, as kind: MessageKind, _ format: MessageFormat, reply: Reply?, size: Int?
    ) {
        for part in format.parts { append(part, of: payload, as: kind, reply: reply, size: size) }
        // Not as text, which may be laid out as JSON.
        picked.withReadableBytes { writeWhole($0, as: .binary, client: nil, reply: nil, nil) }
        picked.removeAll()
        picked.releaseStorage(above: Self.keptBytes)
    }

    /// Appends a part of `--format` to ``picked``.
    /// - Returns: Whether there is a value; otherwise nothing was appended.
    @discardableResult
    private func append(
        _ part: MessageFormat.Part, of payload: RawSpan, as kind: MessageKind, reply: Reply?, size: Int?
    ) -> Bool {
        switch part {
        case .text(let text): picked.append(text.span.bytes)
        case .time:
            clock.update()
            let text = clock.text
            picked.append(text.span.bytes)
        case .kind: picked.append(kind == .text ? "text" : "binary")
        case .size: picked.append("\(size ?? payload.byteCount)")
        case .latency:
            guard let reply else { return false }
            let microseconds = Int(reply.roundTrip / .microseconds(1))
            picked.append("\(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst())")
        case .data(nil): picked.append(payload)
        case .data(let path?):
            return (kind == .text || UTF8Validator.isValid(payload)) && !isNull(path, of: payload)
                && path.appendValue(of: payload, to: &picked)
        case .filtered(let part, let filters):
            let start = picked.count
            let exists = append(part, of: payload, as: kind, reply: reply, size: size)
            let value = picked.withReadableBytes { text in
                text.extracting(start..<text.byteCount).withUnsafeBytes { Array($0) }
            }
            picked.removeLast(value.count)
            // What fails is missing.
            guard let result = try? filters.apply(to: exists ? .success(value) : .failure(.notJSON)) else {
                return false
            }
            picked.append(result.insertedBytes.span.bytes)
        }
        return true
    }

    /// Whether the value at a path in a message is `null`.
    private func isNull(_ path: JSONPath, of payload: RawSpan) -> Bool {
        guard let value = path.value(in: payload) else { return false }
        return value.kind == .literal && payload.extracting(value.range).isEqual(to: Array("null".utf8).span.bytes)
    }

    private func writeWhole(
        _ payload: RawSpan, as kind: MessageKind, client: Int?, reply: Reply?, _ decoding: Decoding?
    ) {
        switch format {
        case .json:
            if let decoding {
                events?.writeMessage(payload, decoding, client: client, reply: reply)
            } else {
                events?.writeMessage(payload, as: kind, client: client, reply: reply)
            }
            return didAppendMessage()
        case .hex: HexDigits.append(payload, to: &writer.buffer)
        case .base64: Base64.append(payload, to: &writer.buffer)
        case .text, .nul, .raw:
            if let style {
                style.append(payload, as: kind, to: &writer.buffer)
            } else {
                // Including the delimiter, which would make the buffer grow again and copy a large message.
                _ = writer.buffer.reserve(payload.byteCount + 1)
                writer.buffer.append(payload)
            }
        }
        switch format {
        case .text, .hex, .base64: writer.buffer.append(byte: UInt8(ascii: "\n"))
        case .nul: writer.buffer.append(byte: 0)
        case .raw, .json: break
        }
        didAppendMessage()
        writer.schedule()
    }

    @inline(__always)
    private func didAppendMessage() {
        unwritten.append(end: writer.appendedBytes, writtenBytes: writer.writtenBytes)
    }
}

/// The formatting of messages that are not written byte for byte: on a terminal and with `--pretty`.
struct OutputStyle {
    /// Whether to escape control characters.
    let isTerminal: Bool
    let layout: MessageLayout

    /// Creates the style for a descriptor, or returns `nil` for byte-for-byte output.
    init?(_ arguments: some ConversationArguments, to descriptor: Int32, palette: Palette) {
        let isTerminal = StandardDescriptors.isTerminal(descriptor)
        let isPretty = arguments.format.output == .text && (arguments.transcript.isPretty ?? isTerminal)
        guard isTerminal || isPretty else { return nil }
        self.init(isTerminal: isTerminal, isPretty: isPretty, palette: palette)
    }

    /// Creates a style.
    init(isTerminal: Bool, isPretty: Bool, palette: Palette) {
        self.isTerminal = isTerminal
        layout = MessageLayout(palette: palette, style: isPretty ? .full : .off)
    }

    /// Appends a message in this style.
    func append(_ payload: RawSpan, as kind: MessageKind, to buffer: inout ByteBuffer) {
        let json = layout.json(in: payload, kind)
        if isTerminal {
            // What is too large for JSON is shown as it is.
            let layout = json == nil ? MessageLayout(palette: layout.palette, style: .off) : layout
            buffer.append(json.withText(or: payload) { layout.block($0, .text, limit: .none, column: 0).text })
        } else if let json {
            layout.append(json, to: &buffer)
        } else {
            buffer.append(payload)
        }
    }
}
