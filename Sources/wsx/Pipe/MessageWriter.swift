import WSCore

/// Writes received messages, or events, to standard output in the format asked for.
///
/// On a terminal nothing of a peer's is written raw: what could drive the terminal is shown as an escape.
final class MessageWriter {
    /// With more than this many bytes waiting, ``isFull`` says that the source is to pause: a megabyte keeps a fast
    /// reader busy and a slow one cheap.
    static let queueLimitBytes = 1 << 20

    private let writer: DescriptorWriter
    private let format: OutputFormat
    /// What becomes of messages; nil: they are written byte for byte.
    private let style: OutputStyle?
    private var clock = EventClock()

    /// Makes a writer to standard output, or to another descriptor.
    /// - Parameter colors: Knows what is coloured there.
    init(
        _ arguments: some SharedArguments, colors: Console, to descriptor: Int32 = StandardDescriptors.output,
        on loop: EventLoop
    ) throws(IOError) {
        format = arguments.output
        style = OutputStyle(arguments, to: descriptor, palette: colors.colors(on: descriptor))
        writer = try DescriptorWriter(descriptor: descriptor, on: loop)
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
        case .text, .nul, .raw:
            if let style {
                style.append(payload, as: kind, to: &writer.buffer)
            } else {
                writer.buffer.append(payload)
            }
            if format == .text { writer.buffer.append(byte: UInt8(ascii: "\n")) }
            if format == .nul { writer.buffer.append(byte: 0) }
            writer.schedule()
        case .json:
            writeEvent("message", client: client) { event in
                event.add("direction", "in")
                event.add("opcode", kind == .text ? "text" : "binary")
                event.add("bytes", payload.byteCount)
                event.addPayload(payload, isText: kind == .text)
                if let reply {
                    event.add("request", reply.number)
                    event.add("rtt_us", Int(reply.roundTrip / .microseconds(1)))
                }
            }
        }
    }

    /// Writes an event other than a message, in the format that has them.
    func writeEvent(
        _ type: StaticString, client: Int? = nil, _ addFields: (inout JSONEvent) -> Void
    ) {
        guard format == .json else { return }
        var event = JSONEvent(type, time: clock.timestamp(), into: writer.buffer.takeAll())
        addFields(&event)
        if let client { event.add("client", client) }
        writer.buffer = event.finish()
        writer.schedule()
    }

    /// Writes the event of an opened connection.
    func writeOpen(url: String, subprotocol: String?, extensions: [ExtensionOffer], client: Int? = nil) {
        writeEvent("open", client: client) { event in
            event.add("url", url)
            if let subprotocol { event.add("subprotocol", subprotocol) }
            if !extensions.isEmpty { event.add("extensions", ExtensionHeader.value(of: extensions)) }
        }
    }

    /// Writes the event of a ping or pong.
    /// - Parameter roundTrip: The time since the ping that a pong answers.
    func writeControl(_ type: StaticString, _ payload: RawSpan, roundTrip: Duration? = nil, client: Int? = nil) {
        writeEvent(type, client: client) { event in
            event.add("direction", "in")
            event.add("bytes", payload.byteCount)
            event.addPayload(payload, isText: false)
            if let roundTrip { event.add("rtt_us", Int(roundTrip / .microseconds(1))) }
        }
    }

    /// Writes the event of a failure.
    func writeFailure(_ failure: Failure, client: Int? = nil) {
        guard let message = failure.message else { return }
        writeEvent("error", client: client) { event in
            event.add("kind", failure.kind)
            event.add("message", message)
            if let (head, body, _) = failure.refusal {
                event.add("status", head.status)
                event.add("body", String(decoding: body, as: UTF8.self))
            }
        }
    }

    /// Writes the event of a connection's end.
    func writeClose(_ end: ConnectionEnd, client: Int? = nil) {
        writeEvent("close", client: client) { event in
            // A close frame of our own that was left without an answer is all there was; a connection that was lost came
            // to its end from the other side.
            event.add("direction", end.closing.received == nil && end.closing.sent != nil ? "out" : "in")
            event.add("code", Int(end.code.rawValue))
            event.add("reason", end.reason)
            event.add("clean", end.isClean)
        }
    }
}
